package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Netty's leak detector, which keeps what it finds. The property {@code io.netty.customResourceLeakDetector} of the tests names it, and
 * {@code io.netty.leakDetection.level} is paranoid: each buffer is watched.
 */
public final class LeakRecorder<T> extends ResourceLeakDetector<T> {
    private static final List<String> FOUND = new CopyOnWriteArrayList<>();
    private static final int COLLECTIONS = 5;

    /** For Netty, by reflection. */
    public LeakRecorder(Class<?> type, int interval) {
        super(type, interval);
    }

    /** Netty looks for this constructor, too, and complains without it. */
    public LeakRecorder(Class<?> type, int interval, long unused) {
        this(type, interval);
    }

    @Override
    protected boolean needReport() {
        return true;
    }

    @Override
    protected void reportTracedLeak(String type, String records) {
        FOUND.add(type + records);
    }

    @Override
    protected void reportUntracedLeak(String type) {
        FOUND.add(type);
    }

    /** Fails if a buffer was collected that nobody had released. */
    public static void check() throws InterruptedException {
        assertEquals(ResourceLeakDetector.Level.PARANOID, ResourceLeakDetector.getLevel());
        assertEquals(List.of(), takeFound());
    }

    /** {@return the leaks that were found since the last call} */
    static List<String> takeFound() throws InterruptedException {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            Thread.sleep(10);
            // Netty looks for leaks when it allocates.
            ByteBufAllocator.DEFAULT.directBuffer(1).release();
        }
        List<String> found = List.copyOf(FOUND);
        FOUND.clear();
        return found;
    }
}
