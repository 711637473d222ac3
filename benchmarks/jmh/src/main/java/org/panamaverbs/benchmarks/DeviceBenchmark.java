package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/**
 * The cost of the provider for RDMA devices: a Write posted and its completion polled through Java, against a C program that does the same
 * by the same function pointers of the same device. The device is a stub that does nothing (stub_device.c of the
 * provider's tests), which {@code benchmarks/run} builds and puts in the place of libibverbs and librdmacm.
 */
@SuppressWarnings("restricted") // the C program is called natively
public class DeviceBenchmark extends Measured {
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final int SIZE = 64;
    private static final int OPERATIONS = 1000;
    private static final int BATCH = 8;

    private final SendRequest request = new SendRequest();
    private static final FunctionDescriptor PROGRAM = FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
            ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT,
            ValueLayout.JAVA_LONG);

    private Arena arena;
    private Verbs verbs;
    private CompletionQueue queue;
    private MemoryRegion region;
    private RemoteMemory target;
    private QueuePair queuePair;
    private Completions completions;
    private MethodHandle loop;
    private MethodHandle batches;
    private MemorySegment nativeQueuePair;
    private long number;

    /** Connects a queue pair to nobody. */
    @Setup
    public void connect() throws Throwable {
        arena = Arena.ofShared();
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").build());
        Device device = verbs.device("stub0");
        ProtectionDomain domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(64);
        completions = Completions.allocate(BATCH);
        region = domain.register(arena.allocate(SIZE, 64), Access.LOCAL_WRITE);
        target = region.remote();
        Connector connector = ConnectionManager.of(device).connector(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), LIMIT);
        queuePair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(16, 16));
        connector.connect(ConnectionParameters.defaults(), LIMIT);
        SymbolLookup stub = SymbolLookup.libraryLookup("libibverbs.so.1", arena);
        Linker linker = Linker.nativeLinker();
        nativeQueuePair = (MemorySegment) linker
                .downcallHandle(stub.find("stub_queue_pair").orElseThrow(), FunctionDescriptor.of(ValueLayout.ADDRESS)).invokeExact();
        loop = linker.downcallHandle(stub.find("stub_loop").orElseThrow(), PROGRAM);
        batches = linker.downcallHandle(stub.find("stub_batches").orElseThrow(), PROGRAM);
    }

    /** Closes all, in the order of verbs. */
    @TearDown
    public void close() {
        verbs.close();
        arena.close();
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

    private void run(MethodHandle program) throws Throwable {
        long failed = (long) program.invokeExact(nativeQueuePair, region.address(), SIZE, region.localKey(), region.address(),
                region.remoteKey(), (long) OPERATIONS);
        if (failed != 0) {
            throw new IllegalStateException(failed + " requests did not complete");
        }
    }
}
