package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.StagTable;
import org.panamaverbs.softiwarp.memory.Window;
import org.panamaverbs.spi.AccessFlags;

/**
 * A region of a node, given out slot by slot with a gap between two. The model knows what each byte may be: the guard's value where nothing
 * was given out, the program's value in a slot that was given back.
 */
final class Memory {
    static final byte GUARD = 0x5A;
    /** 8 bytes of the guard's value, as a number. */
    static final long UNTOUCHED_NUMBER = 0x5A5A_5A5A_5A5A_5A5AL;
    /** The byte that the program puts into a slot as soon as its request has completed. */
    static final byte TAKEN_BACK = (byte) 0xD7;
    private static final long GAP = 8;

    private final MemorySegment segment;
    private final RegisteredMemory region;
    private RegisteredMemory registered;
    private final String name;
    private long used = GAP;
    /** Slots that the program has taken back. */
    private final List<long[]> takenBack = new ArrayList<>();
    /** Its content when it was deregistered. */
    private byte[] atTheEnd;

    /** Registers memory that is used again from run to run. */
    Memory(String name, MemorySegment segment, StagTable<RegisteredMemory> table, Object domain, Access... rights) {
        this.name = name;
        this.segment = segment;
        segment.fill(GUARD);
        region = new RegisteredMemory(segment, domain, AccessFlags.of(Set.of(rights)));
        table.add(region);
        registered = region;
    }

    /** From now on it is used through a memory window that is bound to all of it by a queue pair. */
    void openWindow(StagTable<RegisteredMemory> table, Object domain, Object queuePair) {
        registered = window(table, domain, queuePair, registered);
    }

    /** Binds a new window of type 2 to all of a region, with the region's rights. */
    static RegisteredMemory window(StagTable<RegisteredMemory> table, Object domain, Object queuePair, RegisteredMemory region) {
        Window window = Window.allocate(table, domain, true);
        int stag = window.next();
        if (!window.bind(stag, region, 0, region.length(), region.access(), queuePair)) {
            throw new AssertionError("a window cannot be bound");
        }
        window.bindingEnded();
        return table.find(stag);
    }

    static MemorySegment allocate(long size) {
        return Arena.ofAuto().allocate(size, 64);
    }

    /** The regions that windows are bound to. */
    RegisteredMemory region() {
        return region;
    }

    RegisteredMemory registered() {
        return registered;
    }

    MemorySegment segment() {
        return segment;
    }

    /** The offset of a fresh slot, or -1 if there is no room. */
    long slot(long length) {
        if (used + length + GAP > segment.byteSize()) {
            return -1;
        }
        long offset = used;
        used += length + GAP;
        return offset;
    }

    /** The offset at which the next slot begins. */
    long used() {
        return used;
    }

    boolean isRegistered() {
        return atTheEnd == null;
    }

    /** Its registration has ended: from now on it is the program's. */
    void deregistered() {
        atTheEnd = segment.toArray(ValueLayout.JAVA_BYTE);
    }

    /** The program takes a slot back, and writes into it. */
    void takeBack(long offset, long length) {
        if (length > 0 && isRegistered()) {
            segment.asSlice(offset, length).fill(TAKEN_BACK);
            takenBack.add(new long[] { offset, length });
        }
    }

    /** Nothing was written into slots that were taken back, nor at all after the registration ended. */
    void check(String node) {
        for (long[] slot : takenBack) {
            long wrong = Pattern.mismatch(segment, slot[0], slot[1], TAKEN_BACK);
            if (wrong >= 0) {
                throw new AssertionError(node + ": byte " + wrong + " of " + slot[1] + " in " + name + " at " + slot[0]
                        + " was written after its request had completed");
            }
        }
        if (atTheEnd != null && segment.mismatch(MemorySegment.ofArray(atTheEnd)) >= 0) {
            throw new AssertionError(node + ": " + name + " was written after it was deregistered");
        }
    }
}
