package org.panamaverbs.rdmacore.post;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.panamaverbs.rdmacore.ffi.DataPointers;
import org.panamaverbs.rdmacore.lifecycle.KeepAlive;
import org.panamaverbs.rdmacore.memory.Regions;
import org.panamaverbs.rdmacore.probe.Quirk;

/**
 * A device, as the work queues of its queue pairs see it.
 *
 * @param bindWindow the call that binds a memory window of type 1
 * @param keepAlive  its connections that are probed
 */
public record PostingDevice(DataPointers calls, MemorySegment bindWindow, Regions regions, boolean isIwarp, Set<Quirk> quirks,
        KeepAlive keepAlive) {
    public boolean has(Quirk quirk) {
        return quirks.contains(quirk);
    }
}
