package org.panamaverbs.benchmarks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;
import org.panamaverbs.softiwarp.memory.Crc32cViews;

/** CRC-32C of native memory as the stack computes it, through {@link Crc32cViews}. The memory is in the cache. */
public class ChecksumBenchmark extends Measured {
    /** Bytes. */
    @Param({ "64", "256", "1024", "4096", "16384", "64704" })
    public int size;

    private final CRC32C crc = new CRC32C();
    private Arena arena;
    private Crc32cViews views;

    /** Makes the memory. */
    @Setup
    public void prepare() {
        arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(size, 64);
        for (int i = 0; i < size; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
        }
        views = new Crc32cViews(memory);
    }

    /** Frees it. */
    @TearDown
    public void release() {
        arena.close();
    }

    /** The whole memory, from the start value on. */
    @Benchmark
    public long crc32c() {
        crc.reset();
        views.update(crc, 0, size);
        return crc.getValue();
    }
}
