package org.panamaverbs.softiwarp;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.spi.ArenaHold;
import org.panamaverbs.spi.Registrable;

/** A protection domain: a queue pair uses only memory of the same domain object. */
final class SoftProtectionDomain implements ProtectionDomain {
    private final SoftDevice device;
    private final Children regions = new Children("the protection domain");
    private final Children receiveQueues = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");

    SoftProtectionDomain(SoftDevice device) {
        this.device = device;
    }

    @Override
    public SoftDevice device() {
        return device;
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
        ArenaHold hold = ArenaHold.of(segment);
        RegisteredMemory memory = new RegisteredMemory(segment, this, rights);
        if (!device.table().add(memory)) {
            hold.release();
            throw new ResourceException("device " + device.name() + " has " + SoftDevice.MAXIMUM_REGIONS
                    + " memory regions, its maximum: close some, or register larger ones");
        }
        SoftMemoryRegion region = new SoftMemoryRegion(this, memory, hold);
        try {
            regions.add(region);
        } catch (RuntimeException e) {
            region.close();
            throw e;
        }
        return region;
    }

    private void checkRights(Access... access) {
        for (Access right : access) {
            switch (right) {
                case REMOTE_ATOMIC -> throw Capability.ATOMIC.missingOn(device);
                case BIND_MEMORY_WINDOW -> throw Capability.MEMORY_WINDOW_TYPE_2.missingOn(device);
                case ON_DEMAND -> throw Capability.ON_DEMAND_PAGING.missingOn(device);
                case LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, RELAXED_ORDERING -> {
                    // The processor sees its own copies in order: there is nothing to relax.
                }
            }
        }
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int elements) {
        receiveQueues.check();
        SoftSharedReceiveQueue queue = new SoftSharedReceiveQueue(this, depth, elements);
        receiveQueues.add(queue);
        return queue;
    }

    @Override
    public void close() {
        queuePairs.close();
        receiveQueues.close();
        if (regions.close()) {
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "a protection domain of " + ((Device) device).name();
    }
}
