package org.panamaverbs.tools.perf;

import java.util.stream.IntStream;
import org.panamaverbs.QueuePair;

/** As many messages under way as the depth allows, on each connection in turn. */
final class BandwidthRun extends Run {
    /** Messages up to this size go out several with one doorbell, as many as have this size together. */
    private static final long BATCHED_SIZE = 256 << 10;
    private static final int SIGNAL_EVERY = 16;

    private final int depth;
    private final int batch;
    /** Every so many messages one is signalled. */
    private final int signalEvery;
    private final boolean credited;
    private final Window[] windows;

    BandwidthRun(ActiveSide side, long warmUpNanos, long nanos, Intervals intervals) {
        super(side, warmUpNanos, nanos, intervals);
        Plan plan = side.plan();
        depth = plan.depth();
        signalEvery = Math.max(1, Math.min(depth / 4, SIGNAL_EVERY));
        batch = (int) Math.max(1, Math.min(depth / 2, BATCHED_SIZE / Math.max(1, plan.size())));
        credited = plan.operation() == Operation.SEND;
        windows = IntStream.range(0, side.connections()).mapToObj(index -> new Window(side.requester(index))).toArray(Window[]::new);
    }

    /** What one connection has under way. */
    private final class Window {
        final Requester requester;
        final long[] postedAt = new long[depth / signalEvery + 2];
        long credits = credited ? 2L * depth : Long.MAX_VALUE;
        long posted;
        long completed;

        Window(Requester requester) {
            this.requester = requester;
        }

        /** Posts so many, or as many as there is room for; {@code false} where there is none. */
        boolean fill(long wanted) {
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
                    requester.pair().ringDoorbell();
                    return i > 1;
                }
                posted++;
                if (credited) {
                    credits--;
                }
            }
            return true;
        }

        void onCompletion(long number) {
            completed = number + 1;
            record(System.nanoTime() - postedAt[(int) (number / signalEvery % postedAt.length)]);
        }

        /** On to a signalled one, which shows that all are done. */
        void complete() {
            while (posted % signalEvery != 0) {
                if (!fill(signalEvery - posted % signalEvery)) {
                    side.await(BandwidthRun.this);
                }
            }
        }
    }

    @Override
    protected void runFor(long nanos) {
        long now = System.nanoTime();
        long end = now + nanos;
        for (; now - end < 0; now = System.nanoTime()) {
            betweenMessages(now);
            boolean filled = false;
            for (Window window : windows) {
                filled |= window.fill(batch);
            }
            if (filled) {
                side.poll(this);
            } else {
                side.await(this);
            }
        }
        for (Window window : windows) {
            window.complete();
        }
        for (Window window : windows) {
            while (window.completed < window.posted) {
                side.await(this);
            }
        }
    }

    @Override
    void onCompletion(int connection, long number) {
        windows[connection].onCompletion(number);
    }

    @Override
    void onReceive(int connection, long length) {
        windows[connection].credits += Target.creditEvery(depth);
    }

    @Override
    protected long done() {
        long done = 0;
        for (Window window : windows) {
            done += window.completed;
        }
        return done;
    }

    @Override
    protected int waysPerLatency() {
        return 1;
    }
}
