package org.panamaverbs.tools.ping;

import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import org.panamaverbs.Verbs;
import org.panamaverbs.tools.shared.Argument;
import org.panamaverbs.tools.shared.Dialogue;
import org.panamaverbs.tools.shared.Failure;
import org.panamaverbs.tools.shared.HostPort;
import org.panamaverbs.tools.shared.Json;
import org.panamaverbs.tools.shared.ProviderOptions;
import org.panamaverbs.tools.shared.Quantity;
import org.panamaverbs.tools.shared.Timeout;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code pverbs ping}: either end of rdma-core's {@code rping}. */
@Command(name = "ping", mixinStandardHelpOptions = true, description = {
        "Pings by RDMA: the server Reads the client's text and Writes it back.",
        "Speaks the wire format of rdma-core's rping, so that either end can be that." })
public final class PingCommand implements Callable<Integer> {
    static final int DEFAULT_PORT = 7174;
    /** The longest text that our server takes. */
    static final long MAXIMUM = 1 << 20;
    /** Beyond so many rounds only the summary is shown. */
    private static final int LINES = 20;
    private static final int LONGEST_WARM_UP = 3600;

    @Parameters(arity = "0..1", paramLabel = "HOST[:PORT]", description = "Pings a listener; port " + DEFAULT_PORT + " unless given.")
    private String peer;

    @Option(names = "--listen", paramLabel = "[ADDR:]PORT", arity = "0..1", fallbackValue = "127.0.0.1:"
            + DEFAULT_PORT, description = "Answers pings until Ctrl-C. Listens on loopback unless an address is given.")
    private String listen;

    @Option(names = "--once", description = "With --listen: ends with the first client.")
    private boolean once;

    @Option(names = "--count", defaultValue = "5", paramLabel = "N", description = "Rounds that count. Default: ${DEFAULT-VALUE}.")
    private int count;

    @Option(names = "--warm-up", defaultValue = "2", paramLabel = "N", description = {
            "Seconds of rounds before those that count and are shown. A JVM compiles in them, at both ends. The server counts them, too.",
            "Default: ${DEFAULT-VALUE}." })
    private double warmUp;

    @Option(names = "--size", defaultValue = "64", paramLabel = "SIZE", description = "Bytes of text, up to 64KiB towards rping and 1MiB towards pverbs. Default: ${DEFAULT-VALUE}.")
    private String size;

    @Option(names = "--verify", description = "Compares what comes back with what was sent.")
    private boolean verify;

    @Option(names = "--verbose", description = "Shows the text.")
    private boolean verbose;

    @Option(names = "--json", description = "One JSON object after the last round.")
    private boolean json;

    @Mixin
    private Timeout timeout;

    @Mixin
    private ProviderOptions options;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        if ((peer == null) == (listen == null)) {
            throw new ParameterException(spec.commandLine(), "say either whom to ping, HOST[:PORT], or --listen");
        }
        if (listen != null && json) {
            throw new ParameterException(spec.commandLine(),
                    "--json describes the pings of this end, and --listen only answers: leave one out");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (listen != null) {
            InetSocketAddress address = Argument.of(spec, "--listen", listen, text -> HostPort.parseListener(text, DEFAULT_PORT)).resolve();
            Duration patience = timeout.duration(PingServer.PATIENCE);
            try (Verbs verbs = options.open();
                    PingServer server = new PingServer(options.connections(verbs), address, patience, out, verbose)) {
                server.serve(once);
            }
            return 0;
        }
        long bytes = checkedSize();
        InetSocketAddress address = Argument.checked(spec, () -> HostPort.parse(peer, DEFAULT_PORT)).resolve();
        try (Verbs verbs = options.open();
                PingClient client = new PingClient(options.towards(verbs, address, timeout.duration()), address, bytes,
                        timeout.duration())) {
            return ping(out, client, bytes, HostPort.text(address), verbs);
        }
    }

