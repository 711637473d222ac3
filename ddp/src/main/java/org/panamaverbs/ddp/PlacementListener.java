package org.panamaverbs.ddp;

import java.net.InetSocketAddress;

/**
 * Is told which bytes of a registered segment were placed. For a program that must know what came, also of messages that it is not notified
 * of: a receiver of datagrams, for example, which asks for the ones that were lost.
 */
@FunctionalInterface
public interface PlacementListener {
    /**
     * Some bytes are in place. A socket calls this on a thread of the context, one call at a time for a socket, before it indicates the
     * message; all other traffic of that thread waits meanwhile. The method must not call the context, and an exception is logged and
     * dropped.
     *
     * @param offset the offset of the first byte, counted from the start of the buffer
     * @param length bytes, 1 or more; the same bytes may be placed several times
     */
    void onPlaced(long offset, long length);

    /**
     * As {@link #onPlaced(long, long)}, which it calls unless it is overridden. A socket calls this one alone.
     *
     * @param offset as above
     * @param length as above
     * @param source the sender of the datagram, or the peer of the stream: a receiver can answer a sender whose notification was lost
     */
    default void onPlaced(long offset, long length, InetSocketAddress source) {
        onPlaced(offset, length);
    }
}
