package org.panamaverbs.rpcrdma.limits;

import java.time.Duration;
import java.util.List;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;

/**
 * What the peers of a service may take of it, over RDMA and TCP alike. A peer is a machine ({@link org.panamaverbs.cm.PeerNetwork}); of
 * places and memory it gets as much as it leaves to the others ({@link Budget}).
 *
 * <p>A place, memory or a thread that a peer holds comes back: a connection ends that sends no first call, and one that takes no replies or
 * answers no Reads. If all places are taken, a new peer gets that of a connection that has been silent.
 */
// Tested by GateTest, ServiceLimitsTest.
public final class ServiceLimits {
    private static final int KIB = 1024;
    private static final Setting<Integer> CONNECTIONS = Setting.integer("panamaverbs.rpc.connections", 256, 1, 1 << 20,
            "Connections of a service at a time. A new one gets the place of one that is silent, or is refused");
    private static final Setting<Integer> FIRST_CALL = Setting.integer("panamaverbs.rpc.first-call", 10_000, 1, 3_600_000,
            "Milliseconds in which a connection must send its first call; else it ends");
    private static final Setting<Integer> SILENCE = Setting.integer("panamaverbs.rpc.silence", 300_000, 1, 86_400_000,
            "Milliseconds without a call after which a connection gives its place to a new one, if all places are taken");
    private static final Setting<Integer> STALL = Setting.integer("panamaverbs.rpc.stall", 30_000, 1, 3_600_000,
            "Milliseconds after which a connection ends whose peer takes no reply, answers no Read or sends no more of a call that it began");
    private static final Setting<Integer> CALLS = Setting.integer("panamaverbs.rpc.calls", 64, 1, 1024,
            "Calls of one TCP connection that are under way, until their replies are sent; further ones wait unread. Over RDMA credits limit them");
    private static final int LEAST_MEMORY = 8;
    private static final int MOST_MEMORY = 1 << 20;
    private static final Setting<Integer> MEMORY = new Setting<>("panamaverbs.rpc.memory", "0",
            "0, or " + LEAST_MEMORY + " to " + MOST_MEMORY,
            "MiB for long calls and for replies that wait, of all connections; further calls wait. 0: an eighth of the heap, and 32 at least",
            text -> text.equals("0") ? Integer.valueOf(0)
                    : Setting.integer("panamaverbs.rpc.memory", LEAST_MEMORY, LEAST_MEMORY, MOST_MEMORY, "").parser().apply(text));

    private final int connections;
    private final Duration firstCall;
    private final Duration silence;
    private final Duration stall;
    private final int calls;
    private final long memory;

    private ServiceLimits(Builder builder) {
        connections = builder.connections;
        firstCall = builder.firstCall;
        silence = builder.silence;
        stall = builder.stall;
        calls = builder.calls;
        memory = builder.memory;
    }

    /**
     * The settings.
     *
     * @return those whose names begin with {@code panamaverbs.rpc.}
     */
    public static List<Setting<?>> settings() {
        return List.of(CONNECTIONS, FIRST_CALL, SILENCE, STALL, CALLS, MEMORY);
    }

    /**
     * The limits that the settings give.
     *
     * @param configuration the settings
     * @return the limits
     */
    public static ServiceLimits of(Configuration configuration) {
        long mebibytes = configuration.get(MEMORY);
        return new Builder().connections(configuration.get(CONNECTIONS)).firstCall(Duration.ofMillis(configuration.get(FIRST_CALL)))
                .silence(Duration.ofMillis(configuration.get(SILENCE))).stall(Duration.ofMillis(configuration.get(STALL)))
                .calls(configuration.get(CALLS)).memory(mebibytes == 0 ? Builder.usualMemory() : mebibytes * KIB * KIB).build();
    }

    /**
     * Begins with the usual limits, which docs/reference/settings.md lists, whatever the settings say.
     *
     * @return a builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Chooses limits. */
    public static final class Builder {
        private static final long LEAST_MEMORY = 32L * KIB * KIB;
        private static final int SHARE_OF_HEAP = 8;

        private int connections = Integer.parseInt(CONNECTIONS.defaultText());
        private Duration firstCall = Duration.ofMillis(Integer.parseInt(FIRST_CALL.defaultText()));
        private Duration silence = Duration.ofMillis(Integer.parseInt(SILENCE.defaultText()));
        private Duration stall = Duration.ofMillis(Integer.parseInt(STALL.defaultText()));
        private int calls = Integer.parseInt(CALLS.defaultText());
        private long memory = usualMemory();

        private Builder() {
        }

        static long usualMemory() {
            return Math.max(LEAST_MEMORY, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
        }

        /**
         * Limits the connections. A peer gets half of the places at most.
         *
         * @param most 1 or more
         * @return this
         */
        public Builder connections(int most) {
            connections = (int) least("connections", most, 1);
            return this;
        }

        /**
         * Limits the time before the first call; a connection that sends none ends.
         *
         * @param time more than 0
         * @return this
         */
        public Builder firstCall(Duration time) {
            firstCall = positive("firstCall", time);
            return this;
        }

        /**
         * Chooses when a connection may lose its place to a new one.
         *
         * @param time without a call, more than 0
         * @return this
         */
        public Builder silence(Duration time) {
            silence = positive("silence", time);
            return this;
        }

        /**
         * Limits the time in which a peer must take a reply, answer a Read, or send more of a call that it began.
         *
         * @param time more than 0
         * @return this
         */
        public Builder stall(Duration time) {
            stall = positive("stall", time);
            return this;
        }

        /**
         * Limits the calls of one TCP connection that are under way, until their replies are sent. Over RDMA the credits limit them.
         *
         * @param most 1 or more
         * @return this
         */
        public Builder calls(int most) {
            calls = (int) least("calls", most, 1);
            return this;
        }

        /**
         * Limits the memory of long calls and of replies that wait, of all connections. Each connection has 64 KiB beside
         * that.
         *
         * @param bytes 1 MiB or more
         * @return this
         */
        public Builder memory(long bytes) {
            memory = least("memory", bytes, (long) KIB * KIB);
            return this;
        }

        private static long least(String name, long value, long least) {
            if (value < least) {
                throw new IllegalArgumentException(name + " is " + least + " or more, not " + value);
            }
            return value;
        }

        private static Duration positive(String name, Duration time) {
            if (!time.isPositive()) {
                throw new IllegalArgumentException(name + " is more than 0, not " + time);
            }
            return time;
        }

        /**
         * Makes the limits.
         *
         * @return the limits
         */
        public ServiceLimits build() {
            return new ServiceLimits(this);
        }
    }

    /**
     * The most connections.
     *
     * @return 1 or more
     */
    public int connections() {
        return connections;
    }

    /**
     * The time before the first call.
     *
     * @return more than 0
     */
    public Duration firstCall() {
        return firstCall;
    }

    /**
     * How long without a call a connection keeps its place for sure.
     *
     * @return more than 0
     */
    public Duration silence() {
        return silence;
    }

    /**
     * The time in which a peer must go on with what it owes.
     *
     * @return more than 0
     */
    public Duration stall() {
        return stall;
    }

    /**
     * The most calls of a TCP connection that are under way.
     *
     * @return 1 or more
     */
    public int calls() {
        return calls;
    }

    /**
     * The memory of long calls and waiting replies.
     *
     * @return bytes
     */
    public long memory() {
        return memory;
    }
}
