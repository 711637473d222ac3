package org.panamaverbs.spi;

import org.panamaverbs.Capability;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;

/**
 * A queue pair whose requests are checked before the provider sees them. A provider extends this class and implements {@code submit…}: flags,
 * capability, memory, rights, bounds and lengths are right by then. The provider itself checks
 * for changes by other threads: that the queue pair is open and connected, and that a region is still valid when its memory is used.
 */
// Tested by AtomicContract, PostingContract, RegionScopeContract.
public abstract class AbstractQueuePair extends AbstractReceives implements QueuePair {
    private final ProtectionDomain domain;
    private final QueuePairAttributes attributes;

    /**
     * Makes the checks for a queue pair.
     *
     * @param domain     the domain that the queue pair belongs to
     * @param attributes with the depths and lengths that the queue pair really has
     */
    protected AbstractQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        super(new RequestChecks(domain, attributes.sendElements(), attributes.receiveElements(), attributes.inlineLength(),
                domain.device().attributes().maximumMessageSize()), attributes.sharedReceiveQueue());
        this.domain = domain;
        this.attributes = attributes;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public final QueuePairAttributes attributes() {
        return attributes;
    }

    /**
     * The ORD in force.
     *
     * @return 0 if the connection has no Reads; any other number before the queue pair is connected
     */
    protected abstract int outboundReads();

    /**
     * Posts a message that is checked and whose memory is one part.
     *
     * @param operation     the operation
     * @param id            the number that the completion repeats
     * @param region        a valid region of the domain, with the rights that the operation needs
     * @param offset        the start of the message; within the region
     * @param length        the length of the message
     * @param remoteAddress the peer's address, or 0
     * @param remoteKey     the peer's key, or 0; of a Send with Invalidate the key to invalidate
     * @param immediate     the immediate data, or 0
     * @param flags         flags that the operation can have
     * @return {@code false} if the send queue is full; then the requests that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue pair is closed
     * @throws IllegalStateException if the queue pair is not connected, or the region has been closed meanwhile
     */
    protected abstract boolean submit(SendOperation operation, long id, MemoryRegion region, long offset, long length, long remoteAddress,
            int remoteKey, int immediate, int flags);

    /**
     * Posts a message that is checked and whose memory is a list.
     *
     * @param operation     the operation
     * @param id            the number that the completion repeats
     * @param list          parts as above, no more than the queue pair takes
     * @param remoteAddress the peer's address, or 0
     * @param remoteKey     the peer's key, or 0; of a Send with Invalidate the key to invalidate
     * @param immediate     the immediate data, or 0
     * @param flags         flags that the operation can have
     * @return {@code false} if the send queue is full; then the requests that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue pair is closed
     * @throws IllegalStateException if the queue pair is not connected, or a region has been closed meanwhile
     */
    protected abstract boolean submit(SendOperation operation, long id, ScatterGatherList list, long remoteAddress, int remoteKey,
            int immediate, int flags);

    /**
     * Posts an Immediate Data message. A provider with {@link Capability#IMMEDIATE_MESSAGE} overrides it.
     *
     * @param id        the number that the completion repeats
     * @param immediate the 8 bytes
     * @param flags     flags that the operation can have
     * @return {@code false} if the send queue is full
     */
    protected boolean submitImmediate(long id, long immediate, int flags) {
        throw Capability.IMMEDIATE_MESSAGE.missingOn(domain.device());
    }

    /**
     * Posts a compare-and-swap that is checked. A provider with {@link Capability#ATOMIC} overrides it.
     *
     * @param id            the number that the completion repeats
     * @param region        the region that the previous value lands in
     * @param offset        the place that it lands at; 8 bytes within the region
     * @param remoteAddress the peer's address, a multiple of 8
     * @param remoteKey     the peer's key
     * @param expected      the value to compare with
     * @param replacement   the value to store
     * @param compareMask   the bits to compare; other than -1 only with {@link Capability#MASKED_ATOMIC}
     * @param swapMask      the bits to store; other than -1 only with {@link Capability#MASKED_ATOMIC}
     * @param flags         flags that the operation can have
     * @return {@code false} if the send queue is full
     */
    protected boolean submitCompareAndSwap(long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey, long expected,
            long replacement, long compareMask, long swapMask, int flags) {
        throw Capability.ATOMIC.missingOn(domain.device());
    }

