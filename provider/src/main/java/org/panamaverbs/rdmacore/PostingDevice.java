package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;

/**
 * A device, as the work queues of its queue pairs see it.
 *
 * @param bindWindow the call that binds a memory window of type 1
 */
record PostingDevice(DataPointers calls, MemorySegment bindWindow, Regions regions, boolean isIwarp) {
}
