package org.panamaverbs.softiwarp.transport;

import org.panamaverbs.UnsupportedVerbException;

/**
 * The choice of a kind of multiplexer by name: {@code epoll}, {@code nio}, {@code memory}, or {@code auto} for the first of epoll and NIO
 * that works here.
 */
public final class Multiplexers {
    /** The setting that names the TCP congestion control of every socket. */
    public static final String CONGESTION_CONTROL = "panamaverbs.softiwarp.congestion-control";

    private Multiplexers() {
    }

    /**
     * Which kind a name means here.
     *
     * @param kind   {@code epoll}, {@code nio} or {@code memory}
     * @param reason why that one, for logs: continues "transport epoll: "
     */
    public record Choice(String kind, String reason) {
        /** Opens one of this kind; see {@link Multiplexers#open}. */
        Multiplexer open(long busyPollNanos, String congestionControl) {
            return switch (kind) {
                case "epoll" ->
                    new EpollMultiplexer(Runtime.getRuntime().availableProcessors() > 1 ? busyPollNanos : 0, congestionControl);
                case "nio" -> new NioMultiplexer();
                default -> new MemoryMultiplexer();
            };
        }
    }

    /**
     * Chooses.
     *
     * @throws UnsupportedVerbException where that kind does not work here; says why not, and what does
     * @throws IllegalArgumentException where there is no such kind
     */
    public static Choice choose(String name) {
        String obstacle = LibC.unavailable();
        return switch (name) {
            case "auto" -> obstacle == null ? new Choice("epoll", "it works here") : new Choice("nio", "no epoll: " + obstacle);
            case "epoll" -> {
                if (obstacle != null) {
                    throw new UnsupportedVerbException("transport epoll is not available: " + obstacle + "; nio is, and auto chooses it");
                }
                yield new Choice(name, "by configuration");
            }
            case "nio", "memory" -> new Choice(name, "by configuration");
            default -> throw new IllegalArgumentException("transport \"" + name + "\" is not one of auto, epoll, nio, memory");
        };
    }

    /**
     * As {@link #choose(String)}, with a congestion control for TCP: Java offers no such option, and memory has no TCP.
     *
     * @param congestionControl its name, or empty to leave it to the system
     * @throws UnsupportedVerbException also if the choice is NIO and there is a name
     */
    public static Choice choose(String name, String congestionControl) {
        Choice choice = choose(name);
        if (choice.kind().equals("nio") && !congestionControl.isEmpty()) {
            throw new UnsupportedVerbException("transport nio (" + choice.reason() + ") cannot set " + CONGESTION_CONTROL + " to \""
                    + congestionControl + "\": Java has no such socket option; transport epoll (Linux) can, or leave it empty");
        }
        return choice;
    }

    /** As {@link #open(String, long, String)}, with the system's congestion control. */
    public static Multiplexer open(String name, long busyPollNanos) {
        return open(name, busyPollNanos, "");
    }

    /**
     * Chooses, and opens one of the kind chosen.
     *
     * @param busyPollNanos     how long a thread that waits looks again and again before it sleeps; only epoll can, and only where there is
     *                          another processor for those that it waits for
     * @param congestionControl see {@link #choose(String, String)}; sockets fail if the kernel refuses the name
     */
    public static Multiplexer open(String name, long busyPollNanos, String congestionControl) {
        return choose(name, congestionControl).open(busyPollNanos, congestionControl);
    }
}
