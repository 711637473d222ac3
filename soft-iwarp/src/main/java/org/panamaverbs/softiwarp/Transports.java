package org.panamaverbs.softiwarp;

import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;
import org.panamaverbs.softiwarp.transport.memory.MemoryMultiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/**
 * The choice of a kind of multiplexer by name: {@code epoll}, {@code nio}, {@code memory}, or {@code auto} for the first of epoll and NIO
 * that works here.
 */
public final class Transports {
    private Transports() {
    }

    /**
     * Which kind a name means here.
     *
     * @param kind   {@code epoll}, {@code nio} or {@code memory}
     * @param reason why that one, for logs: continues "transport epoll: "
     */
    public record Choice(String kind, String reason) {
        /** Opens one of this kind. */
        Multiplexer open() {
            return switch (kind) {
                case "epoll" -> new EpollMultiplexer();
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
        String obstacle = EpollMultiplexer.unavailable();
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
     * Chooses, and opens one of the kind chosen.
     *
     * @throws UnsupportedVerbException if that kind does not work here
     */
    public static Multiplexer open(String name) {
        return choose(name).open();
    }
}
