package org.panamaverbs.softiwarp.transport.kind;

import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.posix.NativeAccess;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.softiwarp.transport.shared.SharedMultiplexer;

/**
 * Chooses a kind of multiplexer by name: {@code shared-memory}, {@code epoll}, {@code nio}, or {@code auto} for shared
 * memory with epoll, epoll alone or NIO, the first of these that works here.
 */
public final class Transports {
    private static final String SHARED_MEMORY = "shared-memory";

    private Transports() {
    }

    /**
     * The kind that a name stands for on this machine.
     *
     * @param kind   {@code shared-memory}, {@code epoll} or {@code nio}
     * @param alone  whether shared memory does not fall back to epoll where a peer does not offer it
     * @param reason why this kind, for messages: continues "transport epoll: "
     */
    public record Choice(String kind, boolean alone, String reason) {
        /** Opens a multiplexer of this kind. NIO only keeps connections alive. */
        public Multiplexer open(TcpOptions options) {
            return switch (kind) {
                case SHARED_MEMORY -> new SharedMultiplexer(new EpollMultiplexer(options), alone);
                case "epoll" -> new EpollMultiplexer(options);
                default -> new NioMultiplexer(options);
            };
        }
    }

    /**
     * Chooses the kind for a name.
     *
     * @throws UnsupportedVerbException if the kind does not work here; the message says why, and what works. No kind works without native
     *                                  access, which registered memory needs as well
     * @throws IllegalArgumentException if there is no such kind
     */
    public static Choice choose(String name) {
        String denial = NativeAccess.denial();
        if (denial != null) {
            throw new UnsupportedVerbException(denial);
        }
        String noEpoll = EpollMultiplexer.unavailable();
        return switch (name) {
            case "auto" -> noEpoll == null ? best() : new Choice("nio", false, "no epoll: " + noEpoll);
            case "epoll" -> required(name, noEpoll, "nio");
            case SHARED_MEMORY ->
                noEpoll == null ? required(name, SharedMultiplexer.unavailable(), "epoll") : required(name, noEpoll, "nio");
            case "nio" -> new Choice(name, true, "by configuration");
            default -> throw new IllegalArgumentException("transport \"" + name + "\" is not one of auto, shared-memory, epoll, nio");
        };
    }

    private static Choice best() {
        String obstacle = SharedMultiplexer.unavailable();
        return obstacle == null
                ? new Choice(SHARED_MEMORY, false, "with peers of this user on this machine that offer it, and epoll with all others")
                : new Choice("epoll", false, obstacle);
    }

    private static Choice required(String name, String obstacle, String other) {
        if (obstacle != null) {
            throw new UnsupportedVerbException(
                    "transport " + name + " is not available: " + obstacle + "; " + other + " is, and auto chooses it");
        }
        return new Choice(name, true, "by configuration");
    }

    /**
     * As {@link #choose(String)}, with a congestion control for TCP. NIO has no such option.
     *
     * @param congestionControl its name, or empty to leave it to the system
     * @throws UnsupportedVerbException also if the kind is NIO and the name is not empty
     */
    public static Choice choose(String name, String congestionControl) {
        Choice choice = choose(name);
        if (choice.kind().equals("nio") && !congestionControl.isEmpty()) {
            throw new UnsupportedVerbException("transport nio (" + choice.reason() + ") cannot set " + TcpOptions.CONGESTION_CONTROL
                    + " to \"" + congestionControl + "\": Java has no such socket option; transport epoll (Linux) can, or leave it empty");
        }
        return choice;
    }

    /** As {@link #open(String, TcpOptions)}, with the system's options. */
    public static Multiplexer open(String name) {
        return open(name, TcpOptions.OF_SYSTEM);
    }

    /**
     * Chooses the kind for a name and opens a multiplexer of that kind.
     *
     * @param options their congestion control as in {@link #choose(String, String)}; if the kernel refuses it, opening a socket fails
     * @throws UnsupportedVerbException if the kind does not work here, or cannot set a congestion control
     */
    public static Multiplexer open(String name, TcpOptions options) {
        return choose(name, options.congestionControl()).open(options);
    }
}
