package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.QueuePairPort;

/** A domain that keeps strangers apart: queue pairs and regions work together only within one domain ({@code ibv_pd}; RFC 5040, 8.1.1). */
// Tested by RegistrationContract, MemoryContract.
public interface ProtectionDomain extends AutoCloseable {
    /** {@return the device it belongs to; never changes} */
    Device device();

    /**
     * Registers memory, so that requests and the peer may use it, at an address and by a key of the provider's choice.
     *
     * @param segment 1 byte or more
     * @param access  the rights; without any, the memory can only be sent from
     * @return closed by the caller, or with the domain
     * @throws IllegalArgumentException as {@link #register(MemorySegment, RegistrationAttributes)}
     * @throws IllegalStateException    if the segment's arena is closed
     * @throws UnsupportedVerbException for a right that the device does not have
     * @throws ResourceException        if a limit is reached
     * @throws ClosedException          if the domain is closed
     */
    default MemoryRegion register(MemorySegment segment, Set<Access> access) {
        return register(segment, RegistrationAttributes.of(access));
    }

    /**
     * As {@link #register(MemorySegment, Set)}, for rights that stand in the program's text.
     *
     * @param segment 1 byte or more
     * @param access  the rights; without any, the memory can only be sent from
     * @return closed by the caller, or with the domain
     * @throws IllegalArgumentException as {@link #register(MemorySegment, RegistrationAttributes)}
     * @throws IllegalStateException    if the segment's arena is closed
     * @throws UnsupportedVerbException for a right that the device does not have
     * @throws ResourceException        if a limit is reached
     * @throws ClosedException          if the domain is closed
     */
    default MemoryRegion register(MemorySegment segment, Access... access) {
        return register(segment, RegistrationAttributes.of(access));
    }

