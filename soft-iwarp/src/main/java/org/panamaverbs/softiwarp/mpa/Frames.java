package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** Builds Requests and Replies. */
final class Frames {
    private Frames() {
    }

    /** Builds a frame. {@code flags} are without S; {@code enhanced} sets S and adds the two words of IRD and ORD. */
    static MemorySegment encode(boolean request, int flags, int revision, boolean enhanced, int irdWord, int ordWord, byte[] privateData) {
        int skip = enhanced ? MpaStart.ENHANCED_SIZE : 0;
        MemorySegment frame = MemorySegment.ofArray(new byte[MpaStart.SIZE + skip + privateData.length]);
        MpaStart.put(frame, 0, request, flags | (enhanced ? MpaStart.ENHANCED : 0), revision, skip + privateData.length);
        if (enhanced) {
            MpaStart.depths(frame, 0, irdWord, ordWord);
        }
        MemorySegment.copy(privateData, 0, frame, ValueLayout.JAVA_BYTE, MpaStart.SIZE + skip, privateData.length);
        return frame;
    }
}
