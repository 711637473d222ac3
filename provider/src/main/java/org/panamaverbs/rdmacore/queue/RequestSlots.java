package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.rdmacore.ffi.NativeMemory;

/** Native memory for work requests: one struct per slot, followed by its scatter/gather entries. */
public final class RequestSlots {
    private final int elements;
    private final long requestSize;
    private final long elementsAt;
    private final MemorySegment memory;
    private final long base;
    private final MemorySegment[] requests;
    private final int[] counts;

    /**
     * @param arena the arena that holds their memory; nothing here is called after it is closed
     */
    public RequestSlots(Arena arena, int slots, int elements, long requestSize) {
        this.elements = elements;
        this.requestSize = requestSize;
        this.elementsAt = slots * requestSize;
        this.memory = arena.allocate(elementsAt + slots * (long) elements * ibv_sge.sizeof(), 64);
        this.base = memory.address();
        this.requests = new MemorySegment[slots];
        this.counts = new int[slots];
        for (int i = 0; i < slots; i++) {
            requests[i] = memory.asSlice(i * requestSize, requestSize);
        }
    }

    int count() {
        return requests.length;
    }

    /** The struct of a request. */
    public MemorySegment request(int slot) {
        return requests[slot];
    }

    /** The address of the struct of a request. */
    public long address(int slot) {
        return base + slot * requestSize;
    }

    /** The slot of a request at an address. */
    public int slotAt(long address) {
        return (int) ((address - base) / requestSize);
    }

    /** The address at which the elements of a request start, for the device. */
    public long elementsAddress(int slot) {
        return base + elementsAt(slot);
    }

    private long elementsAt(int slot) {
        return elementsAt + slot * (long) elements * ibv_sge.sizeof();
    }

    /** Writes an element of a request. Its length fits 32 bits: the checks before it see to that. */
    public void element(int slot, int index, long address, long length, int key) {
        long at = base + elementsAt(slot) + Objects.checkIndex(index, elements) * ibv_sge.sizeof();
        NativeMemory.setLong(at + ibv_sge.addr$offset(), address);
        NativeMemory.setInt(at + ibv_sge.length$offset(), (int) length);
        NativeMemory.setInt(at + ibv_sge.lkey$offset(), key);
    }

    /** A request has so many elements. */
    public void elements(int slot, int count) {
        counts[slot] = count;
    }

    /**
     * Whether all regions of a request are still there.
     *
     * @param isLocalKey whether a region has a key
     */
    public boolean hasLiveRegions(int slot, IntPredicate isLocalKey) {
        for (int i = 0; i < counts[slot]; i++) {
            long at = elementsAt(slot) + i * ibv_sge.sizeof();
            if (memory.get(ValueLayout.JAVA_INT, at + ibv_sge.length$offset()) != 0
                    && !isLocalKey.test(memory.get(ValueLayout.JAVA_INT, at + ibv_sge.lkey$offset()))) {
                return false;
            }
        }
        return true;
    }
}
