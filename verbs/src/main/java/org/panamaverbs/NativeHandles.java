package org.panamaverbs;

import java.lang.foreign.MemorySegment;

/**
 * The objects of libibverbs behind those of a device, for calls that this library does not have: an extension of devices of the provider
 * rdma-core ({@link Device#extension}). soft-iwarp has none, as nothing native is behind it.
 *
 * <p>A handle is the address of the object of the C library, as a segment of no bytes. It is valid until its object, or a parent of that,
 * closes: no thread may use it from the moment at which a thread begins to close one of these, and nothing checks that. The device remains
 * this library's: a program does not destroy an object by its handle, post to its queues, poll its completion queue, acknowledge its events
 * or change the state of its queue pair. It may read, query, and set what this library does not set.
 *
 * <p>Each method throws {@link ClosedException} if the object is closed, and {@link IllegalArgumentException} if it belongs to
 * another device.
 */
@Incubating("which objects have handles, and what a program may do with them")
public interface NativeHandles {
    /** {@return the {@code ibv_context} of the device} */
    MemorySegment context();

    /**
     * The {@code ibv_pd} of a protection domain.
     *
     * @param domain of this device
     * @return its address
     */
    MemorySegment of(ProtectionDomain domain);

    /**
     * The {@code ibv_mr} of a memory region.
     *
     * @param region of this device
     * @return its address
     */
    MemorySegment of(MemoryRegion region);

    /**
     * The {@code ibv_cq} of a completion queue.
     *
     * @param queue of this device
     * @return its address
     */
    MemorySegment of(CompletionQueue queue);

    /**
     * The {@code ibv_srq} of a shared receive queue.
     *
     * @param queue of this device
     * @return its address
     */
    MemorySegment of(SharedReceiveQueue queue);

    /**
     * The {@code ibv_qp} of a queue pair of any kind.
     *
     * @param queuePair of this device
     * @return its address
     */
    MemorySegment of(QueuePair queuePair);
}
