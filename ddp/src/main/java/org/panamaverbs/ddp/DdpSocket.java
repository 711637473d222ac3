package org.panamaverbs.ddp;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;

/**
 * One end of a DDP transport ({@code socket_t} and the operations of RFC 4296, 2.1.2). A socket places tagged messages at any time, also
 * while no thread of the program uses it.
 *
 * <p>The sending methods return when the message's memory may change again: the transport has taken or copied all of it. They wait for
 * room as long as {@link DdpOptions#sendTimeout()}. If that time is up within a message, a stream ends, because the peer could not find
 * the next message.
 */
// Tested by MemorySocketTest, DatagramSocketTest.
public interface DdpSocket extends AutoCloseable {
    /** A flag of {@link #sendDdp}: ask the receiver for a notification with the message identifier. */
    int NOTIFY = 1;
    /** A flag of {@link #sendDdp}: send the message whole in one message of the transport, or not at all. */
    int ATOMIC = 2;

    /**
     * The transport.
     *
     * @return never changes
     */
    DdpTransport transport();

    /**
     * The local address.
     *
     * @return with the actual port
     */
    InetSocketAddress localAddress();

    /**
     * The peer, or the destination of datagrams.
     *
     * @return empty for a datagram socket that was opened without a destination
     */
    Optional<InetSocketAddress> remoteAddress();

    /**
     * Sends an untagged message ({@code ddp_send}).
     *
     * @param message native memory
     * @param offset  the offset of the first byte
     * @param length  bytes, 0 or more
     * @throws IllegalArgumentException  if the message is not in native memory, or is longer than this transport carries
     * @throws IndexOutOfBoundsException if the bytes do not lie within the segment
     * @throws IllegalStateException     if the arena of the segment is closed, or the socket has no destination
     * @throws VerbsTimeoutException     if the transport took the message in part or not at all within the send time-out
     * @throws PeerException             if the peer has ended the stream
     * @throws SystemException           if the system refuses to send
     * @throws WaitInterruptedException  if the thread was interrupted while it waited
     * @throws ClosedException           if the socket is closed, also while waiting
     */
    void send(MemorySegment message, long offset, long length);

