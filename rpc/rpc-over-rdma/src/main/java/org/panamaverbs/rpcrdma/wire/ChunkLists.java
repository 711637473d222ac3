package org.panamaverbs.rpcrdma.wire;

import java.util.ArrayList;
import java.util.List;

/**
 * The chunk lists of a message (RFC 8166, 4.3): the Read list, the Write list and the Reply chunk; and the field that version 2 has beside them, the
 * direction and the handle that the responder may invalidate. Used again and again.
 */
public final class ChunkLists {
    private final SegmentList reads = new SegmentList();
    private final List<SegmentList> writes = new ArrayList<>();
    private final SegmentList reply = new SegmentList();
    private int writeChunks;
    private boolean replyPresent;
    private int direction;
    private int invalidateHandle;

    public void clear() {
        reads.clear();
        writeChunks = 0;
        reply.clear();
        replyPresent = false;
        direction = 0;
        invalidateHandle = 0;
    }

    /** The segments of all Read chunks; those with the same position are one chunk. */
    public SegmentList reads() {
        return reads;
    }

    public int writeChunks() {
        return writeChunks;
    }

    public SegmentList write(int chunk) {
        if (chunk < 0 || chunk >= writeChunks) {
            throw new IndexOutOfBoundsException(chunk);
        }
        return writes.get(chunk);
    }

    /** Adds a Write chunk without segments. */
    public SegmentList addWrite() {
        if (writeChunks == writes.size()) {
            writes.add(new SegmentList());
        }
        SegmentList chunk = writes.get(writeChunks++);
        chunk.clear();
        return chunk;
    }

    public boolean hasReply() {
        return replyPresent;
    }

    public SegmentList reply() {
        return reply;
    }

    /** Adds a Reply chunk without segments. */
    public SegmentList addReply() {
        replyPresent = true;
        reply.clear();
        return reply;
    }

    /** Version 2: {@link Wire#CALL} or {@link Wire#REPLY}. */
    public int direction() {
        return direction;
    }

    public void setDirection(int direction) {
        this.direction = direction;
    }

    /** Version 2: the handle that the responder may invalidate, or 0 for none. */
    public int invalidateHandle() {
        return invalidateHandle;
    }

    public void setInvalidateHandle(int handle) {
        invalidateHandle = handle;
    }

    public boolean isEmpty() {
        return reads.count() == 0 && writeChunks == 0 && !replyPresent;
    }

    public void set(ChunkLists other) {
        clear();
        reads.set(other.reads);
        for (int i = 0; i < other.writeChunks; i++) {
            addWrite().set(other.writes.get(i));
        }
        if (other.replyPresent) {
            addReply().set(other.reply);
        }
        direction = other.direction;
        invalidateHandle = other.invalidateHandle;
    }
}
