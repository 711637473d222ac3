package org.panamaverbs.rdmacore.post;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.bindings.rdma.ibv_recv_wr;
import org.panamaverbs.rdmacore.memory.CoreMemoryRegion;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.RequestSlots;

/** Writes receives into slots as the device wants them ({@code struct ibv_recv_wr}), one after the other. For one thread at a time. */
public final class ReceiveWriter {
    private final RequestSlots slots;
    private final boolean needsElement;
    private int slot;
    private int elements;

    /**
     * @param slots the slots that the receives are written to
     */
    public ReceiveWriter(RequestSlots slots, PostingDevice device) {
        this.slots = slots;
        this.needsElement = device.has(Quirk.REFUSES_EMPTY_RECEIVE);
    }

    /** Starts one; its elements follow. */
    public void begin(int place, long number) {
        slot = place;
        elements = 0;
        MemorySegment request = slots.request(place);
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.wr_id$offset(), number);
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.next$offset(), 0);
        request.set(ValueLayout.JAVA_LONG, ibv_recv_wr.sg_list$offset(), slots.elementsAddress(place));
    }

    public void element(CoreMemoryRegion region, long offset, long length) {
        if (length > 0) {
            slots.element(slot, elements++, region.address() + offset, length, region.localKey());
        }
    }

    /** All elements are there. */
    public void end() {
        if (elements == 0 && needsElement) {
            slots.element(slot, elements++, 0, 0, 0);
        }
        MemorySegment written = slots.request(slot);
        if (elements == 0) {
            // Some drivers (irdma) take the first element at this address whatever the number says: that of an earlier receive.
            written.set(ValueLayout.JAVA_LONG, ibv_recv_wr.sg_list$offset(), 0);
        }
        written.set(ValueLayout.JAVA_INT, ibv_recv_wr.num_sge$offset(), elements);
        slots.elements(slot, elements);
    }
}