    /**
     * Registers memory, so that requests and the peer may use it.
     *
     * <p>While it is registered its arena cannot be closed ({@link java.lang.foreign.Arena#close} is refused), nor is its memory collected:
     * close the regions, or what they belong to, before the arena. A {@link RegistrableArena} counts its registrations; for each other arena
     * that can be closed a thread is needed, so that 1,024 of them at a time can have registered memory.
     *
     * <p>The segment is off-heap and of an arena that any thread may use (shared, automatic, global): mapped files are fine, of any
     * length. Its offsets in this API count from its start; the peer's addresses from {@link MemoryRegion#address()}.
     *
     * @param segment    1 byte or more
     * @param attributes rights, address, key
     * @return closed by the caller, or with the domain
     * @throws IllegalArgumentException for a heap segment, a confined one, an empty one, a right that needs another, the right to write
     *                                  memory that is read-only, an address that the device cannot give, a reserved key, a queue pair of
     *                                  another domain, or an invalidator that is not the scope
     * @throws IllegalStateException    if the segment's arena is closed
     * @throws UnsupportedVerbException for a right or a choice that the device does not have
     * @throws ResourceException        if a limit is reached, or the key is another region's
     * @throws ClosedException          if the domain is closed
     */
    MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes);

    /**
     * Registers memory of another device, as a graphics card's, without its ever being in this machine's memory
     * ({@code ibv_reg_dmabuf_mr}). {@link MemoryRegion#segment()} has no bytes, and requests cannot be {@link SendRequest#inline()}.
     *
     * @param descriptor the file descriptor of the dma-buf; needed only during the call
     * @param offset     the start of the region in it, in bytes
     * @param length     how long it is, 1 byte or more
     * @param access     the rights
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#DMA_BUF}
     * @throws SystemException          if the descriptor is not one of a dma-buf
     * @throws ClosedException          if the domain is closed
     */
    @Incubating("no device has run it yet")
    default MemoryRegion registerDmaBuf(int descriptor, long offset, long length, Set<Access> access) {
        throw Capability.DMA_BUF.missingOn(device());
    }

    /**
     * Allocates a memory window, bound to nothing yet.
     *
     * @param type the queue pairs that it lets in when bound
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#MEMORY_WINDOW_TYPE_1} or {@link Capability#MEMORY_WINDOW_TYPE_2}
     * @throws ResourceException        if a limit is reached
     * @throws ClosedException          if the domain is closed
     */
    default MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
        throw (type == MemoryWindow.Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1 : Capability.MEMORY_WINDOW_TYPE_2).missingOn(device());
    }

    /**
     * Creates a queue of receives that queue pairs share, see {@link QueuePairAttributes#withSharedReceiveQueue}.
     *
     * @param depth    the least number of receives that it holds, 1 or more
     * @param elements the most elements of a list to receive into, 1 or more
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#SHARED_RECEIVE_QUEUE}
     * @throws IllegalArgumentException for numbers beyond the device's limits
     * @throws ClosedException          if the domain is closed
     */
    default SharedReceiveQueue createSharedReceiveQueue(int depth, int elements) {
        throw Capability.SHARED_RECEIVE_QUEUE.missingOn(device());
    }

    /**
     * Creates a queue pair that connects by the peer's address, without a connection manager. Receives can be posted at once.
     *
     * @param attributes its queues, depths and lengths
     * @param port       the port, the address and the partition that it uses
     * @param rights     the rights that the peer's requests can have at all, whatever the rights of regions: {@link Access#REMOTE_WRITE},
     *                   {@link Access#REMOTE_READ}, {@link Access#REMOTE_ATOMIC}. Without any the peer can only send messages
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#CONNECT_BY_ADDRESS}, or for a right that the device does not have
     * @throws IllegalArgumentException for a completion queue of another device, no such port or place in its tables, another right, or
     *                                  numbers beyond the device's limits
     * @throws ResourceException        if a limit is reached, or a completion queue with admission has no room
     * @throws ClosedException          if the domain is closed
     */
    default AddressedQueuePair createQueuePair(QueuePairAttributes attributes, QueuePairPort port, Set<Access> rights) {
        throw Capability.CONNECT_BY_ADDRESS.missingOn(device());
    }

    /**
     * Creates a queue pair for datagrams in the default partition, ready to send.
     *
     * @param attributes its queues, depths and lengths
     * @param port       the port that it uses, 1 or more
     * @param queueKey   the key that datagrams to it must carry
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#DATAGRAM}
     * @throws IllegalArgumentException for a completion queue of another device, no such port, or numbers beyond the device's limits
     * @throws ResourceException        if a limit is reached, or a completion queue with admission has no room
     * @throws ClosedException          if the domain is closed
     */
    default DatagramQueuePair createDatagramQueuePair(QueuePairAttributes attributes, int port, int queueKey) {
        return createDatagramQueuePair(attributes, QueuePairPort.of(port), queueKey);
    }

    /**
     * Creates a queue pair for datagrams, ready to send.
     *
     * @param attributes its queues, depths and lengths
     * @param port       the port and the partition that it uses, and the address that {@link DatagramQueuePair#address()} gives
     * @param queueKey   the key that datagrams to it must carry
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#DATAGRAM}
     * @throws IllegalArgumentException for a completion queue of another device, no such port or partition, or numbers beyond the device's
     *                                  limits
     * @throws ResourceException        if a limit is reached, or a completion queue with admission has no room
     * @throws ClosedException          if the domain is closed
     */
    default DatagramQueuePair createDatagramQueuePair(QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        throw Capability.DATAGRAM.missingOn(device());
    }

    /**
     * Creates a queue pair for reliable datagrams, ready to send.
     *
     * @param attributes its queues, depths and lengths
     * @param port       the port and the partition that it uses, and the address that {@link DatagramQueuePair#address()} gives
     * @param queueKey   the key that datagrams to it must carry
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#RELIABLE_DATAGRAM}
     * @throws IllegalArgumentException for a completion queue of another device, no such port or partition, or numbers beyond the device's
     *                                  limits
     * @throws ResourceException        if a limit is reached, or a completion queue with admission has no room
     * @throws SystemException          if the device refuses
     * @throws ClosedException          if the domain is closed
     */
    @Incubating("no device has run it yet")
    default DatagramQueuePair createReliableDatagramQueuePair(QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        throw Capability.RELIABLE_DATAGRAM.missingOn(device());
    }

    /**
     * Creates an address handle: the route to receivers of datagrams.
     *
     * @param route to the receivers
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#DATAGRAM}
     * @throws SystemException          if there is no such route
     * @throws ClosedException          if the domain is closed
     */
    default AddressHandle createAddressHandle(AddressVector route) {
        throw Capability.DATAGRAM.missingOn(device());
    }

    /**
     * Creates an address handle for the sender of a datagram ({@code ibv_create_ah_from_wc}).
     *
     * @param received the cursor is on the completion of the receive
     * @param region   the region that it landed in
     * @param offset   the start of the receive, from the region's start
     * @param port     the port of the queue pair that received it
     * @return closed by the caller, or with the domain
     * @throws UnsupportedVerbException without {@link Capability#DATAGRAM}
     * @throws SystemException          if there is no such route
     * @throws ClosedException          if the domain is closed
     */
    default AddressHandle createAddressHandle(Completions received, MemoryRegion region, long offset, int port) {
        throw Capability.DATAGRAM.missingOn(device());
    }

    /** Closes the domain's queue pairs, shared receive queues, windows and address handles, then its regions, then the domain. */
    @Override
    void close();
}
