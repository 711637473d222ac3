package org.panamaverbs.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.Transport;

/** One end of a pair: open verbs, their device with a protection domain, and memory. */
final class Side implements AutoCloseable {
    final String name;
    final Verbs verbs;
    final Device device;
    final ProtectionDomain domain;
    final Arena arena = Arena.ofShared();
    private final Set<Access> all;

    Side(String name, Verbs verbs) {
        this.name = name;
        this.verbs = verbs;
        this.device = verbs.device();
        this.domain = device.allocateProtectionDomain();
        this.all = Arrays.stream(Access.values()).filter(this::hasRight)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Access.class)));
    }

    ConnectionManager connections() {
        return ConnectionManager.of(device);
    }

    private boolean hasRight(Access right) {
        return switch (right) {
            case LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, HUGE_PAGES, RELAXED_ORDERING -> true;
            case REMOTE_ATOMIC -> device.supports(Capability.ATOMIC);
            case BIND_MEMORY_WINDOW -> device.supports(Capability.MEMORY_WINDOW_TYPE_1) || device.supports(Capability.MEMORY_WINDOW_TYPE_2);
            // No right of anybody, but another way to register.
            case ON_DEMAND -> false;
        };
    }

    /** Every right that the device has. */
    Set<Access> rights() {
        return EnumSet.copyOf(all);
    }

    /** Fresh memory, all zero, registered with every right that the device has. */
    MemoryRegion region(long length) {
        return region(length, all);
    }

    /** Fresh memory, all zero. */
    MemoryRegion region(long length, Set<Access> access) {
        return domain.register(memory(length), access);
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

    /** The place of the first port's address that datagrams with a route come from; others may be for the own link only. */
    int sourceIndex() {
        List<GlobalIdentifier> all = device.ports().getFirst().identifiers();
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).toString().startsWith("::ffff:")) {
                return i;
            }
        }
        return 0;
    }

    boolean isIwarp() {
        return device.attributes().transport() == Transport.IWARP;
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
