package org.panamaverbs.benchmarks;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;

/**
 * The cost of the provider for RDMA devices: a Write posted and its completion polled through Java, against a C program that does the same
 * by the same function pointers of the same device, and against the floor: the two calls alone, from Java, with a request that was written
 * before. The device is that of {@link StubSession}.
 */
@SuppressWarnings("restricted") // the C program is called natively
public class DeviceBenchmark extends Measured {
    private static final int SIZE = 64;
    private static final int OPERATIONS = 1000;
    private static final int BATCH = 8;

    private static final MethodHandle PROGRAM = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
    private static final FunctionDescriptor CALL = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    /** As the provider calls a device: by handles that are constants, with raw addresses. A post is a call like any other. */
    private static final MethodHandle POST = Linker.nativeLinker().downcallHandle(CALL);
    /** A poll is critical. */
    private static final MethodHandle POLL = Linker.nativeLinker().downcallHandle(CALL, Linker.Option.critical(false));

    private final SendRequest request = new SendRequest();
    private StubSession session;
    private CompletionQueue queue;
    private MemoryRegion region;
    private RemoteMemory target;
    private QueuePair queuePair;
    private final Completions completions = Completions.allocate(BATCH);
    private MemorySegment loop;
    private MemorySegment batches;
    private MemorySegment postPrepared;
    private MemorySegment pollPrepared;
    private long nativeQueuePair;
    private long number;

    /** Connects a queue pair to nobody. */
    @Setup
    public void connect() throws Throwable {
        session = new StubSession(SIZE);
        queue = session.queue();
        region = session.region();
        target = region.remote();
        queuePair = session.connect(session.attributes());
        nativeQueuePair = session.lastQueuePair();
        loop = session.function("stub_loop");
        batches = session.function("stub_batches");
        postPrepared = session.function("stub_post");
        pollPrepared = session.function("stub_poll");
        Linker.nativeLinker()
                .downcallHandle(session.function("stub_prepare"),
                        FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_INT))
                .invokeExact(region.address(), SIZE, region.localKey(), region.address(), region.remoteKey());
    }

    /** Closes all. */
    @TearDown
    public void close() {
        session.close();
    }

    /** Through the provider. */
    @Benchmark
    public void throughJava() {
        if (!queuePair.tryPost(request.write(++number).local(region, 0, SIZE).remote(target, 0).signaled()) || queue.poll(completions) != 1
                || !completions.next() || !completions.isSuccess() || completions.id() != number) {
            throw new IllegalStateException("request " + number + " did not complete");
        }
    }

    /** Through the provider, eight requests with one doorbell and one poll; per request. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void throughJavaInEights() {
        for (int i = 1; i <= BATCH; i++) {
            queuePair.post(request.write(++number).local(region, 0, SIZE).remote(target, 0).signaled().more(i < BATCH));
        }
        if (queue.poll(completions) != BATCH) {
            throw new IllegalStateException("request " + number + " did not complete");
        }
        for (int i = 1; i <= BATCH; i++) {
            if (!completions.next() || !completions.isSuccess() || completions.id() != number - BATCH + i) {
                throw new IllegalStateException("request " + (number - BATCH + i) + " did not complete");
            }
        }
    }

    /** From C. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void fromC() throws Throwable {
        run(loop);
    }

    /** From C, eight requests with one doorbell and one poll; per request. */
    @Benchmark
    @OperationsPerInvocation(OPERATIONS)
    public void fromCInEights() throws Throwable {
        run(batches);
    }

    /** The floor: the two calls alone. */
    @Benchmark
    public void callsAlone() throws Throwable {
        calls(1);
    }

    /** The floor of eight requests with one doorbell and one poll; per request. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void callsAloneInEights() throws Throwable {
        calls(BATCH);
    }

    private void calls(int requests) throws Throwable {
        if ((int) POST.invokeExact(postPrepared, nativeQueuePair, requests) != 0
                || (int) POLL.invokeExact(pollPrepared, nativeQueuePair, requests) != requests) {
            throw new IllegalStateException("a request did not complete");
        }
    }

    private void run(MemorySegment program) throws Throwable {
        long failed = (long) PROGRAM.invokeExact(program, nativeQueuePair, region.address(), SIZE, region.localKey(), region.address(),
                region.remoteKey(), (long) OPERATIONS);
        if (failed != 0) {
            throw new IllegalStateException(failed + " requests did not complete");
        }
    }
}
