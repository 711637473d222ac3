package org.panamaverbs.rpcrdma.link;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;

/**
 * The cache of registrations: memory that a program uses in many calls is registered once for each connection, at its first use, for this
 * side's own Writes. What a peer may touch is registered for each call, and never here.
 */
public final class KeptRegistrations {
    private final NavigableMap<Long, MemorySegment> kept = new TreeMap<>();
    private final Map<Long, Map<ProtectionDomain, MemoryRegion>> regions = new HashMap<>();

    /** Keeps memory registered from its next use on. */
    public synchronized void keep(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("native memory of 1 byte or more can be registered, not " + memory);
        }
        kept.put(memory.address(), memory);
    }

    /** Ends all registrations of memory; its arena can be closed afterwards. */
    public synchronized void release(MemorySegment memory) {
        if (kept.remove(memory.address()) != null) {
            Map<ProtectionDomain, MemoryRegion> registered = regions.remove(memory.address());
            if (registered != null) {
                registered.values().forEach(MemoryRegion::close);
            }
        }
    }

    /** The region in a domain that holds a segment, or {@code null} if it is not kept. */
    synchronized MemoryRegion find(ProtectionDomain domain, MemorySegment memory) {
        Map.Entry<Long, MemorySegment> entry = kept.floorEntry(memory.address());
        if (entry == null || memory.address() - entry.getKey() > entry.getValue().byteSize() - memory.byteSize()) {
            return null;
        }
        return regions.computeIfAbsent(entry.getKey(), address -> new HashMap<>()).computeIfAbsent(domain,
                in -> in.register(entry.getValue()));
    }

    /** A connection ended: its registrations go. */
    synchronized void forget(ProtectionDomain domain) {
        for (Map<ProtectionDomain, MemoryRegion> registered : regions.values()) {
            MemoryRegion region = registered.remove(domain);
            if (region != null) {
                region.close();
            }
        }
    }

    /** Ends all. */
    public synchronized void clear() {
        List<MemorySegment> all = new ArrayList<>(kept.values());
        all.forEach(this::release);
    }
}
