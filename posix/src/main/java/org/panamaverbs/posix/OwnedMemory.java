package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Native memory that its owner gives back by {@link #close}, by C's {@code calloc} and {@code free}. An automatic arena of the JDK leaves
 * that to the collector, and shares the limit of {@code -XX:MaxDirectMemorySize} with the program; a shared one stops all threads for its
 * close.
 *
 * <p>Nothing guards the memory: the owner closes it when no thread can use a segment of it any more. Any thread may allocate.
 */
public final class OwnedMemory implements SegmentAllocator, AutoCloseable {
    private static final AtomicLong IN_USE = new AtomicLong();
    /** C's own alignment. */
    private static final long ALIGNED = 16;
    private static final int FEW = 4;

    private long[] blocks;
    private int count;
    private long bytes;
    private boolean closed;

    /** The handles, linked when the first call is made. */
    @SuppressWarnings("restricted") // native access is what this class is for
    private static final class Linked {
        /** No call's error number is of interest: only memory can be missing. */
        static final MemorySegment UNREAD = Native.newErrno(Arena.global());
        // Addresses are numbers here: an object for each would take more than many a block.
        static final MethodHandle CALLOC = link("calloc",
                FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
        static final MethodHandle FREE = link("free", FunctionDescriptor.ofVoid(ValueLayout.JAVA_LONG));

        private static MethodHandle link(String name, FunctionDescriptor descriptor) {
            return SocketCalls.link(name, Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor);
        }
    }

    /**
     * Allocates memory that is full of zeros.
     *
     * @throws OutOfMemoryError      if the system has not so much
     * @throws IllegalStateException after {@link #close}
     */
    @Override
    @SuppressWarnings("restricted") // memory that native code hands out has no size
    public synchronized MemorySegment allocate(long byteSize, long byteAlignment) {
        if (closed) {
            throw new IllegalStateException("the memory is given back");
        }
        if (blocks == null) {
            blocks = new long[FEW];
        } else if (count == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * count);
        }
        long size = Math.max(1, byteSize) + Math.max(0, byteAlignment - ALIGNED);
        long block = calloc(size);
        blocks[count++] = block;
        bytes += size;
        IN_USE.addAndGet(size);
        return MemorySegment.ofAddress(Math.ceilDiv(block, byteAlignment) * byteAlignment).reinterpret(byteSize);
    }

    private static long calloc(long size) {
        long block;
        try {
            block = (long) Linked.CALLOC.invokeExact(Linked.UNREAD, 1L, size);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
        if (block == 0) {
            throw new OutOfMemoryError("the system has no " + size + " bytes of native memory");
        }
        return block;
    }

    /** Gives all of it back; further calls do nothing. */
    @Override
    public synchronized void close() {
        closed = true;
        while (count > 0) {
            try {
                Linked.FREE.invokeExact(Linked.UNREAD, blocks[--count]);
            } catch (Throwable e) {
                throw Native.unexpected(e);
            }
        }
        blocks = null;
        IN_USE.addAndGet(-bytes);
        bytes = 0;
    }

    /** The bytes that all owners in this process have now: for tests, which find here what was not given back. */
    public static long inUse() {
        return IN_USE.get();
    }
}