    private long checkedSize() {
        long bytes = Argument.of(spec, "--size", size, Quantity::bytes);
        if (bytes < Text.MINIMUM || bytes > MAXIMUM) {
            throw new ParameterException(spec.commandLine(), "--size is " + Text.MINIMUM + " to " + MAXIMUM + " bytes, not " + size);
        }
        if (count < 1) {
            throw new ParameterException(spec.commandLine(), "--count is 1 or more, not " + count);
        }
        if (!(warmUp >= 0 && warmUp <= LONGEST_WARM_UP)) {
            throw new ParameterException(spec.commandLine(), "--warm-up is 0 to " + LONGEST_WARM_UP + " seconds, not " + warmUp);
        }
        return bytes;
    }

    private int ping(PrintWriter out, PingClient client, long bytes, String address, Verbs verbs) {
        Histogram nanos = new Histogram(3_600_000_000_000L, 3);
        int warm = warmUp(client, bytes, address);
        for (int round = 0; round < count; round++) {
            long took;
            try {
                took = client.round(round);
            } catch (Dialogue.Disconnected e) {
                throw lost(e, " in round " + (round + 1) + " of " + count, warm == 0 && round == 0);
            }
            nanos.recordValue(took);
            boolean same = !verify || client.verify();
            if (!json && (count <= LINES || verbose || !same)) {
                out.println(line(bytes, address, round, took, same));
                if (verbose) {
                    out.println(client.text());
                }
                out.flush();
            }
            if (!same) {
                throw new Failure(Failure.Kind.PEER, "what came back from " + address + " in round " + round + " is not what was sent");
            }
        }
        if (json) {
            out.println(Json.line(describe(client, address, bytes, warm, nanos, verbs)));
        } else {
            print(out, bytes, nanos);
        }
        out.flush();
        return 0;
    }

    private String line(long bytes, String address, int round, long took, boolean same) {
        return String.format(Locale.ROOT, "%d bytes from %s: round=%d time=%.1f us%s", bytes, address, round, took / 1e3,
                verify ? same ? " verified" : " DIFFERENT" : "");
    }

    /** As many rounds as the time allows, each with its line, so that the first line costs the next round nothing; returns the number. */
    private int warmUp(PingClient client, long bytes, String address) {
        int rounds = 0;
        long end = System.nanoTime() + (long) (warmUp * 1e9);
        try {
            while (System.nanoTime() - end < 0) {
                line(bytes, address, rounds, client.round(rounds), client.verify());
                rounds++;
            }
        } catch (Dialogue.Disconnected e) {
            throw lost(e, " after " + rounds + " rounds of warm-up", rounds == 0);
        }
        return rounds;
    }

    private static Failure lost(Dialogue.Disconnected end, String when, boolean first) {
        return new Failure(Failure.Kind.PEER, end.getMessage() + when + (first ? ": is " + PingClient.SERVER + " there?" : ""), end);
    }

    private Map<String, Object> describe(PingClient client, String address, long bytes, int warm, Histogram nanos, Verbs verbs) {
        Map<String, Object> latency = new LinkedHashMap<>();
        latency.put("minimum", nanos.getMinValue() / 1e3);
        latency.put("p50", nanos.getValueAtPercentile(50) / 1e3);
        latency.put("p99", nanos.getValueAtPercentile(99) / 1e3);
        latency.put("maximum", nanos.getMaxValue() / 1e3);
        Map<String, Object> object = Json.object("ping");
        object.put("peer", address);
        object.put("provider", verbs.provider());
        object.put("device", client.device());
        object.put("warmUpRounds", warm);
        object.put("rounds", count);
        object.put("size", bytes);
        object.put("verified", verify);
        object.put("latencyMicros", latency);
        return object;
    }

    private void print(PrintWriter out, long bytes, Histogram nanos) {
        out.printf(Locale.ROOT, "%d rounds of %d bytes%s: min %.1f, p50 %.1f, p99 %.1f, max %.1f us%n", count, bytes,
                verify ? ", all verified" : "", nanos.getMinValue() / 1e3, nanos.getValueAtPercentile(50) / 1e3,
                nanos.getValueAtPercentile(99) / 1e3, nanos.getMaxValue() / 1e3);
    }
}
