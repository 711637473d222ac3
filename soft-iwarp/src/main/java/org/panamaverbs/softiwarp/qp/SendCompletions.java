package org.panamaverbs.softiwarp.qp;

import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.queue.SendQueue;

/** Completes Sends and Writes once their last byte is sent. By the thread that transmits. */
final class SendCompletions {
    private static final int FEW = 4;

    private final SendQueue requests;
    /** Rings of described requests: their sequence numbers, and the stream offsets at which they end; [head, tail). */
    private long[] sequences = new long[FEW];
    private long[] ends = new long[FEW];
    private long head;
    private long tail;

    SendCompletions(SendQueue requests) {
        this.requests = requests;
    }

    /** A request is described, and its last byte ends at a stream offset. */
    void onDescribed(long request, long end) {
        if (tail - head == ends.length) {
            grow();
        }
        sequences[slot(tail)] = request;
        ends[slot(tail)] = end;
        tail++;
    }

    private int slot(long index) {
        return (int) index & ends.length - 1;
    }

    /** At most to as many as one vector describes. */
    private void grow() {
        long[] moreSequences = new long[2 * ends.length];
        long[] moreEnds = new long[2 * ends.length];
        for (long i = head; i < tail; i++) {
            moreSequences[(int) i & moreEnds.length - 1] = sequences[slot(i)];
            moreEnds[(int) i & moreEnds.length - 1] = ends[slot(i)];
        }
        sequences = moreSequences;
        ends = moreEnds;
    }

    /**
     * Bytes up to a stream offset are sent.
     *
     * @return {@code false} if the completion queue overran
     */
    boolean onSent(long offset) {
        if (head == tail || ends[slot(head)] > offset) {
            return true;
        }
        while (head < tail && ends[slot(head)] <= offset) {
            requests.done(sequences[slot(head)], CompletionStatus.SUCCESS, 0);
            head++;
        }
        return requests.retireDone();
    }

    /** What is described and not sent will not complete this way. */
    void clear() {
        head = tail;
    }
}
