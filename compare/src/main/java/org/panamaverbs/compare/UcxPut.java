package org.panamaverbs.compare;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Puts of UCX over TCP, by its own {@code ucx_perftest}.
 *
 * @param size of a put, in bytes
 */
record UcxPut(Peer peer, Network network, long size) implements Subject {
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
        return "UCX tcp, ucp_put_bw " + Sizes.text(size);
    }

    /** It runs so many puts, and not so long: a first run says how many it takes. */
    @Override
    public Reading measure(Pace pace) throws PeerException, InterruptedException {
        double rate = run(PILOT, pace.limit()).get(Metric.MESSAGES_PER_SECOND);
        return run(Math.clamp((long) (rate * pace.seconds()), PILOT, MOST), pace.limit());
    }

    private Reading run(long puts, Duration limit) throws PeerException, InterruptedException {
        String port = Integer.toString(Programs.freePort());
        return parse(Programs.meet(name(), network.inside(List.of("ucx_perftest", "-p", port)),
                network.inside(List.of("ucx_perftest", "127.0.0.1", "-p", port, "-t", "ucp_put_bw", "-s", Long.toString(size), "-n",
                        Long.toString(puts), "-w", Long.toString(WARM_UP), "-f")),
                ENVIRONMENT, limit), size);
    }

    /** The last row of its table; its MB are MiB, and rounded, so the rate of messages is taken, overall: the last number. */
    static Reading parse(String table, long size) throws PeerException {
        String overall = null;
        for (Matcher row = ROW.matcher(table); row.find();) {
            overall = row.group(2).strip();
        }
        if (overall == null) {
            throw new PeerException("ucx_perftest said no row of numbers");
        }
        double rate = Double.parseDouble(overall.substring(overall.lastIndexOf(' ') + 1));
        if (rate <= 0) {
            throw new PeerException("ucx_perftest said that nothing went");
        }
        return Reading.of(Metric.MESSAGES_PER_SECOND, rate).with(Metric.BYTES_PER_SECOND, rate * size);
    }
}
