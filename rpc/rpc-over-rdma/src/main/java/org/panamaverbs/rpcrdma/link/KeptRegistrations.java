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
 *
 * <p>A reply that is under way keeps its registration: the connection would end if that went before the reply is sent.
 */
public final class KeptRegistrations {
    private final NavigableMap<Long, Kept> kept = new TreeMap<>();

    /** Memory, and its registrations. */
    private record Kept(MemorySegment memory, Map<ProtectionDomain, Registration> registrations) {
        void end() {
            registrations.values().forEach(Registration::end);
        }
    }

    /** The region of some memory in one domain, and how many replies use it. */
    private final class Registration {
        private final MemoryRegion region;
        private int uses;
        private boolean ended;

        Registration(MemoryRegion region) {
            this.region = region;
        }

        void end() {
            ended = true;
            closeUnused();
        }

        void endUse() {
            synchronized (KeptRegistrations.this) {
                uses--;
                closeUnused();
            }
        }

        private void closeUnused() {
            if (ended && uses == 0) {
                region.close();
            }
        }
    }

    /** Keeps memory registered from its next use on. */
    public synchronized void keep(MemorySegment memory) {
        if (!memory.isNative() || memory.byteSize() == 0) {
            throw new IllegalArgumentException("native memory of 1 byte or more can be registered, not " + memory);
        }
        Kept before = kept.get(memory.address());
        if (before == null || before.memory.byteSize() != memory.byteSize()) {
            release(memory);
            kept.put(memory.address(), new Kept(memory, new HashMap<>()));
        }
    }

    /** Ends all registrations of memory, each as soon as the replies are sent that use it. */
    public synchronized void release(MemorySegment memory) {
        Kept released = kept.remove(memory.address());
        if (released != null) {
            released.end();
        }
    }

    /** A segment for Writes in a domain, if it lies in memory that is kept; else {@code null}. */
    synchronized SourceMemory find(ProtectionDomain domain, MemorySegment memory) {
        Map.Entry<Long, Kept> entry = kept.floorEntry(memory.address());
        if (entry == null || memory.address() - entry.getKey() > entry.getValue().memory.byteSize() - memory.byteSize()) {
            return null;
        }
        Kept found = entry.getValue();
        Registration registration = found.registrations.computeIfAbsent(domain, in -> new Registration(in.register(found.memory)));
        SourceMemory source = new SourceMemory(registration.region, memory, registration::endUse);
        registration.uses++;
        return source;
    }

    /** A connection ended: its registrations go. */
    synchronized void forget(ProtectionDomain domain) {
        for (Kept each : kept.values()) {
            Registration registration = each.registrations.remove(domain);
            if (registration != null) {
                registration.region.close();
            }
        }
    }

    /** Ends all. */
    public synchronized void clear() {
        List<Kept> all = new ArrayList<>(kept.values());
        kept.clear();
        all.forEach(Kept::end);
    }
}
