package example.loopback;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.WorkRequest;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;

/** A request in a queue: its number, its memory, and what a send request says besides. It is filled again and again. */
final class Request {
    private static final int PAGE = 4096;

    private final MemoryRegion[] regions;
    private final long[] offsets;
    private final long[] lengths;
    private int parts;
    private long length;

    long id;
    SendOperation operation;
    long remoteAddress;
    int remoteKey;
    int flags;

    Request(int mostParts) {
        regions = new MemoryRegion[mostParts];
        offsets = new long[mostParts];
        lengths = new long[mostParts];
    }

    /** Copies a checked request for a send queue. */
    void fill(SendWorkRequest request) {
        operation = request.operation();
        remoteAddress = request.remoteAddress();
        remoteKey = request.remoteKey();
        copy(request);
    }

    /** Copies a checked receive. */
    void fill(ReceiveWorkRequest request) {
        copy(request);
    }

    /** The memory of a peer that another request names. */
    void name(LoopbackRegion region, long offset, long bytes) {
        parts = 1;
        regions[0] = region;
        offsets[0] = offset;
        lengths[0] = bytes;
        length = bytes;
    }

    private void copy(WorkRequest request) {
        id = request.id();
        flags = request.flags();
        parts = request.elements();
        for (int i = 0; i < parts; i++) {
            regions[i] = request.region(i);
            offsets[i] = request.offset(i);
            lengths[i] = request.length(i);
        }
        length = request.totalLength();
    }

    long length() {
        return length;
    }

    /** Whether all regions are still registered. */
    boolean isValid() {
        for (int i = 0; i < parts; i++) {
            if (!regions[i].isValid()) {
                return false;
            }
        }
        return true;
    }

    /** Whether all bytes are there: a mapped file may have been cut short. */
    boolean isThere() {
        try {
            for (int i = 0; i < parts; i++) {
                int last = (int) Math.min(PAGE, lengths[i]);
                MemorySegment.copy(regions[i].segment(), offsets[i] + lengths[i] - last, MemorySegment.ofArray(new byte[last]), 0, last);
            }
            return true;
        } catch (InternalError e) {
            return false;
        }
    }

    /** Copies the bytes of this request to the memory of another one, which has room for them. */
    void copyTo(Request target) {
        int part = 0;
        long filled = 0;
        for (int i = 0; i < parts; i++) {
            for (long copied = 0; copied < lengths[i];) {
                long bytes = Math.min(lengths[i] - copied, target.lengths[part] - filled);
                MemorySegment.copy(regions[i].segment(), offsets[i] + copied, target.regions[part].segment(), target.offsets[part] + filled,
                        bytes);
                copied += bytes;
                filled += bytes;
                if (filled == target.lengths[part]) {
                    part++;
                    filled = 0;
                }
            }
        }
    }
}
