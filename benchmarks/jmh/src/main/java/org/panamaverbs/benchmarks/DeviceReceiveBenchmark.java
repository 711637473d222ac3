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
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;

/**
 * The cost of the provider for RDMA devices at the receiving side, on the device of {@link DeviceBenchmark}: eight receives posted with one
 * doorbell, and polled once messages have landed in them; per receive, with the call that makes the messages land.
 */
@SuppressWarnings("restricted") // the stub is called natively
public class DeviceReceiveBenchmark extends Measured {
    private static final int SIZE = 64;
    private static final int BATCH = 8;
    private static final MethodHandle DELIVER = Linker.nativeLinker()
            .downcallHandle(FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT));

    private final ReceiveRequest request = new ReceiveRequest();
    private final Completions completions = Completions.allocate(BATCH);
    private StubSession session;
    private QueuePair queuePair;
    private SharedReceiveQueue shared;
    private MemorySegment deliver;
    private long nativeQueuePair;
    private long nativeTaker;
    private long number;

    /** Connects a queue pair with receives of its own, and one that takes from a shared receive queue. */
    @Setup
    public void connect() throws Throwable {
        session = new StubSession(SIZE);
        deliver = session.function("stub_deliver");
        queuePair = session.connect(session.attributes());
        nativeQueuePair = session.lastQueuePair();
        shared = session.domain().createSharedReceiveQueue(16, 1);
        session.connect(session.attributes().withSharedReceiveQueue(shared));
        nativeTaker = session.lastQueuePair();
    }

    /** Closes all. */
    @TearDown
    public void close() {
        session.close();
    }

    /** Of a queue pair. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void inEights() throws Throwable {
        receive(queuePair, nativeQueuePair);
    }

    /** Of a shared receive queue. */
    @Benchmark
    @OperationsPerInvocation(BATCH)
    public void sharedInEights() throws Throwable {
        receive(shared, nativeTaker);
    }

    private void receive(ReceiveQueue receives, long taker) throws Throwable {
        for (int i = 1; i <= BATCH; i++) {
            receives.post(request.receive(++number).local(session.region(), 0, SIZE).more(i < BATCH));
        }
        if ((int) DELIVER.invokeExact(deliver, taker, BATCH) != BATCH || session.queue().poll(completions) != BATCH) {
            throw new IllegalStateException("receive " + number + " did not complete");
        }
        for (int i = 1; i <= BATCH; i++) {
            if (!completions.next() || !completions.isSuccess() || completions.byteLength() != SIZE) {
                throw new IllegalStateException("receive " + (number - BATCH + i) + " did not complete");
            }
        }
    }
}
