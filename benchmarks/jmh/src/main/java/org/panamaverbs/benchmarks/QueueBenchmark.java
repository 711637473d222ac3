package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.ReceiveRing;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

/** The rings alone, by one thread, without contention: no protocol, no connection, and not the API's checks. */
public class QueueBenchmark extends Measured {
    private static final int DEPTH = 128;

    private Arena arena;
    private RegisteredMemory memory;
    private CompletionRing ring;
    private SendQueue sendQueue;
    private ReceiveRing receiveQueue;
    private Completions completions;
    private final Origin origin = Origin.of(1);
    private long number;

    /** Makes the rings. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        memory = new RegisteredMemory(arena.allocate(4096), this, 0);
        ring = new CompletionRing(DEPTH, () -> {
            // Never armed.
        });
        sendQueue = new SendQueue(DEPTH, 1, 0, null, false, ring, Origin.of(1));
        receiveQueue = new ReceiveRing(DEPTH, 1, ring, Origin.of(1));
        completions = Completions.allocate(16);
    }

    /** Frees them. */
    @TearDown
    public void release() {
        arena.close();
    }

    /** A Write into the send queue, sent at once, and its completion out of the completion queue. */
    @Benchmark
    public long sendRequest() {
        long sequence = sendQueue.claim(++number);
        sendQueue.element(sequence, memory, 0, 4096);
        sendQueue.describe(sequence, SendQueue.Operation.WRITE, 4096, 0, 1, SendWorkRequest.SIGNALED);
        sendQueue.publish(sequence);
        sendQueue.described(sequence, number);
        sendQueue.sent(number);
        return poll();
    }

    /** A receive into its queue, completed at once, and its completion out of the completion queue. */
    @Benchmark
    public long receive() {
        long sequence = receiveQueue.claim(++number);
        receiveQueue.element(sequence, memory, 0, 4096);
        receiveQueue.publish(sequence);
        receiveQueue.complete(CompletionStatus.SUCCESS, 0, 4096, false, false, 0);
        return poll();
    }

    /** A completion into the completion queue, and out. */
    @Benchmark
    public long completion() {
        ring.add(++number, CompletionStatus.SUCCESS.value(), CompletionOpcode.WRITE.value(), 0, 4096, 0, 0, origin, false);
        return poll();
    }

    private long poll() {
        ring.poll(Described.of(completions));
        if (!completions.next() || completions.id() != number) {
            throw new IllegalStateException("request " + number + " did not complete");
        }
        return completions.id();
    }
}
