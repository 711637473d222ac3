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
 * The memory that two processes share for one connection: 4,096 bytes of positions and marks, and a ring of frames for each direction.
 * Nothing else is ever mapped by the peer. The peer may change every byte of it at any time: so each position and each length is read once,
 * checked and then used, and bytes are judged only after they were copied out.
 *
 * <pre>
 * controls    first 2,048 bytes: direction 0, from the connecting side; then direction 1
 *   +0        how far the reader has read
 *   +256      mark: the reader sleeps, and wants to be woken by the next byte
 *   +512      mark: how far the reader has read when the writer wants to be woken, or 0
 *   +768      the writer's side has left, and has not read all
 *   +1024     the writer has ended this direction
 * rings       direction 0, then direction 1
 * frame       length of the bytes, 8 bytes; the bytes; up to 7 bytes, so that the next frame begins at a multiple of 8
 * </pre>
 *
 * <p>The length travels with the bytes: a reader finds a small message by one look at one place, and takes no other line of the cache than
 * those of the message. The word behind the last frame is 0, and means that nothing is there yet. A writer first writes the bytes and the 0
 * behind them, and then the length. So at each moment the reader's next word is 0, or the length of a whole frame. The words that a ring
 * starts with are 0, as the kernel clears the memory; the reader clears nothing. A position counts all bytes of the ring, with the lengths,
 * and never starts again. Frames go round the end of the ring, but no length does. A frame has no borders of a message: a reader may take a
 * part of it, or several at once.
 *
 * <p>A writer keeps room for the 0 behind its frame, so this word never overwrites what is not read. The reader says how far it has read
 * once for each {@link Ring#piece}, at most a quarter of the ring, and the writer looks there only when it finds no room. A writer that
 * waits sleeps until half of the ring is free. The reader has more than a piece to read then, so it will say so.
 *
 * <p>The file is sealed against shrinking before it is sent and checked for that before it is mapped, so no access can fail. The positions
 * stand 256 bytes apart: processors fetch pairs of lines of 64 bytes.
 */
// Tested by OfferTest, SharedChannelTest.
final class RingMemory {
    /** Bytes of positions and marks, which both sides must count alike: the same however long the system's pages are. */
    static final int CONTROLS = 4096;
    /** Bytes that each direction holds. */
    static final int CAPACITY = 1 << 20;
    static final int LEAST_CAPACITY = 4096;
    static final int MOST_CAPACITY = 4 << 20;

    static final long READ = 0;
    static final long READER_SLEEPS = 256;
    static final long WRITER_WAITS = 512;
    static final long LEFT = 768;
    static final long ENDED = 1024;
    private static final long DIRECTION = 2048;

    /** Of positions and lengths. */
    static final VarHandle POSITION = ValueLayout.JAVA_LONG.varHandle();
    static final VarHandle MARK = ValueLayout.JAVA_INT.varHandle();

    private static final int SEALS = SharedMemoryCalls.F_SEAL_SHRINK | SharedMemoryCalls.F_SEAL_GROW | SharedMemoryCalls.F_SEAL_SEAL;
    private static final String NAME = "panama-verbs-rings";
    /** The two directions use it. */
    private static final int USERS = 2;

    private final MemorySegment memory;
    private final int capacity;
    private final AtomicInteger users = new AtomicInteger(USERS);

    RingMemory(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.capacity = capacity;
    }

    static long size(int capacity) {
        return CONTROLS + 2L * capacity;
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
        return new RingMemory(SharedMemoryCalls.memory(address, size(capacity)), capacity);
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
        return CONTROLS + (long) direction * capacity;
    }

    /** One of the two directions is not used any more. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            unmap();
        }
    }

    /** Ends the mapping: both directions have left it, or none could be made. */
    void unmap() {
        SharedMemoryCalls.unmap(memory.address(), memory.byteSize());
    }
}
