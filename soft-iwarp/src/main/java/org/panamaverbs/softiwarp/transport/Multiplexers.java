package org.panamaverbs.softiwarp.transport;

/** Opens multiplexers by the name of their kind. */
public final class Multiplexers {
    private Multiplexers() {
    }

    /**
     * Opens one.
     *
     * @param kind auto, epoll, nio or memory
     */
    public static Multiplexer open(String kind) {
        return switch (kind) {
            case "auto", "epoll" -> new EpollMultiplexer();
            default -> throw new IllegalArgumentException("no transport \"" + kind + "\"");
        };
    }
}
