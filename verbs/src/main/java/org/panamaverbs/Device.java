package org.panamaverbs;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PortAddress;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.PinnedMemory;

/**
 * An RDMA device, opened (an {@code ibv_context}). It belongs to the {@link Verbs} it came from and closes with it.
 *
 * <p>Connections are made by {@link org.panamaverbs.cm.ConnectionManager#of(Device)}.
 */
// Tested by DeviceContract, BootstrapContract.
public non-sealed interface Device extends AsynchronousEvent.Source {
    /** {@return the device's name; as "siw0" or "soft-iwarp0"} */
    String name();

    /** {@return the name of the provider that drives it; as "rdma-core" or "soft-iwarp"} */
    String provider();

    /** {@return the identity and the limits of the device; as of now} */
    DeviceAttributes attributes();

    /**
     * Whether the device can do a thing that not all can.
     *
     * @param capability the thing
     * @return {@code false} if the verb that needs it throws {@link UnsupportedVerbException}
     */
    boolean supports(Capability capability);

    /**
     * The rights that a region needs to be the sink of a Read: {@link Access#LOCAL_WRITE}, and on devices without
     * {@link Capability#READ_WITHOUT_REMOTE_WRITE} also {@link Access#REMOTE_WRITE}. With the latter the peer can write to the region as long
     * as it is open.
     *
     * @return for {@link ProtectionDomain#register(java.lang.foreign.MemorySegment, Set)}
     */
    default Set<Access> readSinkRights() {
        return supports(Capability.READ_WITHOUT_REMOTE_WRITE) ? Set.of(Access.LOCAL_WRITE)
                : Set.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    }

    /**
     * The clock that stamps completions ({@link Completions#timestamp()}).
     *
     * @return empty if the device has none, or does not say how fast it runs
     */
    default Optional<CompletionClock> completionClock() {
        return Optional.empty();
    }

    /**
     * Allocates a protection domain.
     *
     * @return closed by the caller, or with the device
     * @throws ClosedException if the device is closed
     */
    ProtectionDomain allocateProtectionDomain();

    /**
     * Creates a channel on which completion queues report that there is something to poll.
     *
     * @return closed by the caller, or with the device
     * @throws ClosedException if the device is closed
     */
    CompletionChannel createCompletionChannel();

    /**
     * Creates a completion queue that reports to no channel; {@link CompletionQueue#await} works all the same.
     *
     * @param entries the least number of completions that it holds, 1 to {@link DeviceAttributes#maximumCompletionQueueEntries()}
     * @return closed by the caller, or with the device
     * @throws ClosedException if the device is closed
     */
    default CompletionQueue createCompletionQueue(int entries) {
        return createCompletionQueue(CompletionQueueAttributes.of(entries));
    }

    /**
     * Creates a completion queue that reports to a channel.
     *
     * @param entries the least number of completions that it holds, 1 to {@link DeviceAttributes#maximumCompletionQueueEntries()}
     * @param channel a channel of this device
     * @return closed by the caller, or with the channel or device
     * @throws ClosedException if the device is closed
     */
    default CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        return createCompletionQueue(CompletionQueueAttributes.of(entries).withChannel(Objects.requireNonNull(channel)));
    }

    /**
     * Creates a completion queue.
     *
     * @param wanted its attributes
     * @return closed by the caller, or with the channel or device
     * @throws IllegalArgumentException for a channel of another device, or a number beyond the device's limits
     * @throws UnsupportedVerbException for time stamps without {@link Capability#COMPLETION_TIMESTAMP}
     * @throws ClosedException          if the device is closed
     */
    CompletionQueue createCompletionQueue(CompletionQueueAttributes wanted);

    /**
     * Asks the device for the state of its ports.
     *
     * @return as of now, by their numbers; at least one
     * @throws ClosedException if the device is closed
     */
    List<PortAttributes> ports();

    /**
     * Asks a port for its addresses with their types. {@link PortAttributes#identifiers()} has the same addresses without.
     *
     * @param port the port, 1 or more
     * @return as of now, by their places in the port's table; empty places are left out
     * @throws IllegalArgumentException for no such port
     * @throws ClosedException          if the device is closed
     */
    default List<PortAddress> addresses(int port) {
        List<PortAddress> addresses = new ArrayList<>();
        List<GlobalIdentifier> identifiers = require(port).identifiers();
        for (int index = 0; index < identifiers.size(); index++) {
            if (!identifiers.get(index).isEmpty()) {
                addresses.add(new PortAddress(port, index, identifiers.get(index), PortAddress.Type.OTHER));
            }
        }
        return addresses;
    }

    /**
     * Asks a port for its partition keys ({@code ibv_query_pkey}).
     *
     * @param port the port, 1 or more
     * @return as of now, 16 bits each, by their places in the port's table; 0 is an empty place. Empty on transports without partitions
     * @throws IllegalArgumentException for no such port
     * @throws ClosedException          if the device is closed
     */
    default List<Integer> partitionKeys(int port) {
        require(port);
        return List.of();
    }

    private PortAttributes require(int port) {
        List<PortAttributes> ports = ports();
        if (port < 1 || port > ports.size()) {
            throw new IllegalArgumentException("device " + name() + " has ports 1 to " + ports.size() + ", not " + port);
        }
        return ports.get(port - 1);
    }

    /**
     * {@return its statistics: how its connections began and ended; a snapshot, whose counts are empty if the provider does not have them}
     */
    default DeviceStatistics statistics() {
        return new DeviceStatistics() {
        };
    }

    /**
     * The connections of the device that have not ended, with the counts of their queue pairs. Queue pairs that are connected by address
     * ({@link AddressedQueuePair}) are not among them.
     *
     * @return a snapshot, the oldest first; empty also if the provider does not keep them
     */
    default List<ConnectionStatistics> connections() {
        return List.of();
    }

    /**
     * The memory that is registered on the device, and how much of it the system has pinned, with who holds it, beside the limit of locked
     * memory. It looks at each region: ask for it when registration fails, or once in a while.
     *
     * @return a snapshot
     */
    PinnedMemory pinnedMemory();

    /**
     * Listens to the events that the device reports without being asked: ports that go down, queue pairs that fail, shared
     * receive queues that run low.
     *
     * @return closed by the caller, or with the device
     * @throws ClosedException if the device is closed
     */
    AsynchronousEvents asynchronousEvents();

    /**
     * A further interface of the device, as {@link org.panamaverbs.cm.ConnectionManager}.
     *
     * @param type the interface
     * @param <T>  its type
     * @return empty if the device does not have it
     */
    <T> Optional<T> extension(Class<T> type);
}
