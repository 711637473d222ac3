package org.panamaverbs;

/**
 * The two work queues of a reliable connection ({@code ibv_qp}, RC). Made by {@link org.panamaverbs.cm.Connector} or
 * {@link org.panamaverbs.cm.ConnectionRequest}, which also connect it.
 *
 * <p><b>Posting</b> takes a number that the completion repeats, the memory, and flags. It never waits: {@code false} says that the queue
 * is full (poll completions, then try again). With {@link #MORE} a request is kept until the next one without it, or {@link #ring()}:
 * several requests go out with one doorbell. Nothing is allocated.
 *
 * <p><b>Order.</b> Send requests start in the order posted and complete in that order. A Read may overtake neither; what a Read fetched
 * is there when it completes, and a later request that needs it carries {@link #FENCE}. A Send or Write completes when its buffer may be
 * used again, which says nothing about the peer. Unsignalled requests complete silently when they succeed, always visibly when they
 * fail; their place in the queue is free again once they, and all before them, are done.
 *
 * <p><b>Memory</b> named by a request belongs to the provider until it completes. What is sent must not change meanwhile: on soft-iwarp
 * a change between checksum and transmission ends the connection. With {@link #INLINE} the bytes are copied when posted.
 *
 * <p>Where a method takes a list instead of one part, the parts make up one message. All methods that post throw
 * {@link IndexOutOfBoundsException} for a part outside its region, {@link IllegalArgumentException} for a region of another domain,
 * without the right needed, a list that is too long, or a message longer than {@link DeviceAttributes#maximumMessageSize()}, and
 * {@link IllegalStateException} for a region or queue pair that is closed, or one not connected yet (receives excepted).
 */
public interface QueuePair extends ReceiveQueue, AutoCloseable {
    /** Starts only after all Reads posted before it have completed. */
    int FENCE = 1;
    /** Completes visibly also when it succeeds. */
    int SIGNALED = 1 << 1;
    /** Raises a solicited event at the peer; for Sends. */
    int SOLICITED = 1 << 2;
    /** Copies the bytes when posted: they may change at once. For Sends and Writes up to {@link QueuePairAttributes#inlineLength()}. */
    int INLINE = 1 << 3;
    /** Another request follows at once: do not ring the doorbell yet. */
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
     * What it is made of.
     *
     * @return with the depths and lengths that it really has, which may be greater than those asked for
     */
    QueuePairAttributes attributes();

    /**
     * Where it is in its life.
     *
     * @return as of now
     */
    QueuePairState state();

    /**
     * Posts a Send: the bytes land in the peer's next receive.
     *
     * @param id     what the completion repeats
     * @param region the memory to send from
     * @param offset where the message starts, from the region's start
     * @param length how long it is; 0 is allowed
     * @param flags  {@link #FENCE}, {@link #SIGNALED}, {@link #SOLICITED}, {@link #INLINE}, {@link #MORE}
     * @return {@code false} where the queue is full
     */
    boolean postSend(long id, MemoryRegion region, long offset, long length, int flags);

    /**
     * Posts a Send of several parts.
     *
     * @param id    what the completion repeats
     * @param list  the parts; may be empty
     * @param flags as above
     * @return {@code false} where the queue is full
     */
    boolean postSend(long id, ScatterGatherList list, int flags);

    /**
     * Posts a Send that also invalidates a memory window (type 2) of the peer, or a region where its device has
     * {@link Capability#INVALIDATE_REGION} (RFC 5040, Send with Invalidate).
     *
     * @param id        what the completion repeats
     * @param list      the parts; may be empty
     * @param remoteKey the peer's key to invalidate
     * @param flags     as above
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#SEND_WITH_INVALIDATE}
     */
    boolean postSendInvalidate(long id, ScatterGatherList list, int remoteKey, int flags);

    /**
     * Posts an RDMA Write: the bytes land in the peer's region, unseen by its program.
     *
     * @param id            what the completion repeats
     * @param region        the memory to send from
     * @param offset        where the message starts, from the region's start
     * @param length        how long it is; 0 is allowed, and then the peer checks neither key nor address
     * @param remoteAddress where it lands: the peer's {@link MemoryRegion#address()} plus an offset
     * @param remoteKey     the peer's {@link MemoryRegion#remoteKey()}
     * @param flags         {@link #FENCE}, {@link #SIGNALED}, {@link #INLINE}, {@link #MORE}
     * @return {@code false} where the queue is full
     */
    boolean postWrite(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags);

    /**
     * Posts an RDMA Write gathered from several parts.
     *
     * @param id            what the completion repeats
     * @param list          the parts; may be empty
     * @param remoteAddress where it lands
     * @param remoteKey     the peer's key
     * @param flags         as above
     * @return {@code false} where the queue is full
     */
    boolean postWrite(long id, ScatterGatherList list, long remoteAddress, int remoteKey, int flags);

    /**
     * Posts an RDMA Read: bytes of the peer's region land here, unseen by its program.
     *
     * @param id            what the completion repeats
     * @param region        needs {@link Access#LOCAL_WRITE}, and on iWARP hardware {@link Access#REMOTE_WRITE}, see
     *                      {@link Capability#READ_WITHOUT_REMOTE_WRITE}
     * @param offset        where the bytes land, from the region's start
     * @param length        how many; 0 is allowed
     * @param remoteAddress where they are: the peer's {@link MemoryRegion#address()} plus an offset
     * @param remoteKey     the peer's {@link MemoryRegion#remoteKey()}
     * @param flags         {@link #FENCE}, {@link #SIGNALED}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws IllegalStateException where the connection was agreed with an ORD of 0
     */
    boolean postRead(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey, int flags);

