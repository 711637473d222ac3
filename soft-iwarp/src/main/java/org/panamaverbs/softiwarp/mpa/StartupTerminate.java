package org.panamaverbs.softiwarp.mpa;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Marker;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/**
 * The Terminate of an initiator that cannot use the Reply, or that fails before its stream exists (RFC 6581, 8 and 9). It is the stream's
 * first and last message. A responder cannot send one: it sends nothing before it has an FPDU of the initiator (RFC 5044, 7.1.2).
 */
public final class StartupTerminate {
    private static final int ULPDU_SIZE = Ddp.UNTAGGED_SIZE + Terminate.SIZE;

    private StartupTerminate() {
    }

    /**
     * Makes the FPDU of an error on this side for which there is no code of its own.
     *
     * @param memory allocates its memory
     * @param terms  the terms that both sides agreed on
     * @return the bytes to send
     */
    public static MemorySegment ofLocalError(SegmentAllocator memory, Agreement terms) {
        return encode(memory, TerminateCode.MPA_LOCAL_CATASTROPHIC, terms.crc(), terms.markers());
    }

    /**
     * Makes the FPDU.
     *
     * @param memory  allocates its memory
     * @param error   one of {@link TerminateCode}, without headers
     * @param crc     whether CRCs are used
     * @param markers whether the peer asks for Markers
     * @return the bytes to send
     */
    static MemorySegment encode(SegmentAllocator memory, int error, boolean crc, boolean markers) {
        int covered = Fpdu.size(ULPDU_SIZE) - Fpdu.CRC_SIZE;
        int count = markers ? Marker.count(0, covered + Fpdu.CRC_SIZE) : 0;
        int end = covered + Marker.SIZE * count;
        MemorySegment frame = memory.allocate(end + Fpdu.CRC_SIZE);
        Fpdu.length(frame, 0, ULPDU_SIZE);
        Ddp.putUntagged(frame, Fpdu.LENGTH_SIZE, true, Rdmap.control(Rdmap.TERMINATE), 0, Rdmap.TERMINATE_QUEUE, 1, 0);
        Terminate.put(frame, Fpdu.LENGTH_SIZE + Ddp.UNTAGGED_SIZE, error, 0);
        Marker.insert(frame, 0, covered, 0, count);
        if (crc) {
            CRC32C sum = new CRC32C();
            sum.update(frame.asSlice(0, end).asByteBuffer());
            Fpdu.crc(frame, end, (int) sum.getValue());
        }
        return frame;
    }
}
