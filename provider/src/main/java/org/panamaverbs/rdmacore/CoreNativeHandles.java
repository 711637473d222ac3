package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.NativeHandles;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;

/** The addresses of a device's objects, without their sizes: programs know the structs of their own headers. */
// Tested by NativeHandlesFaultsTest.
record CoreNativeHandles(CoreDevice device) implements NativeHandles {
    private void check(Device of, Object object) {
        if (of != device) {
            throw new IllegalArgumentException(object + " belongs to " + of + ", not to " + device);
        }
    }

    private static MemorySegment handle(MemorySegment address) {
        return MemorySegment.ofAddress(address.address());
    }

    @Override
    public MemorySegment context() {
        device.children().check();
        return handle(device.context());
    }

    @Override
    public MemorySegment of(ProtectionDomain domain) {
        check(domain.device(), domain);
        CoreProtectionDomain own = (CoreProtectionDomain) domain;
        own.queuePairs().check();
        return handle(own.address());
    }

    @Override
    public MemorySegment of(MemoryRegion region) {
        check(region.domain().device(), region);
        return handle(((CoreMemoryRegion) region).registration());
    }

    @Override
    public MemorySegment of(CompletionQueue queue) {
        check(queue.device(), queue);
        CoreCompletionQueue own = (CoreCompletionQueue) queue;
        own.checkParent();
        return handle(own.address());
    }

    @Override
    public MemorySegment of(SharedReceiveQueue queue) {
        check(queue.domain().device(), queue);
        CoreSharedReceiveQueue own = (CoreSharedReceiveQueue) queue;
        own.checkParent();
        return handle(own.address());
    }

    @Override
    public MemorySegment of(QueuePair queuePair) {
        check(queuePair.domain().device(), queuePair);
        NativeQueuePair own = ((WorkQueuePair) queuePair).life().handle();
        MemorySegment[] address = new MemorySegment[1];
        if (!own.whileAlive(() -> address[0] = handle(own.address()))) {
            throw new ClosedException(queuePair + " is closed");
        }
        return address[0];
    }
}
