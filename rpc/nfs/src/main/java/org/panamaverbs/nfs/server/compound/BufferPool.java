package org.panamaverbs.nfs.server.compound;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.cm.PeerNetwork;
import org.panamaverbs.rpcrdma.limits.Budget;

/**
 * Native memory for the data of READs, which stay in it until their replies are sent. Two sizes, so that short READs do not use up the long
 * buffers. A peer gets as many of each as it leaves to the others, so one that takes no replies does not stop the READs of others. All of it
 * is one segment, which a transport can keep registered.
 */
public final class BufferPool implements AutoCloseable {
    private static final int SHORT = 16 << 10;
    private static final int SHORTS = 128;
    /** Whoever finds none waits so long; then the client is asked to come again. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;
    private final Shelf longs;
    private final Shelf shorts;

    /** Buffers of one size. */
    private static final class Shelf {
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();
        private final Deque<MemorySegment> free = new ArrayDeque<>();
        private final Budget shares;

        private Shelf(MemorySegment memory, long size) {
            for (long at = 0; at < memory.byteSize(); at += size) {
                free.add(memory.asSlice(at, size));
            }
            shares = new Budget(free.size());
        }

        private MemorySegment take(PeerNetwork peer) throws InterruptedException {
            lock.lockInterruptibly();
            try {
                long left = PATIENCE_NANOS;
                while (!shares.tryTake(peer, 1)) {
                    if (left <= 0) {
                        return null;
                    }
                    left = changed.awaitNanos(left);
                }
                return free.pop();
            } finally {
                lock.unlock();
            }
        }

        private void giveBack(PeerNetwork peer, MemorySegment segment) {
            lock.lock();
            try {
                free.push(segment);
                shares.giveBack(peer, 1);
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        private int free() {
            return (int) (shares.all() - shares.taken());
        }
    }

    /** A buffer that somebody uses; closed as often as one likes, it goes back once. */
    public static final class Buffer implements AutoCloseable {
        private final Shelf shelf;
        private final PeerNetwork peer;
        private final MemorySegment segment;
        private final AtomicBoolean returned = new AtomicBoolean();

        private Buffer(Shelf shelf, PeerNetwork peer, MemorySegment segment) {
            this.shelf = shelf;
            this.peer = peer;
            this.segment = segment;
        }

        /** The memory. */
        public MemorySegment segment() {
            return segment;
        }

        @Override
        public void close() {
            if (returned.compareAndSet(false, true)) {
                shelf.giveBack(peer, segment);
            }
        }
    }

    /**
     * Takes all memory.
     *
     * @param size  of a long buffer, in bytes
     * @param count of long buffers
     */
    public BufferPool(int size, int count) {
        int longSize = Math.max(size, SHORT + 1);
        long allLongs = (long) longSize * count;
        memory = arena.allocate(allLongs + SHORT * SHORTS, 4096);
        longs = new Shelf(memory.asSlice(0, allLongs), longSize);
        shorts = new Shelf(memory.asSlice(allLongs), SHORT);
    }

    /** All of it. */
    public MemorySegment memory() {
        return memory;
    }

    /** A buffer for so many bytes, or {@code null} if there is none for some time, or the peer has its share. */
    public Buffer take(PeerNetwork peer, int bytes) {
        Shelf shelf = bytes > SHORT ? longs : shorts;
        try {
            MemorySegment segment = shelf.take(peer);
            return segment == null ? null : new Buffer(shelf, peer, segment);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** How many buffers are free, of both sizes. */
    public int free() {
        return longs.free() + shorts.free();
    }

    /** Frees the memory, if no reply uses it; the caller has ended all transports. */
    @Override
    public void close() {
        arena.close();
    }
}
