package org.panamaverbs.softiwarp;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.softiwarp.memory.Prefetch;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.spi.FlightEvents;
import org.panamaverbs.spi.Registrable;
import org.panamaverbs.spi.support.ArenaHold;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;

/** A protection domain: a queue pair uses only memory of the same domain object. */
// Tested by RegistrationContract, MemoryContract.
final class SoftProtectionDomain implements ProtectionDomain {
    private final SoftDevice device;
    private final int number;
    private final Children regions = new Children("the protection domain");
    private final Children windows = new Children("the protection domain");
    private final Children receiveQueues = new Children("the protection domain");
    private final Children queuePairs = new Children("the protection domain");

    SoftProtectionDomain(SoftDevice device) {
        this.device = device;
        this.number = device.nextDomainNumber();
    }

    @Override
    public SoftDevice device() {
        return device;
    }

    Children regions() {
        return regions;
    }

    Children windows() {
        return windows;
    }

    Children receiveQueues() {
        return receiveQueues;
    }

    Children queuePairs() {
        return queuePairs;
    }

    @Override
    public MemoryRegion register(MemorySegment segment, RegistrationAttributes attributes) {
        if (!FlightEvents.isTimingRegistrations()) {
            return registerNow(segment, attributes);
        }
        long begin = System.nanoTime();
        SoftMemoryRegion region = registerNow(segment, attributes);
        FlightEvents.onRegistered(region.localKey(), region.length(), System.nanoTime() - begin);
        return region;
    }

    private SoftMemoryRegion registerNow(MemorySegment segment, RegistrationAttributes attributes) {
        regions.check();
        Registrable.check(this, segment, attributes);
        checkKey(attributes);
        try (Rollback undo = new Rollback()) {
            ArenaHold hold = ArenaHold.of(segment);
            undo.add(hold::release);
            if (attributes.prefetch()) {
                Prefetch.of(segment);
            }
            RegisteredMemory memory = add(segment, attributes);
            undo.add(() -> device.table().remove(memory));
            SoftMemoryRegion region = new SoftMemoryRegion(this, memory, attributes, hold);
            regions.add(region);
            undo.commit();
            return region;
        }
    }

    private static void checkKey(RegistrationAttributes attributes) {
        if (attributes.remoteKey().isPresent() && StagTable.isReserved(attributes.remoteKey().getAsInt())) {
            throw new IllegalArgumentException(
                    "the key " + attributes.remoteKey().getAsInt() + " is reserved: choose another than 0 and 1");
        }
    }

    private RegisteredMemory add(MemorySegment segment, RegistrationAttributes attributes) {
        RegisteredMemory memory = new RegisteredMemory(segment, this, AccessFlags.of(attributes.access()),
                attributes.address().orElse(segment.address()), attributes.invalidator(), attributes.scope());
        boolean added = attributes.remoteKey().isPresent() ? device.table().add(memory, attributes.remoteKey().getAsInt())
                : device.table().add(memory);
        if (added) {
            return memory;
        }
        if (!device.table().isFull()) {
            throw new ResourceException(
                    "the key 0x" + Integer.toHexString(attributes.remoteKey().getAsInt()) + ", or another with its upper "
                            + "24 bits, belongs to another region of " + device.name() + ": choose another key, or close that region");
        }
        throw new ResourceException("device " + device.name() + " has " + SoftDevice.MAXIMUM_REGIONS
                + " memory regions and windows, its maximum: close some, or register larger regions");
    }

    @Override
    public MemoryWindow allocateMemoryWindow(MemoryWindow.Type type) {
        windows.check();
        Objects.requireNonNull(type);
        Window window = Window.allocate(device.table(), this, type == MemoryWindow.Type.TYPE_2);
        if (window == null) {
            throw new ResourceException("device " + device.name() + " has " + SoftDevice.MAXIMUM_REGIONS
                    + " memory regions and windows, its maximum: close some");
        }
        try (Rollback undo = new Rollback()) {
            undo.add(window::close);
            SoftMemoryWindow memoryWindow = new SoftMemoryWindow(this, type, window);
            windows.add(memoryWindow);
            undo.commit();
            return memoryWindow;
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
        windows.close();
        if (regions.close()) {
            device.children().remove(this);
        }
    }

    @Override
    public String toString() {
        return "protection domain " + number + " of " + ((Device) device).name();
    }
}