    /**
     * Posts an addition that is checked. A provider with {@link Capability#ATOMIC} overrides it.
     *
     * @param id            the number that the completion repeats
     * @param region        the region that the previous value lands in
     * @param offset        the place that it lands at; 8 bytes within the region
     * @param remoteAddress the peer's address, a multiple of 8
     * @param remoteKey     the peer's key
     * @param summand       the number to add
     * @param boundaries    the most significant bit of each field; other than 0 only with {@link Capability#MASKED_ATOMIC}
     * @param flags         flags that the operation can have
     * @return {@code false} if the send queue is full
     */
    protected boolean submitFetchAndAdd(long id, MemoryRegion region, long offset, long remoteAddress, int remoteKey, long summand,
            long boundaries, int flags) {
        throw Capability.ATOMIC.missingOn(domain.device());
    }

    /**
     * Posts the binding of a window that is checked. A provider with windows overrides it.
     *
     * @param id     the number that the completion repeats
     * @param window a window of the domain
     * @param region a valid region of the domain that windows may be bound to
     * @param offset the start of the window; within the region
     * @param length the length of the window
     * @param access the peer's rights, which the region allows
     * @param flags  flags that the operation can have
     * @return {@code false} if the send queue is full
     */
    protected boolean submitBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        throw Capability.MEMORY_WINDOW_TYPE_1.missingOn(domain.device());
    }

    /**
     * Posts that a key is no longer valid. A provider with {@link Capability#LOCAL_INVALIDATE} overrides it.
     *
     * @param id        the number that the completion repeats
     * @param remoteKey the key, not checked
     * @param flags     flags that the operation can have
     * @return {@code false} if the send queue is full
     */
    protected boolean submitLocalInvalidate(long id, int remoteKey, int flags) {
        throw Capability.LOCAL_INVALIDATE.missingOn(domain.device());
    }

    @Override
    public final boolean tryPostSend(long id, MemoryRegion region, long offset, long length, int flags) {
        return post(SendOperation.SEND, id, region, offset, length, 0, 0, 0, flags);
    }

    @Override
    public final boolean tryPostSend(long id, ScatterGatherList list, int flags) {
        return post(SendOperation.SEND, id, list, 0, 0, 0, flags);
    }

    @Override
    public final boolean tryPostSendInvalidate(long id, MemoryRegion region, long offset, long length, int remoteKey, int flags) {
        return post(SendOperation.SEND_WITH_INVALIDATE, id, region, offset, length, 0, remoteKey, 0, flags);
    }

    @Override
    public final boolean tryPostSendInvalidate(long id, ScatterGatherList list, int remoteKey, int flags) {
        return post(SendOperation.SEND_WITH_INVALIDATE, id, list, 0, remoteKey, 0, flags);
    }

    @Override
    public final boolean tryPostSendImmediate(long id, MemoryRegion region, long offset, long length, int immediate, int flags) {
        return post(SendOperation.SEND_WITH_IMMEDIATE, id, region, offset, length, 0, 0, immediate, flags);
    }

    @Override
    public final boolean tryPostSendImmediate(long id, ScatterGatherList list, int immediate, int flags) {
        return post(SendOperation.SEND_WITH_IMMEDIATE, id, list, 0, 0, immediate, flags);
    }

    @Override
    public final boolean tryPostWrite(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
            int flags) {
        return post(SendOperation.WRITE, id, region, offset, length, remote.address(remoteOffset, length), remote.key(), 0, flags);
    }

    @Override
    public final boolean tryPostWrite(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags) {
        return post(SendOperation.WRITE, id, list, remote.address(remoteOffset, list.totalLength()), remote.key(), 0, flags);
    }

    @Override
    public final boolean tryPostWriteImmediate(long id, MemoryRegion region, long offset, long length, RemoteMemory remote,
            long remoteOffset, int immediate, int flags) {
        return post(SendOperation.WRITE_WITH_IMMEDIATE, id, region, offset, length, remote.address(remoteOffset, length), remote.key(),
                immediate, flags);
    }

    @Override
    public final boolean tryPostWriteImmediate(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int immediate,
            int flags) {
        return post(SendOperation.WRITE_WITH_IMMEDIATE, id, list, remote.address(remoteOffset, list.totalLength()), remote.key(), immediate,
                flags);
    }

    @Override
    public final boolean tryPostRead(long id, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
            int flags) {
        checkReads();
        return post(SendOperation.READ, id, region, offset, length, remote.address(remoteOffset, length), remote.key(), 0, flags);
    }

    @Override
    public final boolean tryPostRead(long id, ScatterGatherList list, RemoteMemory remote, long remoteOffset, int flags) {
        checkReads();
        return post(SendOperation.READ, id, list, remote.address(remoteOffset, list.totalLength()), remote.key(), 0, flags);
    }

    private boolean post(SendOperation operation, long id, MemoryRegion region, long offset, long length, long remoteAddress,
            int remoteKey, int immediate, int flags) {
        checks.send(operation, region, offset, length, flags);
        if (operation == SendOperation.READ) {
            checks.scope(region, this);
        }
        return submit(operation, id, region, offset, length, remoteAddress, remoteKey, immediate, flags);
    }

    private boolean post(SendOperation operation, long id, ScatterGatherList list, long remoteAddress, int remoteKey, int immediate,
            int flags) {
        checks.send(operation, list, flags);
        if (operation == SendOperation.READ) {
            for (int i = 0; i < list.size(); i++) {
                checks.scope(list.region(i), this);
            }
        }
        return submit(operation, id, list, remoteAddress, remoteKey, immediate, flags);
    }

    private void checkReads() {
        if (outboundReads() == 0) {
            throw new IllegalStateException("the connection was negotiated with an ORD of 0: it has neither Reads nor atomics");
        }
    }

    @Override
    public final boolean tryPostImmediate(long id, long immediate, int flags) {
        checks.immediate(flags);
        return submitImmediate(id, immediate, flags);
    }

    @Override
    public final boolean tryPostCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset,
            long expected, long replacement, int flags) {
        long remoteAddress = remote.address(remoteOffset, Long.BYTES);
        checks.atomic(Capability.ATOMIC, region, offset, remoteAddress, flags);
        checks.scope(region, this);
        checkReads();
        return submitCompareAndSwap(id, region, offset, remoteAddress, remote.key(), expected, replacement, -1, -1, flags);
    }

    @Override
    public final boolean tryPostMaskedCompareAndSwap(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset,
            long expected, long replacement, long compareMask, long swapMask, int flags) {
        long remoteAddress = remote.address(remoteOffset, Long.BYTES);
        checks.atomic(Capability.MASKED_ATOMIC, region, offset, remoteAddress, flags);
        checks.scope(region, this);
        checkReads();
        return submitCompareAndSwap(id, region, offset, remoteAddress, remote.key(), expected, replacement, compareMask, swapMask, flags);
    }

    @Override
    public final boolean tryPostFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset,
            long summand, int flags) {
        long remoteAddress = remote.address(remoteOffset, Long.BYTES);
        checks.atomic(Capability.ATOMIC, region, offset, remoteAddress, flags);
        checks.scope(region, this);
        checkReads();
        return submitFetchAndAdd(id, region, offset, remoteAddress, remote.key(), summand, 0, flags);
    }

    @Override
    public final boolean tryPostMaskedFetchAndAdd(long id, MemoryRegion region, long offset, RemoteMemory remote, long remoteOffset,
            long summand, long boundaries, int flags) {
        long remoteAddress = remote.address(remoteOffset, Long.BYTES);
        checks.atomic(Capability.MASKED_ATOMIC, region, offset, remoteAddress, flags);
        checks.scope(region, this);
        checkReads();
        return submitFetchAndAdd(id, region, offset, remoteAddress, remote.key(), summand, boundaries, flags);
    }

    @Override
    public final boolean tryPostBind(long id, MemoryWindow window, MemoryRegion region, long offset, long length, int access, int flags) {
        checks.bind(window, region, offset, length, access, flags);
        checks.scope(region, this);
        return submitBind(id, window, region, offset, length, access, flags);
    }

    @Override
    public final boolean tryPostLocalInvalidate(long id, int remoteKey, int flags) {
        checks.localInvalidate(flags);
        return submitLocalInvalidate(id, remoteKey, flags);
    }
}
