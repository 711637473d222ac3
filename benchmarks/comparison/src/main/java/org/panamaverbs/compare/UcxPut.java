package org.panamaverbs.compare;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts of UCX, by its own {@code ucx_perftest}.
 *
 * @param over the transport
 * @param test the test's name
 * @param size of a put, in bytes
 */
record UcxPut(Peer peer, Network network, Over over, Test test, long size) implements Subject {
    /** The transports that UCX may use. */
    enum Over {
        /** Over loopback, and nothing that is faster within one machine. */
        TCP("tcp", ENVIRONMENT),
        /** Memory that both processes map, and copies by the kernel from one to the other. */
        SHARED_MEMORY("posix, cma", Map.of("UCX_TLS", "posix,cma", "UCX_WARN_UNUSED_ENV_VARS", "n"));

        private final String words;
        private final Map<String, String> environment;

        Over(String words, Map<String, String> environment) {
            this.words = words;
            this.environment = environment;
        }
    }

    /** The measurement. */
    enum Test {
        BANDWIDTH("ucp_put_bw"), LATENCY("ucp_put_lat");

        private final String argument;

        Test(String argument) {
            this.argument = argument;
        }
    }

    UcxPut(Peer peer, Network network, long size) {
        this(peer, network, Over.TCP, Test.BANDWIDTH, size);
    }

    /** TCP over loopback, and nothing that is faster within one machine. */
    static final Map<String, String> ENVIRONMENT = Map.of("UCX_TLS", "tcp", "UCX_NET_DEVICES", "lo", "UCX_WARN_UNUSED_ENV_VARS", "n");

    private static final String ROW_OF_NUMBERS = "(?m)^(?:Final:|\\[thread \\d+\\])?\\s*(\\d+)((?:\\s+\\d+(?:\\.\\d+)?){7})\\s*$";
    private static final Pattern ROW = Pattern.compile(ROW_OF_NUMBERS);
    private static final long WARM_UP = 1000;
    /** Until it is known how fast it is. */
    private static final long PILOT = 2000;
    private static final long MOST = 200_000_000;

    @Override
    public String name() {
        return "UCX " + over.words + ", " + test.argument + " " + Sizes.text(size);
    }

    /** It runs so many puts, and not so long: a first run says how many it takes. */
    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        double rate = run(PILOT, pace.limit()).get(Metric.MESSAGES_PER_SECOND);
        return run(Math.clamp((long) (rate * pace.seconds()), PILOT, MOST), pace.limit());
    }

    private Reading run(long puts, Duration limit) throws ProgramException, InterruptedException {
        String port = Integer.toString(Programs.freePort());
        return parse(Programs.meet(
                name(), network.inside(List.of("ucx_perftest", "-p", port)), network.inside(List.of("ucx_perftest", "127.0.0.1", "-p", port,
                        "-t", test.argument, "-s", Long.toString(size), "-n", Long.toString(puts), "-w", Long.toString(WARM_UP), "-f")),
                over.environment, limit), size);
    }

    /** The last row of its table; its MB are MiB, and rounded, so the rate of messages is taken, overall: the last number. */
    static Reading parse(String table, long size) throws ProgramException {
        String overall = null;
        for (Matcher row = ROW.matcher(table); row.find();) {
            overall = row.group(2).strip();
        }
        if (overall == null) {
            throw new ProgramException("ucx_perftest said no row of numbers");
        }
        double rate = Double.parseDouble(overall.substring(overall.lastIndexOf(' ') + 1));
        if (rate <= 0) {
            throw new ProgramException("ucx_perftest said that nothing went");
        }
        Reading reading = Reading.of(Metric.MESSAGES_PER_SECOND, rate).with(Metric.BYTES_PER_SECOND, rate * size);
        // The columns behind the count: of the latency its median and its averages, which stand there for a bandwidth, too.
        return reading.with(Metric.P50_MICROS, Double.parseDouble(overall.substring(0, overall.indexOf(' '))));
    }
}
