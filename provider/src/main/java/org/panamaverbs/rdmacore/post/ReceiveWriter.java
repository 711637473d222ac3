package org.panamaverbs.rdmacore.post;

import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.RequestSlots;
import org.panamaverbs.spi.ReceiveWorkRequest;

/** Writes the memory of receives into slots as the device wants it ({@code struct ibv_recv_wr}). */
public final class ReceiveWriter {
    private final RequestSlots slots;
    private final boolean needsElement;

    /**
     * @param slots the slots that the receives are written to
     */
    public ReceiveWriter(RequestSlots slots, PostingDevice device) {
        this.slots = slots;
        this.needsElement = device.has(Quirk.REFUSES_EMPTY_RECEIVE);
    }

    /** Writes the memory of one; the slots have its number and the place of its elements. */
    public void write(int slot, ReceiveWorkRequest work) {
        int elements = 0;
        for (int i = 0; i < work.elements(); i++) {
            long length = work.length(i);
            if (length != 0) {
                CoreMemoryRegion region = (CoreMemoryRegion) work.region(i);
                slots.element(slot, elements++, region.address() + work.offset(i), length, region.localKey());
            }
        }
        if (elements == 0 && needsElement) {
            slots.element(slot, elements++, 0, 0, 0);
        }
        slots.elements(slot, elements);
    }
}
