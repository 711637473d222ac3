package org.panamaverbs.ddp.buffers;

import java.util.Arrays;
import org.panamaverbs.VerbsException;

/**
 * The indications that wait for the program: a ring that grows while it is needed. The socket's thread adds, and any thread takes. The
 * socket stops receiving while {@link #isFull()}; what one receiving call brought is added nevertheless.
 */
public final class Indications {
    private static final int FEW = 16;

    private final int limit;
    /** Whether it is an untagged message; otherwise it is a notification. */
    private boolean[] untagged = new boolean[FEW];
    /** The message identifier of a tagged message, or the octet of an untagged one. */
    private int[] numbers = new int[FEW];
    private int[] words = new int[FEW];
    private int[] queues = new int[FEW];
    private Buffer[] buffers = new Buffer[FEW];
    private long[] offsets = new long[FEW];
    private long[] lengths = new long[FEW];
    private Object[] sources = new Object[FEW];
    private int head;
    private int count;
    private long total;
    /** Whether the stream has ended; that is the last indication, behind all others. */
    private boolean ended;
    private VerbsException failure;
    private Object peer;
    private boolean lastTaken;

    /**
     * Makes an empty ring.
     *
     * @param limit the number of indications from which on the socket stops receiving
     */
    public Indications(int limit) {
        this.limit = limit;
    }

    /** Whether the socket must stop receiving until the program takes some. */
    public synchronized boolean isFull() {
        return count >= limit;
    }

    /** How many were added so far. */
    public synchronized long total() {
        return total;
    }

    /** How many were added so far; the end counts as one. */
    public synchronized long announced() {
        return total + (ended ? 1 : 0);
    }

    synchronized void addMessage(Receive receive, long length, int queue, int octet, int word, Object source) {
        int at = next(true, source);
        numbers[at] = octet;
        words[at] = word;
        queues[at] = queue;
        buffers[at] = receive.buffer();
        offsets[at] = receive.offset();
        lengths[at] = length;
    }

    synchronized void addNotification(int messageId, int octet, Object source) {
        int at = next(false, source);
        numbers[at] = messageId;
        words[at] = octet;
        queues[at] = 0;
    }

    private int next(boolean message, Object source) {
        if (count == untagged.length) {
            grow();
        }
        int at = (head + count++) % untagged.length;
        untagged[at] = message;
        sources[at] = source;
        total++;
        return at;
    }

    private void grow() {
        int old = untagged.length;
        // Unrolls the ring: the oldest moves to index 0.
        int size = 2 * old;
        untagged = Arrays.copyOf(rotated(untagged), size);
        buffers = Arrays.copyOf(rotated(buffers, buffers.clone()), size);
        sources = Arrays.copyOf(rotated(sources, sources.clone()), size);
        numbers = Arrays.copyOf(rotated(numbers), size);
        words = Arrays.copyOf(rotated(words), size);
        queues = Arrays.copyOf(rotated(queues), size);
        offsets = Arrays.copyOf(rotated(offsets), size);
        lengths = Arrays.copyOf(rotated(lengths), size);
        head = 0;
    }

    private <T> T[] rotated(T[] from, T[] to) {
        System.arraycopy(from, head, to, 0, from.length - head);
        System.arraycopy(from, 0, to, from.length - head, head);
        return to;
    }

    private boolean[] rotated(boolean[] from) {
        boolean[] to = new boolean[from.length];
        System.arraycopy(from, head, to, 0, from.length - head);
        System.arraycopy(from, 0, to, from.length - head, head);
        return to;
    }

    private int[] rotated(int[] from) {
        int[] to = new int[from.length];
        System.arraycopy(from, head, to, 0, from.length - head);
        System.arraycopy(from, 0, to, from.length - head, head);
        return to;
    }

    private long[] rotated(long[] from) {
        long[] to = new long[from.length];
        System.arraycopy(from, head, to, 0, from.length - head);
        System.arraycopy(from, 0, to, from.length - head, head);
        return to;
    }

    /** The stream has ended, in good order if the reason is {@code null}. Only the first call counts. */
    public synchronized void end(VerbsException reason, Object remote) {
        if (!ended) {
            ended = true;
            failure = reason;
            peer = remote;
        }
    }

    /** Whether the stream has ended; indications from before may still wait. */
    public synchronized boolean isEnded() {
        return ended;
    }

    /** Whether there is something to take, or nothing will come any more. */
    public synchronized boolean isReady() {
        return count > 0 || ended;
    }

    /** Whether the last indication was taken: nothing will come any more. */
    public synchronized boolean isOver() {
        return lastTaken;
    }

    /**
     * Takes the oldest.
     *
     * @return {@code false} if there is none
     */
    public synchronized boolean take(IndicationTaker into) {
        if (count == 0) {
            if (!ended || lastTaken) {
                return false;
            }
            lastTaken = true;
            into.end(failure, peer);
            return true;
        }
        int at = head;
        if (untagged[at]) {
            into.message(buffers[at], offsets[at], lengths[at], queues[at], numbers[at], words[at], sources[at]);
        } else {
            into.notification(numbers[at], words[at], sources[at]);
        }
        buffers[at] = null;
        sources[at] = null;
        head = (head + 1) % untagged.length;
        count--;
        return true;
    }
}