    /**
     * Posts a Send with immediate data: 32 bits that the receive's completion carries, besides the message.
     *
     * @param id        what the completion repeats
     * @param list      the parts; may be empty
     * @param immediate what {@link Completions#immediate()} tells the peer; any 32 bits, in no byte order
     * @param flags     as for {@link #postSend}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default boolean postSendImmediate(long id, ScatterGatherList list, int immediate, int flags) {
        throw Capability.IMMEDIATE_DATA.missingOn(domain().device());
    }

    /**
     * Posts an RDMA Write with immediate data: when the bytes have landed, it takes a receive of the peer, whose completion carries 32 bits
     * ({@link CompletionOpcode#RECEIVE_WRITE_WITH_IMMEDIATE}); the receive's memory is not touched.
     *
     * @param id            what the completion repeats
     * @param region        the memory to send from
     * @param offset        where the message starts, from the region's start
     * @param length        how long it is; 0 is allowed
     * @param remoteAddress where it lands: the peer's {@link MemoryRegion#address()} plus an offset
     * @param remoteKey     the peer's {@link MemoryRegion#remoteKey()}
     * @param immediate     what {@link Completions#immediate()} tells the peer; any 32 bits
     * @param flags         {@link #FENCE}, {@link #SIGNALED}, {@link #SOLICITED}, {@link #INLINE}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#IMMEDIATE_DATA}
     */
    default boolean postWriteImmediate(long id, MemoryRegion region, long offset, long length, long remoteAddress, int remoteKey,
            int immediate, int flags) {
        throw Capability.IMMEDIATE_DATA.missingOn(domain().device());
    }

    /**
     * Posts an atomic compare-and-swap of 8 bytes of the peer's memory, as a number in the byte order of the peer's machine: where they are
     * {@code expected} they become {@code replacement}. What they were lands here.
     *
     * @param id            what the completion repeats
     * @param region        needs {@link Access#LOCAL_WRITE}
     * @param offset        where the 8 bytes that were there land, from the region's start
     * @param remoteAddress a multiple of 8; the peer's region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteKey     the peer's {@link MemoryRegion#remoteKey()}
     * @param expected      what they are compared with
     * @param replacement   what they become
     * @param flags         {@link #FENCE}, {@link #SIGNALED}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException    where the connection was agreed with an ORD of 0
     */
    default boolean postCompareAndSwap(long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey, long expected,
            long replacement, int flags) {
        throw Capability.ATOMIC.missingOn(domain().device());
    }

    /**
     * Posts an atomic addition to 8 bytes of the peer's memory, as a number in the byte order of the peer's machine. What they were lands
     * here.
     *
     * @param id            what the completion repeats
     * @param region        needs {@link Access#LOCAL_WRITE}
     * @param offset        where the 8 bytes that were there land, from the region's start
     * @param remoteAddress a multiple of 8; the peer's region needs {@link Access#REMOTE_ATOMIC}
     * @param remoteKey     the peer's {@link MemoryRegion#remoteKey()}
     * @param summand       what is added; what does not fit 64 bits is lost
     * @param flags         {@link #FENCE}, {@link #SIGNALED}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#ATOMIC}
     * @throws IllegalStateException    where the connection was agreed with an ORD of 0
     */
    default boolean postFetchAndAdd(long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey, long summand,
            int flags) {
        throw Capability.ATOMIC.missingOn(domain().device());
    }

    /**
     * Posts the binding of a memory window to a part of a region: once it has completed, the peer may use that part by the window's new
     * {@link MemoryWindow#remoteKey()}, which is known when this returns. Binding a window of type 1 anew replaces what it was bound to, and
     * to a length of 0 unbinds it; one of type 2 is invalidated first.
     *
     * @param id     what the completion repeats
     * @param window of this domain
     * @param region registered with {@link Access#BIND_MEMORY_WINDOW}, and with {@link Access#LOCAL_WRITE} where the peer may write
     * @param offset where the window starts, from the region's start
     * @param length how long it is
     * @param access the bits of {@link Access} for the peer: {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ},
     *               {@link Access#REMOTE_ATOMIC}
     * @param flags  {@link #FENCE}, {@link #SIGNALED}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     */
    default boolean postBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        throw (window.type() == MemoryWindow.Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1 : Capability.MEMORY_WINDOW_TYPE_2)
                .missingOn(domain().device());
    }

    /**
     * Posts that a key of our own is no longer valid: that of a memory window of type 2, or of a region where the device has
     * {@link Capability#INVALIDATE_REGION}. A region is closed as ever afterwards.
     *
     * @param id        what the completion repeats
     * @param remoteKey {@link MemoryWindow#remoteKey()} or {@link MemoryRegion#remoteKey()}
     * @param flags     {@link #FENCE}, {@link #SIGNALED}, {@link #MORE}
     * @return {@code false} where the queue is full
     * @throws UnsupportedVerbException without {@link Capability#LOCAL_INVALIDATE}
     */
    default boolean postLocalInvalidate(long id, int remoteKey, int flags) {
        throw Capability.LOCAL_INVALIDATE.missingOn(domain().device());
    }

    /** Rings the doorbell: requests kept by {@link #MORE} start. */
    void ring();

    /**
     * What it has carried.
     *
     * @return a snapshot
     * @throws UnsupportedVerbException without {@link Capability#PLACEMENT_STATISTICS}
     */
    QueuePairStatistics statistics();

    /**
     * Ends its connection at once, flushes what is outstanding to the completion queues, and closes it. To send what was posted, use
     * {@link org.panamaverbs.cm.Connection#disconnect()} and wait for the end first.
     */
    @Override
    void close();
}
