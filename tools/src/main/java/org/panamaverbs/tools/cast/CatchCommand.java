package org.panamaverbs.tools.cast;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.panamaverbs.Configuration;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.tools.files.DiskSpace;
import org.panamaverbs.tools.files.Leftovers;
import org.panamaverbs.tools.files.MappedFile;
import org.panamaverbs.tools.shared.Bar;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.Printable;
import org.panamaverbs.tools.shared.Quantity;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs catch}: a file that `pverbs cast` sends. */
// Tested by CastCommandTest, CastOverNetworkTest, CatchDropsTest.
@Command(name = "catch", mixinStandardHelpOptions = true, description = {
        "Receives a file from `pverbs cast`, by DDP straight into the mapped file: over TCP, over UDP, or as a member of a multicast group.",
        "It listens until the notification and all octets have come. It ends earlier if octets are missing: over UDP without --repair 200 ms after the last message that follows the notification, and in any case after --idle.",
        "FILE has no name until then. If octets are missing, it gets its name nevertheless: they are zeros, and --json lists where they are. After an error, and after Ctrl-C, nothing is kept.",
        "There is no login: everybody who can send there and knows or guesses STAG can write into FILE." }, exitCodeListHeading = "%nExit status:%n", exitCodeList = {
                "0:FILE is whole", "1:an error; no FILE", "2:wrong usage", "3:octets are missing; FILE has what came" })
public final class CatchCommand implements Callable<Integer> {
    static final int NOT_WHOLE = 3;
    private static final int LONGEST_IDLE = 86_400;
    private static final int MOST_SHOWN = 80;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file to write.")
    private Path file;

    @Parameters(index = "1", paramLabel = "URL", description = "Where to listen: udp://ADDRESS:PORT or tcp://ADDRESS:PORT. A group's address is multicast.")
    private String at;

    @Option(names = "--size", required = true, paramLabel = "BYTES", description = "The size of the file, such as 1234567 or 3GiB: exactly as the sender's.")
    private String size;

    @Option(names = "--idle", paramLabel = "SECONDS", defaultValue = "10", description = "End if nothing comes for so long, once something came. Default: ${DEFAULT-VALUE}.")
    private int idle;

    @Option(names = "--replace", description = "A file of that name gives way, once the new one is whole.")
    private boolean replace;

    @Mixin
    private PlacementOptions options;

    @Spec
    private CommandSpec spec;

    private final Function<Configuration, DdpContext> contexts;

    /** The command of the command line. */
    public CatchCommand() {
        this(DdpContext::open);
    }

    CatchCommand(Function<Configuration, DdpContext> contexts) {
        this.contexts = contexts;
    }

