package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs decode}. */
@Command(name = "decode", mixinStandardHelpOptions = true, description = {
        "Prints what iWARP connections carry, message by message, from a file of pverbs capture, tcpdump or Wireshark.",
        "Finds connections by their MPA Request, at any port. What the file lacks is named, and the rest is decoded." })
public final class DecodeCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", description = "A pcapng or pcap file.")
    private Path file;

    @Option(names = "--json", description = "One JSON object for each message, and one with the totals at the end, a line each.")
    private boolean json;

    @Spec
    private CommandSpec spec;

    private final Decoder decoder = new Decoder(this::print);
    private long begin = Long.MIN_VALUE;

    @Override
    public Integer call() throws IOException {
        try (PacketFile packets = PacketFile.open(file)) {
            decode(packets);
        } finally {
            out().flush();
        }
        return decoder.isStopped() ? CommandLine.ExitCode.SOFTWARE : CommandLine.ExitCode.OK;
    }

    /** Prints the totals also if the file is cut short or corrupt. */
    private void decode(PacketFile packets) throws IOException {
        try {
            decoder.decode(packets);
        } finally {
            if (!decoder.isStopped()) {
                printTotals();
            }
        }
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private void print(Entry entry) {
        PrintWriter out = out();
        out.println(json ? line(entry) : text(entry));
        if (out.checkError()) {
            decoder.stop();
        }
    }

    private void printTotals() {
        Map<String, Object> totals = decoder.totals();
        if (json) {
            Map<String, Object> object = Json.object("decode");
            object.put("kind", "totals");
            object.putAll(totals);
            out().println(Json.line(object));
        } else {
            out().printf(Locale.ROOT, "%s packets; %s connections with MPA: %s FPDUs, %s of them with a bad CRC, %s malformed; lost: %s%n",
                    totals.values().toArray());
        }
    }

    private double seconds(Entry entry) {
        if (begin == Long.MIN_VALUE) {
            begin = entry.nanos();
        }
        return (entry.nanos() - begin) / 1e9;
    }

    private String text(Entry entry) {
        return "%6d %12.6f  %s > %s  %s".formatted(entry.packet(), seconds(entry), HostPort.text(entry.from()), HostPort.text(entry.to()),
                entry.text());
    }

    private String line(Entry entry) {
        Map<String, Object> object = Json.object("decode");
        object.put("kind", entry.kind());
        object.put("packet", entry.packet());
        object.put("seconds", seconds(entry));
        object.put("from", HostPort.text(entry.from()));
        object.put("to", HostPort.text(entry.to()));
        object.putAll(entry.fields());
        return Json.line(object);
    }
}
