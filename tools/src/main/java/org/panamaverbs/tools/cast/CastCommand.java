package org.panamaverbs.tools.cast;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.panamaverbs.Configuration;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Quantity;
import org.panamaverbs.tools.shared.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs cast}: a file into the files of those that catch it. */
@Command(name = "cast", mixinStandardHelpOptions = true, description = {
        "Sends a file to `pverbs catch`, by DDP into the mapped file there: over TCP, over UDP, or to all members of a multicast group at once.",
        "The last message asks for a notification. Over UDP nothing says what arrived, unless both ends say --repair. Over TCP an error says that the receiver has not got the whole file." }, exitCodeListHeading = "%nExit status:%n", exitCodeList = {
                "0:the file is sent; with --repair, every receiver that reported is whole and has the right CRC-32C", "1:an error",
                "2:wrong usage", "3:with --repair: a receiver is not whole, or too few have reported" })
public final class CastCommand implements Callable<Integer> {
    /** Of UDP; a receiver on the same machine takes it. */
    private static final String USUAL_RATE = "50MiB/s";
    private static final int MOST_SHOWN = 20;
    static final int NOT_WHOLE = 3;

    @Parameters(index = "0", paramLabel = "FILE", description = "What to send; an empty file is a notification alone.")
    private Path file;

    @Parameters(index = "1", paramLabel = "URL", description = "Where to: udp://ADDRESS:PORT or tcp://ADDRESS:PORT. A group's address is multicast.")
    private String to;

    @Option(names = "--rate", paramLabel = "BYTES/s", description = "How fast to send, such as 20MiB/s. Default: " + USUAL_RATE
            + " over UDP, no limit over TCP.")
    private String rate;

    @Option(names = "--receivers", paramLabel = "N", defaultValue = "0", description = "With --repair: wait until so many receivers are whole.")
    private int receivers;

    @Mixin
    private PlacementOptions options;

    @Mixin
    private Timeout timeout;

    @Spec
    private CommandSpec spec;

    private final Function<Configuration, DdpContext> contexts;

    /** The command of the command line. */
    public CastCommand() {
        this(DdpContext::open);
    }

    CastCommand(Function<Configuration, DdpContext> contexts) {
        this.contexts = contexts;
    }

    @Override
    public Integer call() throws IOException {
        Caster.Plan plan = plan();
        try (MappedFile source = MappedFile.source(file);
                DdpContext context = contexts.apply(options.configuration());
                Caster caster = new Caster(context, plan, source)) {
            long start = System.nanoTime();
            try (Bar bar = new Bar(file.getFileName().toString(), options.isQuiet() || options.isJson())) {
                bar.size(source.size());
                caster.run(bar::at);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            PrintWriter out = spec.commandLine().getOut();
            if (options.isJson()) {
                out.println(Json.line(describe(plan, caster, source.size(), seconds)));
            } else {
                print(out, plan, caster, source.size(), seconds);
            }
            out.flush();
            return !plan.repair() || caster.sender().isSuccess() ? 0 : NOT_WHOLE;
        }
    }

    private Caster.Plan plan() {
        CastUrl url = options.url(to);
        if (url.address().getPort() == 0) {
            throw options.usage("a file goes to a port from 1 to 65535, not 0");
        }
        if (receivers < 0 || receivers > RepairSender.MOST_REPORTERS) {
            throw options.usage("--receivers is 0 to " + RepairSender.MOST_REPORTERS + ", not " + receivers);
        }
        if (receivers > 0 && !options.isRepair()) {
            throw options.usage("without --repair no receiver reports: add it, or leave --receivers out");
        }
        long octetsPerSecond;
        try {
            octetsPerSecond = rate != null ? Quantity.rate(rate) : url.isDatagrams() ? Quantity.rate(USUAL_RATE) : Long.MAX_VALUE;
        } catch (IllegalArgumentException e) {
            throw options.usage("--rate: " + e.getMessage());
        }
        return new Caster.Plan(url, options.stag(), options.id(), options.options(), octetsPerSecond, options.isRepair(), receivers,
                timeout.duration());
    }

    private Map<String, Object> describe(Caster.Plan plan, Caster caster, long bytes, double seconds) {
        Map<String, Object> object = Json.object("cast");
        object.put("file", file.toAbsolutePath().normalize().toString());
        object.put("url", plan.url().toString());
        object.put("bytes", bytes);
        object.put("seconds", seconds);
        object.put("bytesPerSecond", bytes / seconds);
        object.put("parts", caster.counters().partsSent());
        if (plan.repair()) {
            object.put("crc32c", String.format("%08x", caster.checksum()));
            object.put("repairedBytes", caster.sender().repaired());
            object.put("rounds", caster.sender().rounds());
            List<Map<String, Object>> list = new ArrayList<>();
            for (Reporter each : caster.sender().reporters()) {
                Map<String, Object> receiver = new LinkedHashMap<>();
                receiver.put("address", HostPort.text(each.address()));
                receiver.put("state", each.state().name().toLowerCase(Locale.ROOT));
                list.add(receiver);
            }
            object.put("receivers", list);
            object.put("ignoredMessages", caster.sender().ignored());
        }
        return object;
    }

    private void print(PrintWriter out, Caster.Plan plan, Caster caster, long bytes, double seconds) {
        out.printf(Locale.ROOT, "%d bytes in %.2f s, %.1f MB/s, %d parts%n", bytes, seconds, bytes / seconds / 1e6,
                caster.counters().partsSent());
        if (!plan.repair()) {
            if (plan.url().isDatagrams()) {
                out.println("over UDP nothing says what arrived; --repair at both ends does");
            }
            return;
        }
        RepairSender sender = caster.sender();
        if (sender.reporters().isEmpty()) {
            out.println("no receiver has reported: compare --stag and --repair of both ends, and see what catch says");
        }
        List<Reporter> bad = sender.reporters().stream().filter(each -> each.state() != Reporter.State.WHOLE).toList();
        int whole = sender.reporters().size() - bad.size();
        out.printf(Locale.ROOT, "%d receivers are whole, CRC-32C %08x; %d bytes repaired in %d rounds%n", whole, caster.checksum(),
                sender.repaired(), sender.rounds());
        if (whole < plan.receivers()) {
            out.printf(Locale.ROOT, "%d receivers were expected%n", plan.receivers());
        }
        bad.stream().limit(MOST_SHOWN).forEach(each -> out.println(HostPort.text(each.address()) + " " + each.state().text()));
        if (bad.size() > MOST_SHOWN) {
            out.println("and " + (bad.size() - MOST_SHOWN) + " more");
        }
    }
}
