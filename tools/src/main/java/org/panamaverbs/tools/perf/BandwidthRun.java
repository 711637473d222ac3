package org.panamaverbs.tools.perf;

import java.util.stream.IntStream;
import org.panamaverbs.tools.shared.Failure;

/** As many messages under way as the depth allows, on each connection in turn. */
final class BandwidthRun extends Run {
    private final Window[] windows;
    private long done;

    BandwidthRun(ActiveSide side, Course course, int thread) {
        super(side, course, thread);
        windows = IntStream.range(0, side.connections())
                .mapToObj(index -> new Window(side.plan(), side.requester(index).messages(), ActiveSide.id(index, 0)))
                .toArray(Window[]::new);
    }

    @Override
    protected void runFor(long nanos) {
        long nanoTime = System.nanoTime();
        long end = nanoTime + nanos;
        for (; nanoTime - end < 0; nanoTime = System.nanoTime()) {
            betweenMessages(nanoTime);
            boolean filled = false;
            for (Window window : windows) {
                filled |= window.fill();
            }
            if (filled) {
                side.poll(this);
            } else {
                side.await(this);
            }
        }
        for (Window window : windows) {
            while (!window.isSignalled()) {
                if (!window.fillToSignal()) {
                    side.await(this);
                }
            }
        }
        for (Window window : windows) {
            while (!window.isDone()) {
                side.await(this);
            }
            window.check();
        }
    }

    @Override
    void onCompletion(int connection, long number) {
        Window window = windows[connection];
        done += number + 1 - window.completed();
        record(window.onCompletion(number));
    }

    @Override
    void onCredits(int connection) {
        windows[connection].onCredits();
    }

    @Override
    void onMessage(int connection) {
        if (!side.plan().both()) {
            throw new Failure(Failure.Kind.PEER,
                    "the peer sends messages of its own, and only one direction is measured: run the same " + "version at both ends");
        }
        // The other end counts them.
    }

    @Override
    protected long done() {
        return done;
    }
}
