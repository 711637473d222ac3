package org.panamaverbs.softiwarp.rdmap;

import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.queue.SendQueue;

/** Completes Sends and Writes once their last byte is sent. Only the transmitting thread uses it. */
final class SendCompletions {
    private static final int FEW = 4;

    private final SendQueue requests;
    /** Rings of the described requests in [head, tail): their sequence numbers, and the stream offsets at which they end. */
    private long[] sequences = new long[FEW];
    private long[] ends = new long[FEW];
    private long head;
    private long tail;

    SendCompletions(SendQueue requests) {
        this.requests = requests;
    }

    /** A request is described; its last byte ends at this stream offset. */
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

    /** The rings never grow beyond the number of requests that one vector describes. */
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
     * The bytes up to this stream offset are sent.
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

    /** Forgets the requests that are described and not sent: a flush completes them. */
    void clear() {
        head = tail;
    }
}
