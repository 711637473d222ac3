package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** Puts Requests and Replies together. */
final class Frames {
    private Frames() {
    }

    static byte[] encode(boolean request, int flags, int revision, boolean enhanced, int ird, int ord, byte[] privateData) {
        int before = enhanced ? MpaStart.ENHANCED_SIZE : 0;
        byte[] bytes = new byte[MpaStart.SIZE + before + privateData.length];
        MemorySegment frame = MemorySegment.ofArray(bytes);
        MpaStart.put(frame, 0, request, flags, revision, before + privateData.length);
        if (enhanced) {
            MpaStart.depths(frame, 0, ird, ord);
        }
        System.arraycopy(privateData, 0, bytes, MpaStart.SIZE + before, privateData.length);
        return bytes;
    }
}
