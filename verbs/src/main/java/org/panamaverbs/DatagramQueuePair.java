package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/**
 * A queue pair for unreliable datagrams ({@code ibv_qp}, UD): it sends to any and receives from any, one packet for each message, no
 * connection, and nobody is told of a loss. {@link ProtectionDomain#createDatagramQueuePair} makes it, ready to send.
 *
 * <p>Everything that {@link QueuePair} says of posting, order and memory holds here too; a message is no longer than the port's
 * {@link PortAttributes#activeMtu()}. The first {@link #HEADER_LENGTH} bytes of each receive are for the packet's global routing header;
 * {@link Completions#byteLength()} counts them. {@link Completions#sourceQueuePairNumber()} names the sender.
 */
// Tested by DatagramContract.
public interface DatagramQueuePair extends ReceiveQueue, AutoCloseable {
    /** The length that a receive has to hold besides the message, in bytes. */
    int HEADER_LENGTH = 40;

    /**
     * The domain it belongs to.
     *
     * @return never changes
     */
    ProtectionDomain domain();

    /**
     * The number to which peers send.
     *
     * @return unique on its device
     */
    int number();

    /**
     * Its address, for the peers: with {@link #number()}, {@link #queueKey()} and the address of the port at the place that the queue pair
     * was created with. The port is asked each time, since its identifiers can change.
     *
     * @return as of now; see {@link AddressVector#to(QueuePairPort, QueuePairAddress)}
     * @throws IllegalStateException if that place is empty and the port has no LID; or closed
     * @throws SystemException       if the port cannot be asked
     */
    QueuePairAddress address();

    /**
     * The key that datagrams to it must carry (Q_Key).
     *
     * @return 32 bits
     */
    int queueKey();

    /**
     * Its attributes.
     *
     * @return with the depths and lengths that it really has
     */
    QueuePairAttributes attributes();

    /**
     * Its state.
     *
     * @return as of now
     */
    QueuePairState state();

    /**
     * Posts a datagram.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param region   the region that the message is sent from
     * @param offset   the start of the message, in bytes from the start of the region
     * @param length   the length of the message in bytes, 0 or more
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSend(long id, MemoryRegion region, long offset, long length, AddressHandle to, int number, int queueKey, int flags);

    /**
     * As {@link #tryPostSend(long, MemoryRegion, long, long, AddressHandle, int, int, int)}, for a program that knows the queue has room.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param region   the region that the message is sent from
     * @param offset   the start of the message, in bytes from the start of the region
     * @param length   the length of the message in bytes, 0 or more
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, MemoryRegion region, long offset, long length, AddressHandle to, int number, int queueKey, int flags) {
        if (!tryPostSend(id, region, offset, length, to, number, queueKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send; the memory is a part of a segment.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param region   the region that the message is sent from
     * @param part     the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    default boolean tryPostSend(long id, MemoryRegion region, MemorySegment part, AddressHandle to, int number, int queueKey, int flags) {
        return tryPostSend(id, region, region.offsetOf(part), part.byteSize(), to, number, queueKey, flags);
    }

    /**
     * As {@link #tryPostSend(long, MemoryRegion, MemorySegment, AddressHandle, int, int, int)}, for a program that knows the queue has
     * room.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param region   the region that the message is sent from
     * @param part     the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, MemoryRegion region, MemorySegment part, AddressHandle to, int number, int queueKey, int flags) {
        if (!tryPostSend(id, region, part, to, number, queueKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send; the memory is a scatter-gather list.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param list     the message: its parts in order, as many as the queue pair takes; may be empty
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSend(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int flags);

    /**
     * As {@link #tryPostSend(long, ScatterGatherList, AddressHandle, int, int, int)}, for a program that knows the queue has room.
     *
     * @param id       a number that the completion repeats; any 64 bits
     * @param list     the message: its parts in order, as many as the queue pair takes; may be empty
     * @param to       the route to the receiver
     * @param number   the receiver's {@link #number()}
     * @param queueKey the receiver's {@link #queueKey()}
     * @param flags    {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSend(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int flags) {
        if (!tryPostSend(id, list, to, number, queueKey, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a datagram with immediate data: the completion of the receive carries 32 bits besides the message.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSendImmediate(long id, MemoryRegion region, long offset, long length, AddressHandle to, int number, int queueKey,
            int immediate, int flags);

    /**
     * As {@link #tryPostSendImmediate(long, MemoryRegion, long, long, AddressHandle, int, int, int, int)}, for a program that knows the
     * queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param offset    the start of the message, in bytes from the start of the region
     * @param length    the length of the message in bytes, 0 or more
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSendImmediate(long id, MemoryRegion region, long offset, long length, AddressHandle to, int number, int queueKey,
            int immediate, int flags) {
        if (!tryPostSendImmediate(id, region, offset, length, to, number, queueKey, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with immediate data; the memory is a part of a segment.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    default boolean tryPostSendImmediate(long id, MemoryRegion region, MemorySegment part, AddressHandle to, int number, int queueKey,
            int immediate, int flags) {
        return tryPostSendImmediate(id, region, region.offsetOf(part), part.byteSize(), to, number, queueKey, immediate, flags);
    }

    /**
     * As {@link #tryPostSendImmediate(long, MemoryRegion, MemorySegment, AddressHandle, int, int, int, int)}, for a program that knows the
     * queue has room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param region    the region that the message is sent from
     * @param part      the message: a part of the region's {@link MemoryRegion#segment()}, for example a slice
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSendImmediate(long id, MemoryRegion region, MemorySegment part, AddressHandle to, int number, int queueKey,
            int immediate, int flags) {
        if (!tryPostSendImmediate(id, region, part, to, number, queueKey, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Posts a Send with immediate data; the memory is a scatter-gather list.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPostSendImmediate(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int immediate, int flags);

    /**
     * As {@link #tryPostSendImmediate(long, ScatterGatherList, AddressHandle, int, int, int, int)}, for a program that knows the queue has
     * room.
     *
     * @param id        a number that the completion repeats; any 64 bits
     * @param list      the message: its parts in order, as many as the queue pair takes; may be empty
     * @param to        the route to the receiver
     * @param number    the receiver's {@link #number()}
     * @param queueKey  the receiver's {@link #queueKey()}
     * @param immediate 32 bits for the receiver, in no byte order: {@link Completions#immediate()} has them
     * @param flags     {@link QueuePair#SIGNALED}, {@link QueuePair#SOLICITED}, {@link QueuePair#INLINE}, {@link QueuePair#MORE}, or 0
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void postSendImmediate(long id, ScatterGatherList list, AddressHandle to, int number, int queueKey, int immediate, int flags) {
        if (!tryPostSendImmediate(id, list, to, number, queueKey, immediate, flags)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /** Rings the doorbell: requests kept by {@link QueuePair#MORE} start. */
    void ringDoorbell();

    /** Flushes what is outstanding to the completion queues, and closes it. */
    @Override
    void close();
}
