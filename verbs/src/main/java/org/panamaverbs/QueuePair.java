package org.panamaverbs;

import org.panamaverbs.device.DeviceAttributes;

/**
 * The two work queues of a reliable connection ({@code ibv_qp}, RC). {@link org.panamaverbs.cm.Connector} and
 * {@link org.panamaverbs.cm.ConnectionRequest} make it and connect it; an {@link AddressedQueuePair} connects without them.
 *
 * <p><b>Posting</b> takes a number that the completion repeats, the memory, and flags. It never waits and allocates nothing. A
 * {@code tryPost…} method returns {@code false} if the queue is full: then the program polls completions and posts again. The
 * {@code post…} method of the same name throws {@link QueueFullException} instead, so that a request cannot be lost by a result that is
 * ignored. With {@link #MORE} a request waits for the next one without it, or for {@link #ringDoorbell()}: several requests go out with one
 * doorbell.
 *
 * <p><b>Memory</b> is named in one of three forms: a region with an offset and a length; a region and a part of its segment; a
 * {@link ScatterGatherList}, whose parts make up one message. It belongs to the provider until the request completes. Memory that is sent
 * must not change until then: if the program changes it between checksum and transmission, soft-iwarp's connection ends. If a peer with
 * rights to that same region changes it, the connection goes on, because soft-iwarp copies such memory before it computes the checksum. With
 * {@link #INLINE} the bytes are copied when the request is posted. The peer's memory is a {@link RemoteMemory} and an offset in it.
 *
 * <p><b>Order.</b> Send requests start in the order posted and complete in that order. A Read may overtake neither; the bytes that a Read
 * fetched are there when it completes, and a later request that needs them carries {@link #FENCE}. A Send or Write completes when its memory
 * may be used again, which says nothing about the peer. A request without {@link #SIGNALED} that succeeds completes silently; one that fails
 * always completes visibly. Its place in the queue is free again once it, and all before it, are done.
 *
 * <p><b>Errors.</b> The checks are the same for every provider, and nothing is posted if one fails. All methods that post throw
 * {@link IndexOutOfBoundsException} for a part outside its region or outside the peer's memory; {@link IllegalArgumentException} for a
 * region of another domain, a region without the right that the request needs, a flag that the request cannot have, a list that is too long,
 * or a message longer than {@link DeviceAttributes#maximumMessageSize()}; {@link IllegalStateException} for a region that is closed, or a
 * queue pair that is not connected yet (receives excepted); and {@link ClosedException} for a queue pair that is closed.
 */
public interface QueuePair extends SendVerbs, RemoteVerbs, KeyVerbs, ReceiveQueue, AutoCloseable {
    /** The request starts only after all Reads posted before it have completed. */
    int FENCE = 1;
    /** The request completes visibly also if it succeeds. */
    int SIGNALED = 1 << 1;
    /** The message raises a solicited event at the peer; for requests that take a receive there. */
    int SOLICITED = 1 << 2;
    /** The bytes are copied when posted and may change at once. For Sends and Writes up to {@link QueuePairAttributes#inlineLength()}. */
    int INLINE = 1 << 3;
    /** Another request follows at once: the doorbell waits for it. A flag needs no object for a batch. */
    int MORE = 1 << 16;

    /**
     * The domain it belongs to.
     *
     * @return never changes
     */
    ProtectionDomain domain();

    /**
     * The number that completions repeat.
     *
     * @return unique on its device
     */
    int number();

    /**
     * Its attributes.
     *
     * @return with the depths and lengths that it really has, which may be greater than those asked for
     */
    QueuePairAttributes attributes();

    /**
     * Its state.
     *
     * @return as of now
     */
    QueuePairState state();

    /**
     * How many requests the send queue has room for. A request leaves the queue once it is done; one that is not signaled may stay until a
     * later one completes, and on devices until that completion is polled.
     *
     * @return 0 to {@link QueuePairAttributes#sendDepth()}; a thread that alone posts can post at least so many
     */
    int sendRoom();

    /** Rings the doorbell: requests kept by {@link #MORE} start. */
    void ringDoorbell();

    /**
     * Its statistics: the traffic that it has carried.
     *
     * @return a snapshot
     * @throws UnsupportedVerbException without {@link Capability#PLACEMENT_STATISTICS}
     */
    default QueuePairStatistics statistics() {
        throw Capability.PLACEMENT_STATISTICS.missingOn(domain().device());
    }

    /**
     * Ends its connection at once, flushes what is outstanding to the completion queues, and closes it. To send what was posted, use
     * {@link org.panamaverbs.cm.Connection#disconnect()} and wait for the end first.
     */
    @Override
    void close();
}
