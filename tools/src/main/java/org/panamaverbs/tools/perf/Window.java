package org.panamaverbs.tools.perf;

import org.panamaverbs.tools.shared.Failure;

/**
 * The messages that one end of a connection has under way in a measurement of bandwidth: as many as the depth allows, and if they take
 * receives, no more than the peer has given credits for.
 */
final class Window {
    /** Messages up to this size go out several with one doorbell, as many as have this size together. */
    private static final long BATCHED_SIZE = 256 << 10;
    private static final int SIGNAL_EVERY = 16;

    private final Messages messages;
    private final long tag;
    private final int depth;
    private final int batch;
    /** Every so many messages one is signalled. */
    private final int signalEvery;
    private final boolean credited;
    private final long[] postedAt;
    private long credits;
    private long posted;
    private long completed;

    /** @param tag the upper bits of the request numbers */
    Window(Plan plan, Messages messages, long tag) {
        this.messages = messages;
        this.tag = tag;
        depth = plan.depth();
        batch = (int) Math.max(1, Math.min(depth / 2, BATCHED_SIZE / plan.size()));
        signalEvery = Math.max(1, Math.min(depth / 4, SIGNAL_EVERY));
        postedAt = new long[depth / signalEvery + 2];
        credited = plan.operation().delivers();
        credits = credited ? receives(depth) : Long.MAX_VALUE;
    }

    /** How many receives the other end has posted at first: that many messages need no credit. */
    static int receives(int depth) {
        return 2 * depth;
    }

    /** After how many messages the other end gives as many credits. */
    static int creditEvery(int depth) {
        return Math.max(1, depth / 2);
    }

    /** Posts some messages; {@code false} if there is room for none. */
    boolean fill() {
        return fill(batch);
    }

    private boolean fill(long wanted) {
        long room = Math.min(Math.min(depth - (posted - completed), credits), wanted);
        if (room <= 0) {
            return false;
        }
        for (long i = 1; i <= room; i++) {
            boolean signalled = (posted + 1) % signalEvery == 0;
            if (signalled) {
                postedAt[(int) (posted / signalEvery % postedAt.length)] = System.nanoTime();
            }
            if (!messages.post(tag | posted, posted, signalled, i < room)) {
                messages.flush();
                return i > 1;
            }
            posted++;
            if (credited) {
                credits--;
            }
        }
        return true;
    }

    /** Whether the last message posted is signalled, so that its completion shows that all are done. */
    boolean isSignalled() {
        return posted % signalEvery == 0;
    }

    /** Posts messages up to the next signalled one; {@code false} if there is room for none. */
    boolean fillToSignal() {
        return fill(signalEvery - posted % signalEvery);
    }

    /** Whether all messages are done. */
    boolean isDone() {
        return completed == posted;
    }

    /** How many messages are done. */
    long completed() {
        return completed;
    }

    /** A signalled message has completed; returns how long that took since it was posted, in nanoseconds. */
    long onCompletion(long number) {
        completed = number + 1;
        return System.nanoTime() - postedAt[(int) (number / signalEvery % postedAt.length)];
    }

    /** The other end has given credits. */
    void onCredits() {
        credits += creditEvery(depth);
        if (!credited || credits > receives(depth)) {
            throw new Failure(Failure.Kind.PEER,
                    "the peer gives credits for more messages than it has receives: run the same version at " + "both ends");
        }
    }

    /** Once all are done: checks what they did. */
    void check() {
        messages.check(posted);
    }
}
