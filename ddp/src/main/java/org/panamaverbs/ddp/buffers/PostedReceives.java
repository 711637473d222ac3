package org.panamaverbs.ddp.buffers;

/** Receives that the program has posted, in order: a ring that grows up to its limit. Any thread posts, and the socket's thread takes. */
public final class PostedReceives {
    private static final int FEW = 16;

    private final int limit;
    private Buffer[] buffers = new Buffer[0];
    private long[] offsets = new long[0];
    private long[] lengths = new long[0];
    private int head;
    private int count;

    /**
     * Makes an empty ring.
     *
     * @param limit the most receives
     */
    public PostedReceives(int limit) {
        this.limit = limit;
    }

    /**
     * Posts a receive.
     *
     * @return {@code false} if the ring has as many as it may have
     */
    public synchronized boolean post(Buffer buffer, long offset, long length) {
        if (count >= limit) {
            return false;
        }
        if (count == buffers.length) {
            grow();
        }
        int at = (head + count++) % buffers.length;
        buffers[at] = buffer;
        offsets[at] = offset;
        lengths[at] = length;
        return true;
    }

    private void grow() {
        int size = (int) Math.min(Math.max(limit, count + 1), Math.max(FEW, 2L * buffers.length));
        Buffer[] moreBuffers = new Buffer[size];
        long[] moreOffsets = new long[size];
        long[] moreLengths = new long[size];
        for (int i = 0; i < count; i++) {
            int from = (head + i) % buffers.length;
            moreBuffers[i] = buffers[from];
            moreOffsets[i] = offsets[from];
            moreLengths[i] = lengths[from];
        }
        buffers = moreBuffers;
        offsets = moreOffsets;
        lengths = moreLengths;
        head = 0;
    }

    /** Whether there is one. Only the taking thread of a socket can rely on {@code true}, and only if no other socket takes. */
    synchronized boolean isEmpty() {
        return count == 0;
    }

    /** Takes the oldest receive; {@code false} if there is none. */
    synchronized boolean take(Receive into) {
        if (count == 0) {
            return false;
        }
        into.set(buffers[head], offsets[head], lengths[head]);
        buffers[head] = null;
        head = (head + 1) % buffers.length;
        count--;
        return true;
    }

    /** Puts a receive that was taken here back in front, also beyond the limit: no whole message came into it. */
    synchronized void putBack(Receive taken) {
        if (count == buffers.length) {
            grow();
        }
        head = (head - 1 + buffers.length) % buffers.length;
        buffers[head] = taken.buffer();
        offsets[head] = taken.offset();
        lengths[head] = taken.length();
        count++;
    }
}
