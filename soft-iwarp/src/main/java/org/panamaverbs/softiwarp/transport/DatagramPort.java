package org.panamaverbs.softiwarp.transport;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;

/**
 * A UDP port. It is not connected: it sends to any address and receives from any. No call waits. One thread at a time receives and one at
 * a time sends, both at the same time if need be. As with {@link Channel}, an error is a return value.
 *
 * <p>Events are edge-triggered. A handler is notified once that datagrams can be received, and again only after {@link #receive} has
 * left a slot free or {@link #peek} has found nothing. A handler is notified that the port takes datagrams when it is added, and after each
 * {@link #send} that has left some behind. Superfluous edges do no harm.
 *
 * <p>Answers of the network (ICMP) are ignored: they are about one destination of many, and anybody can forge them.
 */
public interface DatagramPort {
    /** The call failed, or the port is closed; {@link #failure()} says why. An open port may still be used, for other destinations too. */
    int FAILED = -2;
    /** Memory of a datagram cannot be used: its arena is closed, or a mapped file was truncated. */
    int BAD_MEMORY = -3;
    /** The first datagram is longer than the system can send. */
    int TOO_LONG = -4;

    /**
     * Receives datagrams, as many as are there and find room; usually with one system call. They replace the content of the batch.
     *
     * @param into the batch
     * @return the number of datagrams in the batch, or {@link #FAILED}; 0 if none is there. A truncated datagram is not in the batch:
     *         {@link InboundDatagrams#truncated()} counts it
     */
    int receive(InboundDatagrams into);

    /** Whether this kind of port has {@link #peek}, {@link #take} and {@link #discard}. */
    default boolean canPeek() {
        return false;
    }

    /**
     * Reads the beginning of the next datagram and leaves the datagram in the queue. Peeking saves a copy of a long datagram: the caller
     * learns its place from the head, and {@link #take} makes the system put it there. For datagrams of less than some 16 KiB
     * {@link #receive} is faster, which takes many at once; {@link InboundDatagrams#meanLength()} tells which are coming.
     *
     * @param head receives the beginning, the source and the length
     * @return 1 if there is a datagram, 0 if there is none, or {@link #FAILED}
     * @throws UnsupportedOperationException if {@link #canPeek()} is false
     */
    default int peek(DatagramHead head) {
        throw new UnsupportedOperationException("this kind of transport cannot peek at datagrams");
    }

    /**
     * Takes the datagram that the last {@link #peek} has found. Its head goes to the head's memory once more, all that follows goes to a
     * place of the caller's. Only for a head that is complete and {@linkplain DatagramHead#isAlone() alone}, and only if the port received
     * nothing since that peek.
     *
     * @param head   of the last peek
     * @param place  memory of the caller's
     * @param offset the place of the first byte after the head; there is room for {@code head.length() - head.size()} bytes
     * @return the number of bytes put at the place; {@link #BAD_MEMORY} if that memory cannot be written; or {@link #FAILED}. After an error
     *         the datagram may be lost, and a part of it may be in its place
     * @throws IndexOutOfBoundsException if there is not enough room; nothing is taken
     */
    default int take(DatagramHead head, MemorySegment place, long offset) {
        throw new UnsupportedOperationException("this kind of transport cannot peek at datagrams");
    }

    /**
     * Removes the datagram that the last {@link #peek} has found, and no other one but those that came in one piece with it. Only if the port
     * received nothing since that peek. If the port fails, the next call reports it.
     *
     * @param head of the last peek
     * @throws UnsupportedOperationException if {@link #canPeek()} is false
     */
    default void discard(DatagramHead head) {
        throw new UnsupportedOperationException("this kind of transport cannot peek at datagrams");
    }

    /**
     * Sends the first datagrams of a batch, as many as the system takes now, and removes them from the batch.
     *
     * @param to   a resolved address of the port's family
     * @param from the batch; sending is fastest if all its datagrams have one length
     * @return the number of datagrams taken, 0 if the system takes none now. If none was taken because of an error: {@link #TOO_LONG} or
     *         {@link #BAD_MEMORY}, which mean the first datagram, or {@link #FAILED}
     * @throws IllegalArgumentException if the address is of another family than the port's
     */
    int send(InetSocketAddress to, OutboundDatagrams from);

    /**
     * Why a call returned {@link #FAILED}.
     *
     * @return a new exception that names the port's address, the call, and the error with its number
     */
    VerbsException failure();

    /**
     * The local address.
     *
     * @return the address with the actual port
     */
    InetSocketAddress localAddress();

    /**
     * The largest IP packet that leaves for an address in one piece: the MTU of the route, or of the interface if the address is a group.
     *
     * @param to a resolved address of the port's family
     * @return bytes with the IP header, at most 65,535
     * @throws org.panamaverbs.SystemException if there is no route
     */
    int mtu(InetSocketAddress to);

    /**
     * The bytes that the system keeps for datagrams not received yet; it counts its own overhead for each, too.
     *
     * @return bytes, which may be more or fewer than were asked for
     */
    int receiveBuffer();

    /**
     * The number of datagrams that the system dropped at this port, nearly always for lack of room; of datagrams that came in one piece
     * (GRO) it may count one. The count wraps after 2^32.
     *
     * @return the number, or -1 if the system does not tell
     */
    long dropped();

    /** Leaves the group and closes the port; further calls do nothing. The multiplexer forgets the port. */
    void close();
}
