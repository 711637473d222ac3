package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.SharedMemoryCalls;
import org.panamaverbs.softiwarp.transport.Failures;

/**
 * The memory that two processes share for one connection: a page of positions and marks, and a ring of bytes for each direction. Nothing
 * else is ever mapped by the peer. The peer may change every byte of it at any time: so each position is read once, checked and then used,
 * and bytes are judged only after they were copied out.
 *
 * <pre>
 * page        first 2,048 bytes: direction 0, from the connecting side; then direction 1
 *   +0        bytes ever written, by the writer
 *   +256      bytes ever read, by the reader
 *   +512      mark: the reader sleeps, and wants to be woken by the next byte
 *   +768      mark: the writer wants to be woken when half of the ring is free
 *   +1024     the writer's side has left, and has not read all
 *   +1280     the writer has ended this direction
 * rings       direction 0, then direction 1
 * </pre>
 *
 * <p>The file is sealed against shrinking before it is sent and checked for that before it is mapped, so no access can fail. The positions
 * stand 256 bytes apart: processors fetch pairs of lines of 64 bytes.
 */
final class RingMemory {
    static final int PAGE = 4096;
    /** Bytes that each direction holds. */
    static final int CAPACITY = 1 << 20;
    static final int LEAST_CAPACITY = 4096;
    static final int MOST_CAPACITY = 4 << 20;

    static final long WRITTEN = 0;
    static final long READ = 256;
    static final long READER_SLEEPS = 512;
    static final long WRITER_WAITS = 768;
    static final long LEFT = 1024;
    static final long ENDED = 1280;
    private static final long DIRECTION = 2048;

    static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();
    static final VarHandle MARK = ValueLayout.JAVA_INT.varHandle();

    private static final int SEALS = SharedMemoryCalls.F_SEAL_SHRINK | SharedMemoryCalls.F_SEAL_GROW | SharedMemoryCalls.F_SEAL_SEAL;
    private static final String NAME = "panama-verbs-rings";
    /** The two directions use it. */
    private static final int USERS = 2;

    private final MemorySegment memory;
    private final int capacity;
    private final AtomicInteger users = new AtomicInteger(USERS);

    private RingMemory(long address, int capacity) {
        this.capacity = capacity;
        memory = SharedMemoryCalls.memory(address, size(capacity));
    }

    static long size(int capacity) {
        return PAGE + 2L * capacity;
    }

    /**
     * Makes the file of a connection, sealed.
     *
     * @param action for messages
     * @return its descriptor
     */
    static int create(String action, int capacity) {
        int file = SharedMemoryCalls.create(NAME, size(capacity));
        if (file < 0) {
            throw Failures.of(action, "memfd_create", -file);
        }
        int error = SharedMemoryCalls.seal(file, SEALS);
        if (error < 0) {
            Libc.close(file);
            throw Failures.of(action, "fcntl", -error);
        }
        return file;
    }

    /**
     * Why a file of the peer must not be mapped.
     *
     * @return the reason, or {@code null} if there is none
     */
    static String objection(int file, int capacity) {
        if (capacity < LEAST_CAPACITY || capacity > MOST_CAPACITY || Integer.bitCount(capacity) != 1) {
            return "its rings have " + capacity + " bytes: no power of two from " + LEAST_CAPACITY + " to " + MOST_CAPACITY;
        }
        int seals = SharedMemoryCalls.seals(file);
        if (seals < 0 || (seals & SEALS) != SEALS) {
            return "its memory could become shorter: it is not sealed";
        }
        long size = SharedMemoryCalls.size(file);
        return size == size(capacity) ? null : "its memory has " + size + " bytes, and not " + size(capacity);
    }

    /** Maps a file, which the caller still closes. */
    static RingMemory map(String action, int file, int capacity) {
        long address = SharedMemoryCalls.map(file, size(capacity));
        if (address < 0) {
            throw Failures.of(action, "mmap", (int) -address,
                    Errno.text((int) -address) + (-address == Errno.ENOMEM ? ": raise vm.max_map_count, or close connections" : ""));
        }
        return new RingMemory(address, capacity);
    }

    MemorySegment memory() {
        return memory;
    }

    int capacity() {
        return capacity;
    }

    /** The offset of the positions of a direction. */
    static long control(int direction) {
        return direction * DIRECTION;
    }

    /** The offset of the ring of a direction. */
    long ring(int direction) {
        return PAGE + (long) direction * capacity;
    }

    /** One of the two directions is not used any more. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            SharedMemoryCalls.unmap(memory.address(), memory.byteSize());
        }
    }
}
