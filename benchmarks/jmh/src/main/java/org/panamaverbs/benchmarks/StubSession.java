package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;

/**
 * A session on the device that does nothing: a stub (stub_device.c of the provider's tests), which {@code benchmarks/run} builds and puts in
 * the place of libibverbs and librdmacm.
 */
@SuppressWarnings("restricted") // the stub is called natively
final class StubSession implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private final Arena arena = Arena.ofShared();
    private final SymbolLookup stub;
    private final Verbs verbs;
    private final Device device;
    private final ProtectionDomain domain;
    private final CompletionQueue queue;
    private final MemoryRegion region;

    /**
     * @param size the size of the region, in bytes
     */
    StubSession(int size) {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "rdma-core").build());
        device = verbs.device("stub0");
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(64);
        region = domain.register(arena.allocate(size, 64), Access.LOCAL_WRITE);
        stub = SymbolLookup.libraryLookup("libibverbs.so.1", arena);
    }

    ProtectionDomain domain() {
        return domain;
    }

    CompletionQueue queue() {
        return queue;
    }

    MemoryRegion region() {
        return region;
    }

    /** Attributes of queue pairs that complete in the queue. */
    QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withDepths(16, 16);
    }

    /** Connects a queue pair to nobody. */
    QueuePair connect(QueuePairAttributes attributes) {
        Connector connector = ConnectionManager.of(device).connector(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1), LIMIT);
        QueuePair connected = connector.createQueuePair(domain, attributes);
        connector.connect(ConnectionParameters.defaults(), LIMIT);
        return connected;
    }

    /** The {@code ibv_qp} that was made last. */
    long lastQueuePair() throws Throwable {
        return (long) Linker.nativeLinker().downcallHandle(function("stub_queue_pair"), FunctionDescriptor.of(ValueLayout.JAVA_LONG))
                .invokeExact();
    }

    /** A function of the stub, without the arena of the library: each call would hold that. */
    MemorySegment function(String name) {
        return MemorySegment.ofAddress(stub.find(name).orElseThrow().address());
    }

    /** Closes all, in the order of verbs. */
    @Override
    public void close() {
        verbs.close();
        arena.close();
    }
}