    /**
     * Sends a tagged message ({@code ddp_send_ddp}). If it is longer than {@link MessageSizes#tagged()}, it is split into parts, and only
     * the last part asks for a notification.
     *
     * @param message      native memory
     * @param offset       the offset of the first byte
     * @param length       bytes; 0 only with {@link #NOTIFY}
     * @param stag         the STag of the peer's buffer
     * @param taggedOffset the offset in that buffer at which to place the first byte, unsigned
     * @param flags        the sum of {@link #NOTIFY} and {@link #ATOMIC}, or 0
     * @param messageId    the identifier for the notification; 31 bits over DDPP, 7 bits over RFC 5041; ignored without {@link #NOTIFY}
     * @throws IllegalArgumentException also if {@link #ATOMIC} is set and the message does not fit, or if it has 2^32 bytes or
     *                                  more over MPA or SCTP (RFC 5041, 5.2); then nothing is sent
     */
    void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId);

    /**
     * Sends a tagged message without a notification.
     *
     * @param message native memory
     * @param offset  the offset of the first byte
     * @param length  bytes, 1 or more
     * @param to      the place of the first byte in the peer's buffer
     */
    default void sendDdp(MemorySegment message, long offset, long length, BufferAddress to) {
        sendDdp(message, offset, length, to.stag(), to.offset(), 0, 0);
    }

    /**
     * Sends a tagged message and asks for a notification.
     *
     * @param message   native memory
     * @param offset    the offset of the first byte
     * @param length    bytes, 0 or more
     * @param to        the place of the first byte in the peer's buffer
     * @param messageId 31 bits over DDPP, 7 bits over RFC 5041
     */
    default void sendDdp(MemorySegment message, long offset, long length, BufferAddress to, int messageId) {
        sendDdp(message, offset, length, to.stag(), to.offset(), NOTIFY, messageId);
    }

    /**
     * Registers memory or a mapped file on this socket alone ({@code ddp_register}).
     *
     * @param memory     native, and usable by any thread
     * @param attributes the STag and the first offset
     * @return to be closed
     * @throws IllegalArgumentException if the segment is not native, is empty or read-only, or belongs to one thread; if the offsets exceed
     *                                  2^64; or if the chosen STag is in use on this socket
     * @throws IllegalStateException    if the segment's arena is closed
     * @throws ResourceException        if the socket has no room for another registration
     */
    RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes);

    /**
     * As {@link #register(MemorySegment, BufferAttributes)} with a random STag and offsets from 0.
     *
     * @param memory native, and usable by any thread
     * @return to be closed
     */
    default RegisteredBuffer register(MemorySegment memory) {
        return register(memory, BufferAttributes.DEFAULT);
    }

    /**
     * As {@link #register(MemorySegment, BufferAttributes)}, with a listener for placements.
     *
     * @param memory     native, and usable by any thread
     * @param attributes the STag and the first offset
     * @param listener   is told of each placement of a tagged message
     * @return to be closed
     */
    RegisteredBuffer register(MemorySegment memory, BufferAttributes attributes, PlacementListener listener);

    /**
     * Registers a buffer of the program's own kind on this socket alone, for tagged messages.
     *
     * @param buffer     its bytes are set by the socket's thread
     * @param attributes the STag and the first offset
     * @return to be closed
     */
    RegisteredBuffer register(DdpBuffer buffer, BufferAttributes attributes);

    /**
     * Posts a part of a buffer for one untagged message ({@code ddp_post_recv}). Messages take receives in the order of posting, first
     * those of the socket, then those of its group.
     *
     * @param buffer memory that is registered on this socket or its group
     * @param offset the offset in the buffer
     * @param length bytes, 0 or more
     * @return {@code false} if as many receives are posted as {@link DdpOptions#receives()} allows
     * @throws IllegalArgumentException if the buffer is a {@link DdpBuffer} or is not registered here
     */
    boolean tryPostReceive(RegisteredBuffer buffer, long offset, long length);

    /**
     * As {@link #tryPostReceive} with the whole buffer.
     *
     * @param buffer memory that is registered on this socket or its group
     * @throws ResourceException if as many receives are posted as the options allow
     */
    void postReceive(RegisteredBuffer buffer);

    /**
     * Makes an indication for {@link #receive} and {@link #poll}.
     *
     * @return of kind {@link Indication.Kind#NONE}
     */
    Indication newIndication();

    /**
     * Takes the oldest indication, and waits for it if there is none ({@code ddp_recv}). While the program takes none, at most
     * {@link DdpOptions#indications()} wait; then the socket stops receiving, and placing, until the program takes one.
     *
     * @param into    is filled; made by this socket or another one
     * @param timeout how long to wait at most
     * @return {@code false} if none came in time; then {@code into} does not change
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the socket is closed, also while waiting; or if an {@link Indication.Kind#END} or
     *                                  {@link Indication.Kind#ERROR} was taken before
     */
    boolean receive(Indication into, Duration timeout);

    /**
     * As {@link #receive}, without waiting. A thread that spins on this also moves the protocol on.
     *
     * @param into is filled
     * @return {@code false} if there is none
     */
    boolean poll(Indication into);

    /**
     * The longest messages that the transport carries whole ({@code ddp_max_msizes}).
     *
     * @return may change with the path
     */
    MessageSizes maximumSizes();

    /**
     * Returns how much the socket has carried and dropped.
     *
     * @return a snapshot; the counts may be from slightly different moments
     */
    DdpCounters counters();

    /**
     * Ends our direction of a stream in good order: all that was sent arrives before the peer's {@link Indication.Kind#END}. Receiving
     * goes on. Does nothing on datagrams.
     */
    void shutdownOutput();

    /** Closes the socket and ends the registrations on it. What was sent before is still delivered, where the transport can. */
    @Override
    void close();
}
