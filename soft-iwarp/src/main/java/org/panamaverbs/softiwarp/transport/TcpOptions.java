package org.panamaverbs.softiwarp.transport;

import org.panamaverbs.Setting;

/**
 * The options that a multiplexer sets on its TCP sockets, and the time that their peers may be silent.
 *
 * @param congestionControl the name of the congestion control; empty leaves it to the system
 * @param keepAliveMillis   after this time an idle connection ends if its peer answers no probe; 0 for never
 * @param userTimeoutMillis after this time a connection ends if its peer acknowledges no sent data; 0 leaves it to the system
 */
public record TcpOptions(String congestionControl, int keepAliveMillis, int userTimeoutMillis) {
    /** Leaves all to the system. */
    public static final TcpOptions OF_SYSTEM = new TcpOptions("", 0, 0);
    /** The name of the setting for the TCP congestion control of every socket. */
    public static final String CONGESTION_CONTROL = "panamaverbs.softiwarp.congestion-control";
    /** The longest time of both settings, in milliseconds. Linux counts at most 32,767 s before the first probe. */
    private static final int LONGEST_MILLIS = 3_600_000;
    /** Systems delay acknowledgements, Linux by 200 ms at most, RFC 9293, 3.8.6.3 by less than 500 ms. */
    private static final int SHORTEST_USER_TIMEOUT = 500;
    /** The setting {@code keepalive}. */
    public static final Setting<Integer> KEEPALIVE = Setting.integer("panamaverbs.softiwarp.keepalive", 20_000, 0, LONGEST_MILLIS,
            "Milliseconds after which an idle connection ends if its peer answers no probe. The time counts in whole seconds, 2 at "
                    + "least, and the first probe leaves after half of it; 0: no probes");
    /** The setting {@code user-timeout}. */
    public static final Setting<Integer> USER_TIMEOUT = new Setting<>("panamaverbs.softiwarp.user-timeout", "20000",
            "0, or " + SHORTEST_USER_TIMEOUT + " to " + LONGEST_MILLIS,
            "Milliseconds after which a connection ends if its peer neither acknowledges sent data nor answers that it has no room (epoll "
                    + "only); 0: the time of the system",
            TcpOptions::userTimeoutOf);
    private static final int SHORTEST_PAUSE = 1_000;
    private static final int LONGEST_PAUSE = 120_000;
    private static final int PROBES = 5;
    private static final int MILLIS = 1000;

    /**
     * The times of the kernel's probes of an idle connection, in seconds: idle + interval * probes is the whole time.
     *
     * @param idle     seconds until the first probe
     * @param interval seconds until the next one
     * @param probes   the number of probes without an answer after which the connection ends
     */
    public record KeepAlive(int idle, int interval, int probes) {
    }

    /** Options with this congestion control that leave the rest to the system. */
    public static TcpOptions withCongestionControl(String name) {
        return new TcpOptions(name, 0, 0);
    }

    private static int userTimeoutOf(String text) {
        int millis;
        try {
            millis = Integer.parseInt(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("is not a whole number", e);
        }
        if (millis != 0 && (millis < SHORTEST_USER_TIMEOUT || millis > LONGEST_MILLIS)) {
            throw new IllegalArgumentException("is neither 0 nor between " + SHORTEST_USER_TIMEOUT + " and " + LONGEST_MILLIS
                    + ": a living peer may delay an acknowledgement by almost " + SHORTEST_USER_TIMEOUT + " ms");
        }
        return millis;
    }

    /**
     * The longest pause between two attempts of the kernel to send again, and between two probes of a peer that has no room, in milliseconds:
     * a quarter of the user time-out, so that a silence is found soon after it; within the kernel's limits.
     */
    public int longestPause() {
        return Math.clamp(userTimeoutMillis / 4, SHORTEST_PAUSE, LONGEST_PAUSE);
    }

    /** Whether connections are probed. */
    public boolean keepsAlive() {
        return keepAliveMillis > 0;
    }

    /** The first probe leaves after half of the time; five probes share the other half. In whole seconds, 2 at least. */
    public KeepAlive keepAlive() {
        int whole = Math.max(2, Math.ceilDiv(keepAliveMillis, MILLIS));
        int idle = whole / 2;
        int interval = Math.ceilDiv(whole - idle, PROBES);
        return new KeepAlive(idle, interval, (whole - idle) / interval);
    }
}
