package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.softiwarp.fixtures.Host;

/**
 * Measures the round trips of a connection whose two ends share one event loop with others. Time is what the threads that may lead the loop
 * spend on a processor, so that other processes do not count.
 */
final class RoundTrips {
    /** Bytes of a message. */
    static final int SIZE = 64;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private RoundTrips() {
    }

    /** How long round trips took, in order of length, in nanoseconds of the threads that may lead the loop. */
    static long[] measure(Host.Pair pair, MemoryRegion memory, long duration) {
        long[] leaders = leaders();
        List<Long> nanos = new ArrayList<>();
        long start = System.nanoTime();
        while (System.nanoTime() - start < duration) {
            long before = processorNanos(leaders);
            send(pair.client(), pair.server(), memory);
            send(pair.server(), pair.client(), memory);
            nanos.add(processorNanos(leaders) - before);
        }
        return nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    }

    /** The threads that may lead the loop: its progress thread, and the caller while it waits for completions. */
    private static long[] leaders() {
        long[] leaders = Arrays.stream(THREADS.getThreadInfo(THREADS.getAllThreadIds()))
                .filter(thread -> thread != null && (thread.getThreadName().startsWith("soft-iwarp0-progress-")
                        || thread.getThreadId() == Thread.currentThread().threadId()))
                .mapToLong(ThreadInfo::getThreadId).toArray();
        assertEquals(2, leaders.length, "threads that may lead");
        return leaders;
    }

    private static long processorNanos(long[] threads) {
        long nanos = 0;
        for (long thread : threads) {
            nanos += THREADS.getThreadCpuTime(thread);
        }
        return nanos;
    }

    private static void send(Host.End from, Host.End to, MemoryRegion memory) {
        to.queuePair.post(new ReceiveRequest().receive(1).local(memory, 0, SIZE));
        from.queuePair.post(new SendRequest().send(2).local(memory, 0, SIZE).signaled());
        assertEquals(CompletionStatus.SUCCESS, to.next().status());
        assertEquals(CompletionStatus.SUCCESS, from.next().status());
    }
}
