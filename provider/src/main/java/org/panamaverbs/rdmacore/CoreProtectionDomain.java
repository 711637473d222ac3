package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.panamaverbs.Access;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.Capability;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.Completing;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.rdmacore.lifecycle.Lifetime;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.memory.CoreMemoryWindow;
import org.panamaverbs.rdmacore.memory.DomainMemory;
import org.panamaverbs.spi.Registrable;
import org.panamaverbs.spi.support.Children;

/** A protection domain. */
// Tested by ConcurrentCloseFaultsTest, RegistrationFaultsTest, LeakFaultsTest, MemoryContract.
final class CoreProtectionDomain implements ProtectionDomain, DeviceFailureListener {
    private final CoreDevice device;
    private final int number;
    private final MemorySegment address;
    private final DomainMemory memory;
    /** Registering takes seconds for tens of GiB, and finding a neighbour may: so neither holds up what belongs to other domains. */
    private final Lifetime lifetime = new Lifetime();
    private final Children receiveQueues = new Children("the protection domain");
    private final Children addressHandles = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");
    private final Closing closing = new Closing();

    CoreProtectionDomain(CoreDevice device) {
        this.device = device;
        this.number = device.nextDomainNumber();
        this.address = Calls.ALLOC_PD.object("allocate a protection domain on " + device.name(), device.context());
        this.memory = new DomainMemory(this, address, device.regions(), device.windowCalls(), device::hasFailed);
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    MemorySegment address() {
        return address;
    }

    /** That of the domain, for objects that are made of it alone. */
    Lifetime lifetime() {
        return lifetime;
    }

    /** Those that are open. */
    List<AutoCloseable> regions() {
        return memory.regions().open();
    }

    Children receiveQueues() {
        return receiveQueues;
    }

    Children addressHandles() {
        return addressHandles;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes) {
        memory.regions().check();
        Registrable.check(this, segment, attributes);
        return lifetime.creating(() -> {
            memory.regions().check();
            return memory.regions().adopt(CoreMemoryRegion.of(memory, segment, attributes));
        });
    }

    @Override
    public MemoryRegion registerDmaBuf(int descriptor, long offset, long length, Set<Access> access) {
        memory.regions().check();
        device.require(Capability.DMA_BUF);
        if (offset < 0 || length < 1) {
            throw new IllegalArgumentException("a region of a dma-buf has 1 byte or more, from 0 on, not " + length + " from " + offset);
        }
        Registrable.checkRights(device, access);
        return lifetime.creating(() -> {
            memory.regions().check();
            return memory.regions().adopt(CoreMemoryRegion.ofDmaBuf(memory, descriptor, offset, length, RegistrationAttributes.of(access)));
        });
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int elements) {
        receiveQueues.check();
        device.require(Capability.SHARED_RECEIVE_QUEUE);
        return CoreSharedReceiveQueue.create(this, depth, elements);
    }

    @Override
    public AddressedQueuePair createQueuePair(QueuePairAttributes attributes, QueuePairPort port, Set<Access> rights) {
        queuePairs.check();
        device.require(Capability.CONNECT_BY_ADDRESS);
        return CoreAddressedQueuePair.create(this, attributes, port, rights);
    }

    @Override
    public DatagramQueuePair createDatagramQueuePair(QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        queuePairs.check();
        device.require(Capability.DATAGRAM);
        return CoreDatagramQueuePair.create(this, attributes, port, queueKey, false);
    }

    @Override
    public DatagramQueuePair createReliableDatagramQueuePair(QueuePairAttributes attributes, QueuePairPort port, int queueKey) {
        queuePairs.check();
        device.require(Capability.RELIABLE_DATAGRAM);
        return CoreDatagramQueuePair.create(this, attributes, port, queueKey, true);
    }

    @Override
    public AddressHandle createAddressHandle(AddressVector route) {
        return adoptHandle(() -> AddressHandleFactory.to(this, route));
    }

    @Override
    public AddressHandle createAddressHandle(Completions received, MemoryRegion region, long offset, int port) {
        return adoptHandle(() -> AddressHandleFactory.back(this, received, region, offset, port));
    }

    private AddressHandle adoptHandle(Supplier<CoreAddressHandle> maker) {
        addressHandles.check();
        device.require(Capability.DATAGRAM);
        return lifetime.creating(() -> {
            addressHandles.check();
            return addressHandles.adopt(maker.get());
        });
    }

    @Override
    public void onDeviceFailure(DeviceFailure failure) {
        queuePairs.open().forEach(each -> {
            if (each instanceof Completing queuePair) {
                queuePair.fail(failure.exception());
            }
        });
    }

    @Override
    public MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
        device.require(Objects.requireNonNull(type) == MemoryWindow.Type.TYPE_1 ? Capability.MEMORY_WINDOW_TYPE_1
                : Capability.MEMORY_WINDOW_TYPE_2);
        return lifetime.creating(() -> {
            memory.windows().check();
            return memory.windows().adopt(new CoreMemoryWindow(memory, type));
        });
    }

    @Override
    public void close() {
        closing.once(this::closeChildren, this::destroy);
    }

    private void closeChildren() {
        Completing.closeAll(queuePairs);
        receiveQueues.close();
        addressHandles.close();
        memory.windows().close();
        memory.regions().close();
    }

    private void destroy() {
        lifetime.destroying(() -> device.lifetime().destroying(() -> Calls.DEALLOC_PD.attempt(address)));
        device.children().remove(this);
    }

    @Override
    public String toString() {
        return "protection domain " + number + " of " + device.name();
    }
}
