package org.panamaverbs.tools.perf.idle;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.Device;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.tools.shared.Resources;

/**
 * The active ends of connections that carry nothing, and the memory that they take here: with queues of the default depths, and without
 * buffers, as no memory is registered for them.
 */
public final class IdleConnections implements AutoCloseable {
    private static final int COLLECTIONS = 3;
    private static final int AT_ONCE = 16;

    private final Resources resources;
    private final int count;
    private final long heapBytes;
    private final long nativeBytes;
    private final long connectNanos;

    /**
     * @param plan     that the listener is asked for
     * @param patience how long connecting one may take
     */
    public IdleConnections(Device device, InetSocketAddress peer, int count, byte[] plan, Duration patience) {
        this.count = count;
        resources = new Resources(device, 2 * count);
        try (Rollback undo = new Rollback()) {
            undo.add(resources::close);
            // The first one has classes loaded, and is not counted.
            connect(device, peer, plan, patience);
            long heapBefore = heapUsed();
            long nativeBefore = nativeUsed();
            long start = System.nanoTime();
            connectAll(() -> connect(device, peer, plan, patience));
            connectNanos = System.nanoTime() - start;
            heapBytes = heapUsed() - heapBefore;
            nativeBytes = nativeUsed() - nativeBefore;
            undo.commit();
        }
    }

    /** All but the first. The first failure ends the others that have not begun. */
    private void connectAll(Runnable connecting) {
        AtomicInteger left = new AtomicInteger(count - 1);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            threads.add(CompletableFuture.runAsync(() -> {
                while (left.getAndDecrement() > 0) {
                    try {
                        connecting.run();
                    } catch (RuntimeException | Error e) {
                        left.set(0);
                        throw e;
                    }
                }
            }, task -> Thread.ofPlatform().daemon().name("connect").start(task)));
        }
        try {
            CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof VerbsException cause ? cause : e;
        }
    }

    private void connect(Device device, InetSocketAddress peer, byte[] plan, Duration patience) {
        try (Connector connector = ConnectionManager.of(device).connector(peer, patience)) {
            connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()));
            connector.connect(ConnectionParameters.defaults().withPrivateData(plan), patience);
        }
    }

    /** The heap in use after a collection. */
    private static long heapUsed() {
        // Cleaners, too, free what they hold only after a collection.
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
        }
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    /** The memory that arenas hold: the JDK counts it in the pool of direct buffers. */
    private static long nativeUsed() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getTotalCapacity).sum();
    }

    public int count() {
        return count;
    }

    public long heapBytesEach() {
        return heapBytes / Math.max(1, count - 1);
    }

    public long nativeBytesEach() {
        return nativeBytes / Math.max(1, count - 1);
    }

    /** How long all but the first took to connect, several at once. */
    public long connectNanos() {
        return connectNanos;
    }

    @Override
    public void close() {
        resources.close();
    }
}
