package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.spi.Registrable;

/** A protection domain. */
final class CoreProtectionDomain implements ProtectionDomain, OfDevice {
    private final CoreDevice device;
    private final MemorySegment address;
    private final Children regions = new Children("the protection domain");
    private final Children receiveQueues = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");

    CoreProtectionDomain(CoreDevice device) {
        this.device = device;
        this.address = Calls.ALLOC_PD.object("allocate a protection domain on " + device.name(), device.context());
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    MemorySegment address() {
        return address;
    }

    Children regions() {
        return regions;
    }

    Children receiveQueues() {
        return receiveQueues;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, Access... access) {
        regions.check();
        int rights = Access.bits(access);
        Registrable.check(segment, rights);
        checkRights(access);
        return device.creating(() -> {
            regions.check();
            return CoreDevice.adopt(regions, CoreMemoryRegion.of(this, segment, rights));
        });
    }

    @Override
    public MemoryRegion registerDmaBuf(int descriptor, long offset, long length, Access... access) {
        regions.check();
        if (!device.supports(Capability.DMA_BUF)) {
            throw Capability.DMA_BUF.missingOn(device);
        }
        if (offset < 0 || length < 1) {
            throw new IllegalArgumentException("a region of a dma-buf has 1 byte or more, from 0 on, not " + length + " from " + offset);
        }
        checkRights(access);
        int rights = Access.bits(access);
        return device.creating(() -> {
            regions.check();
            return CoreDevice.adopt(regions, CoreMemoryRegion.ofDmaBuf(this, descriptor, offset, length, rights));
        });
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int elements) {
        receiveQueues.check();
        if (!device.supports(Capability.SHARED_RECEIVE_QUEUE)) {
            throw Capability.SHARED_RECEIVE_QUEUE.missingOn(device);
        }
        return CoreSharedReceiveQueue.create(this, depth, elements);
    }

    private void checkRights(Access... access) {
        for (Access right : access) {
            Capability needed = switch (right) {
                case REMOTE_ATOMIC -> Capability.ATOMIC;
                case BIND_MEMORY_WINDOW -> device.supports(Capability.MEMORY_WINDOW_TYPE_1) ? null : Capability.MEMORY_WINDOW_TYPE_2;
                case ON_DEMAND -> Capability.ON_DEMAND_PAGING;
                case LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, RELAXED_ORDERING -> null;
            };
            if (needed != null && !device.supports(needed)) {
                throw needed.missingOn(device);
            }
        }
    }

    @Override
    public void onDeviceFailure(DeviceFailure failure) {
        queuePairs.each(each -> {
            if (each instanceof Completing queuePair) {
                queuePair.fail(failure.exception());
            }
        });
    }

    @Override
    public void close() {
        queuePairs.close();
        receiveQueues.close();
        if (regions.close()) {
            device.destroying(() -> Calls.DEALLOC_PD.attempt(address));
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "a protection domain of " + device.name();
    }
}
