package org.panamaverbs.ddp;

import java.net.InetSocketAddress;

/**
 * Hears which bytes of a registered buffer were placed, for a program that must know which ones are still missing.
 *
 * <p>A socket calls it on a thread of the context, one call at a time for a socket, and all other traffic of that thread waits meanwhile. So
 * the method should be quick. It must not call the context that calls it. An exception that it throws ends a stream with that reason; over
 * datagrams the message counts as refused by the buffer, and gives no indication.
 */
@FunctionalInterface
public interface PlacementListener {
    /**
     * Bytes were placed. The call comes before the notification of their message. A message can be reported in several pieces, and the
     * pieces of a message that a stream's end cuts off are reported as well. Bytes that come again are reported again. A message without
     * payload is reported with length 0.
     *
     * @param offset of the first byte, counted from the start of the buffer
     * @param length bytes, 0 or more; all of them lie within the buffer
     * @param source the sender of a datagram, or the peer of a stream; the same object as in the call before while the sender is the same
     */
    void onPlaced(long offset, long length, InetSocketAddress source);
}
