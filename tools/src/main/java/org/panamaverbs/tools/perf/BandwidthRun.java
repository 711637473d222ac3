package org.panamaverbs.tools.perf;

import org.panamaverbs.QueuePair;

/** As many messages under way as the depth allows. */
final class BandwidthRun extends Run {
    /** Up to this size several messages go out with one doorbell. */
    private static final long BATCHED_SIZE = 16 << 10;
    private static final int BATCH = 16;

    private final int depth;
    private final int batch;
    /** Every so many messages one is signalled. */
    private final int signalEvery;
    private final long[] postedAt;
    private final boolean credited;
    private long credits;
    private long posted;
    private long completed;

    BandwidthRun(Requester requester, long warmUpNanos, long nanos) {
        super(requester, warmUpNanos, nanos);
        Plan plan = requester.plan();
        depth = plan.depth();
        signalEvery = Math.max(1, Math.min(depth / 4, BATCH));
        batch = plan.size() > BATCHED_SIZE ? 1 : Math.max(1, Math.min(depth / 2, BATCH));
        postedAt = new long[depth / signalEvery + 2];
        credited = plan.operation() == Operation.SEND;
        credits = credited ? 2L * depth : Long.MAX_VALUE;
    }

    @Override
    protected void runFor(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() - end < 0) {
            if (!fill(batch)) {
                requester.await(this);
            } else {
                requester.poll(this);
            }
        }
        // On to a signalled one, which shows that all are done.
        while (posted % signalEvery != 0) {
            if (!fill(signalEvery - posted % signalEvery)) {
                requester.await(this);
            }
        }
        while (completed < posted) {
            requester.await(this);
        }
    }

    /** Posts so many, or as many as there is room for; {@code false} where there is none. */
    private boolean fill(long wanted) {
        long room = Math.min(Math.min(depth - (posted - completed), credits), wanted);
        if (room <= 0) {
            return false;
        }
        for (long i = 1; i <= room; i++) {
            boolean signalled = (posted + 1) % signalEvery == 0;
            int flags = (signalled ? QueuePair.SIGNALED : 0) | (i < room ? QueuePair.MORE : 0);
            if (signalled) {
                postedAt[(int) (posted / signalEvery % postedAt.length)] = System.nanoTime();
            }
            if (!requester.post(posted, flags)) {
                requester.pair().ring();
                return i > 1;
            }
            posted++;
            if (credited) {
                credits--;
            }
        }
        return true;
    }

    @Override
    void onCompletion(long id) {
        completed = id + 1;
        record(System.nanoTime() - postedAt[(int) (id / signalEvery % postedAt.length)]);
    }

    @Override
    void onReceive(long length) {
        credits += Target.creditEvery(depth);
    }

    @Override
    protected long done() {
        return completed;
    }

    @Override
    protected int waysPerLatency() {
        return 1;
    }
}
