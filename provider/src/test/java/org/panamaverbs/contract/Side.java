package org.panamaverbs.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;

/** One end of a pair: open verbs, their device with a protection domain, and memory. */
final class Side implements AutoCloseable {
    private static final Access[] ALL = Rights.usual();

    final String name;
    final Verbs verbs;
    final Device device;
    final ProtectionDomain domain;
    final Arena arena = Arena.ofShared();

    Side(String name, Verbs verbs) {
        this.name = name;
        this.verbs = verbs;
        this.device = verbs.device();
        this.domain = device.allocateProtectionDomain();
    }

    ConnectionManager connections() {
        return ConnectionManager.of(device);
    }

    /** Fresh memory, all zero, registered with every right there is. */
    MemoryRegion region(long length) {
        return region(length, ALL);
    }

    /** Fresh memory, all zero. */
    MemoryRegion region(long length, Access... access) {
        return domain.register(memory(length), access);
    }

    /** Fresh memory, all zero, not registered. */
    MemorySegment memory(long length) {
        return arena.allocate(length, 64);
    }

    CompletionQueue queue(int entries) {
        return device.createCompletionQueue(entries);
    }

    boolean isIwarp() {
        return device.attributes().transport().equals("iWARP");
    }

    /** Closes the verbs with all that is theirs, then the memory. */
    @Override
    public void close() {
        try {
            verbs.close();
        } finally {
            if (arena.scope().isAlive()) {
                arena.close();
            }
        }
    }
}
