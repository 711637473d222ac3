package org.panamaverbs.rdmacore.queue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.bindings.rdma.ibv_sge;
import org.panamaverbs.rdmacore.ffi.NativeMemory;

/**
 * Native memory for work requests: one struct per slot, whose list of scatter/gather entries is always at the same place. The structs of
 * sends and of receives begin alike: {@code wr_id}, {@code next}, {@code sg_list}, {@code num_sge}.
 */
public final class RequestSlots {
    private static final long SIZE_OF_ELEMENT = ibv_sge.sizeof();

    private final int elements;
    private final long requestSize;
    /** Kept, as an automatic arena frees what nobody has. */
    private final MemorySegment memory;
    private final long base;
    private final long elementsBase;
    /** The size of the elements of a request. */
    private final long elementsSize;
    private final int slots;

    /**
     * @param arena    the arena that holds their memory; nothing here is called after it is closed
     * @param elements the most elements of a request, 1 or more
     */
    public RequestSlots(Arena arena, int slots, int elements, long requestSize) {
        this.elements = elements;
        this.requestSize = requestSize;
        this.elementsSize = elements * SIZE_OF_ELEMENT;
        this.slots = slots;
        this.memory = arena.allocate(slots * (requestSize + elementsSize), 64);
        this.base = memory.address();
        this.elementsBase = base + slots * requestSize;
        for (int slot = 0; slot < slots; slot++) {
            NativeMemory.setLong(address(slot) + ibv_recv_wr.sg_list$offset(), elementsAddress(slot));
        }
    }

    /** Numbers the requests: a tag and their slot. */
    public void number(long tag) {
        for (int slot = 0; slot < slots; slot++) {
            NativeMemory.setLong(address(slot) + ibv_recv_wr.wr_id$offset(), tag | slot);
        }
    }

    /** The address of the struct of a request. */
    public long address(int slot) {
        return NativeMemory.address(base + slot * requestSize);
    }

    /** The slot of a request at an address. */
    public int slotAt(long address) {
        return (int) ((address - base) / requestSize);
    }

    /** The address at which the elements of a request start, for the device. */
    long elementsAddress(int slot) {
        return NativeMemory.address(elementsBase + slot * elementsSize);
    }

    /** Writes an element of a request. Its length fits 32 bits: the checks before it see to that. */
    public void element(int slot, int index, long address, long length, int key) {
        long at = NativeMemory.address(elementsAddress(slot) + Objects.checkIndex(index, elements) * SIZE_OF_ELEMENT);
        NativeMemory.setLong(at + ibv_sge.addr$offset(), address);
        NativeMemory.setInt(at + ibv_sge.length$offset(), (int) length);
        NativeMemory.setInt(at + ibv_sge.lkey$offset(), key);
    }

    /**
     * A request has so many elements. One that has none has a first element of zeros all the same: some libraries look at the first element
     * whatever the number of elements says. libirdma takes it, and libcxgb4 reads its length.
     */
    public void elements(int slot, int count) {
        NativeMemory.setInt(address(slot) + ibv_recv_wr.num_sge$offset(), count);
        if (count == 0) {
            element(slot, 0, 0, 0, 0);
        }
    }

    /**
     * Whether all regions of a request are still there.
     *
     * @param isLocalKey whether a region has a key
     */
    public boolean hasLiveRegions(int slot, IntPredicate isLocalKey) {
        int count = Math.min(NativeMemory.getInt(address(slot) + ibv_recv_wr.num_sge$offset()), elements);
        for (int i = 0; i < count; i++) {
            long at = elementsAddress(slot) + i * SIZE_OF_ELEMENT;
            if (NativeMemory.getInt(at + ibv_sge.length$offset()) != 0
                    && !isLocalKey.test(NativeMemory.getInt(at + ibv_sge.lkey$offset()))) {
                return false;
            }
        }
        return true;
    }
}
