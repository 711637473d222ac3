package org.panamaverbs.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.kind.Transports;

/**
 * The driver of an event loop, here one without connections, and the cost of handing that over: a turn of a thread that polls while the
 * progress thread stands back, and the waking of a thread that sleeps until there is something. The second is the cost of a message
 * beside its own work if its progress is left to that thread.
 */
public class HandOverBenchmark extends Measured {
    /** The transport in which a thread sleeps. */
    @Param({ "epoll", "nio" })
    public String transport;

    private EventLoop loop;
    private Multiplexer multiplexer;
    private Thread sleeper;
    private volatile long turns;
    private volatile boolean over;

    /** Starts a loop, and a thread that sleeps as a progress thread does. */
    @Setup
    public void start() {
        loop = new EventLoop(Transports.open(transport), "benchmark-progress", 0);
        multiplexer = Transports.open(transport);
        sleeper = Thread.ofPlatform().daemon().start(() -> {
            while (!over) {
                multiplexer.select(-1);
                turns = turns + 1;
            }
        });
    }

    /** Ends them. */
    @TearDown
    public void stop() throws InterruptedException {
        over = true;
        multiplexer.wakeUp();
        sleeper.join();
        multiplexer.close();
        loop.close();
    }

    /** A turn by this thread, with a call that asks for events. */
    @Benchmark
    public void pollerTurns() {
        loop.drive();
    }

    /** The other thread is woken, and runs: one way. */
    @Benchmark
    public long sleeperWakes() {
        long before = turns;
        multiplexer.wakeUp();
        while (turns == before) {
            Thread.onSpinWait();
        }
        return before;
    }
}