    @Override
    public Integer call() throws IOException {
        CastUrl url = options.url(at);
        long bytes = bytes();
        if (idle < 1 || idle > LONGEST_IDLE) {
            throw options.usage("--idle is 1 to " + LONGEST_IDLE + " seconds, not " + idle);
        }
        Path absolute = file.toAbsolutePath().normalize();
        if (Files.isDirectory(absolute)) {
            throw new FileSystemException(file.toString(), null, "is a directory: name a file");
        }
        if (!replace && Files.exists(absolute, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileAlreadyExistsException(file.toString());
        }
        Leftovers.in(absolute.getParent()).map(line -> "pverbs: " + Printable.of(line)).ifPresent(spec.commandLine().getErr()::println);
        Arrivals arrivals = new Arrivals(bytes);
        Bar bar = new Bar(file.getFileName().toString(), options.isQuiet() || options.isJson());
        bar.size(bytes);
        // With --json, standard output has the object alone.
        PrintWriter lines = options.isJson() ? spec.commandLine().getErr() : spec.commandLine().getOut();
        try (MappedFile target = MappedFile.target(absolute, bytes);
                CatchConsole console = new CatchConsole(bar, lines, new Drops(options.stag()))) {
            DiskSpace.check(file, bytes, 0);
            target.reserve(0, bytes, 0);
            CatchPlan.Caught caught;
            try (bar) {
                caught = run(new CatchPlan(url, options.stag(), options.id(), options.options(), TimeUnit.SECONDS.toNanos(idle),
                        options.isRepair(), target, console), arrivals);
            }
            boolean kept = !console.isInterrupted();
            if (kept) {
                check(caught, arrivals);
                target.finish(replace);
            }
            print(url, caught, arrivals, bytes, kept);
            return arrivals.holes().missing() == 0 ? 0 : NOT_WHOLE;
        }
    }

    private long bytes() {
        try {
            return Quantity.bytes(size);
        } catch (IllegalArgumentException e) {
            throw options.usage("--size: " + e.getMessage());
        }
    }

    /** The context is closed before the file is unmapped. */
    private CatchPlan.Caught run(CatchPlan plan, Arrivals arrivals) throws IOException {
        try (DdpContext context = contexts.apply(options.configuration())) {
            DdpGroup group = context.newGroup();
            // An empty file cannot be registered. Its notification finds an octet of memory, and octets that come there are noticed.
            MemorySegment memory = plan.file().size() == 0 ? Arena.ofAuto().allocate(1) : plan.file().memory();
            group.register(memory, BufferAttributes.DEFAULT.withStag(plan.stag()), arrivals);
            return plan.url().isDatagrams() ? new DatagramCatcher(context, group, plan, arrivals).run()
                    : new StreamCatcher(context, group, plan, arrivals).run();
        }
    }

    /** A file that is whole as far as --size goes, and yet is not the sender's, is an error. */
    private void check(CatchPlan.Caught caught, Arrivals arrivals) {
        if (arrivals.holes().missing() > 0) {
            return;
        }
        long outside = caught.counters().outOfBounds();
        if (arrivals.isSurplus() || outside > 0 && !caught.notified()) {
            throw new Failure(
                    "more came than --size " + size + " says" + (outside > 0 ? ": " + outside + " messages lay outside of it" : "")
                            + ", and the notification was not among the rest: give the size of the sender's file");
        }
        if (caught.repair() != null && caught.repair().differs()) {
            throw new Failure(String.format("the CRC-32C of what came is %08x, and the sender's is another: two senders use this STag, or"
                    + " --size is not the size of the sender's file", caught.checksum()));
        }
    }

    private void print(CastUrl url, CatchPlan.Caught caught, Arrivals arrivals, long bytes, boolean kept) {
        PrintWriter out = spec.commandLine().getOut();
        long missing = arrivals.holes().missing();
        if (options.isJson()) {
            out.println(Json.line(describe(url, caught, arrivals, bytes, kept)));
        } else {
            double seconds = arrivals.seconds();
            if (!kept) {
                out.println("ended before FILE was whole: nothing is kept");
            }
            out.printf(Locale.ROOT, "%d bytes in %.2f s%s, %d parts%s%n", bytes - missing, seconds,
                    seconds > 0 ? String.format(Locale.ROOT, ", %.1f MB/s", (bytes - missing) / seconds / 1e6) : "",
                    caught.counters().partsReceived(),
                    caught.repair() != null && missing == 0 ? String.format("; CRC-32C %08x", caught.checksum()) : "");
            if (caught.counters().dropped() > 0) {
                out.println(new Drops(options.stag()).text(caught.counters()));
            }
            if (missing > 0) {
                out.println(missing + " octets never came");
            } else if (!caught.notified()) {
                out.println("the notification never came");
            }
        }
        out.flush();
    }

    private Map<String, Object> describe(CastUrl url, CatchPlan.Caught caught, Arrivals arrivals, long bytes, boolean kept) {
        long missing = arrivals.holes().missing();
        double seconds = arrivals.seconds();
        DdpCounters counters = caught.counters();
        Map<String, Object> object = Json.object("catch");
        object.put("file", file.toAbsolutePath().normalize().toString());
        object.put("url", url.toString());
        object.put("kept", kept);
        object.put("bytes", bytes);
        object.put("missing", missing);
        object.put("holes", holes(arrivals.holes()));
        object.put("notified", caught.notified());
        object.put("seconds", seconds);
        object.put("bytesPerSecond", seconds > 0 ? (bytes - missing) / seconds : 0);
        object.put("parts", counters.partsReceived());
        object.put("placedBytes", arrivals.octets());
        object.put("dropped", dropReasons(counters));
        if (caught.repair() != null) {
            object.put("reports", caught.repair().reports());
            object.put("senderEnded", caught.repair().hasEnded());
            if (missing == 0) {
                object.put("crc32c", String.format("%08x", caught.checksum()));
            }
        }
        return object;
    }

    private static List<Map<String, Object>> holes(Holes holes) {
        List<Map<String, Object>> list = new ArrayList<>();
        holes.visit((offset, length) -> {
            list.add(new LinkedHashMap<>(Map.of("offset", offset, "length", length)));
            return list.size() < MOST_SHOWN;
        });
        return list;
    }

    private static Map<String, Object> dropReasons(DdpCounters counters) {
        Map<String, Object> reasons = new LinkedHashMap<>();
        reasons.put("malformed", counters.malformed());
        reasons.put("unknownStags", counters.unknownStags());
        reasons.put("outOfBounds", counters.outOfBounds());
        reasons.put("late", counters.late());
        reasons.put("withoutReceive", counters.withoutReceive());
        reasons.put("tooLong", counters.tooLong());
        reasons.put("refusedByBuffers", counters.refusedByBuffers());
        return reasons;
    }
}
