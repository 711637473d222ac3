package org.panamaverbs.softiwarp.transport.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/** The writing side of a ring. One thread at a time writes; the selecting thread asks for room. */
// Tested by SharedMultiplexerTest, HostileMapperTest.
final class RingWriter extends Ring {
    private static final VarHandle WRITTEN = Fields.of(MethodHandles.lookup(), "written", long.class);

    /** The position of the next frame. The writing thread alone changes it. */
    private volatile long written;
    /** How far the reader had read when this side last looked. */
    private long seenRead;

    RingWriter(RingMemory rings, int direction, Runnable wakeReader) {
        super(rings, direction, wakeReader);
    }

    /**
     * Writes as much as there is room for. The caller holds the ring.
     *
     * @return the number of bytes, {@link Channel#BAD_MEMORY} or {@link #NONSENSE}
     */
    long write(IoVector from) {
        long total = from.bytes();
        long done = 0;
        faulty = false;
        while (done < total) {
            long start = written;
            long wanted = Math.min(total - done, piece);
            long room = room(start, seenRead);
            if (room < wanted) {
                long read = (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.READ);
                if (start - read < 0 || start - read > capacity) {
                    return NONSENSE;
                }
                seenRead = read;
                room = room(start, read);
                if (room <= 0) {
                    break;
                }
            }
            long length = Math.min(wanted, room);
            long copied = copy(from, done, start + LENGTH, length);
            done += copied;
            if (copied > 0) {
                publish(start, copied);
            }
            if (copied < length) {
                faulty = true;
                return done == 0 ? Channel.BAD_MEMORY : done;
            }
        }
        return done;
    }

    /** The position of the next frame, for tests. */
    long written() {
        return written;
    }

    /** The bytes that a frame may have: its length, what fills its last word, and the 0 behind it must fit, too. */
    private long room(long start, long read) {
        return capacity - (start - read) - 2 * LENGTH & -LENGTH;
    }

    private long copy(IoVector from, long done, long position, long length) {
        long first = straight(position, length);
        long copied = from.copyRange(done, memory, at(position), first);
        return copied < first || first == length ? copied : copied + from.copyRange(done + first, memory, ring, length - first);
    }

    /** The 0 behind the frame comes before its length: else the reader might take old bytes for a length. */
    private void publish(long start, long length) {
        long end = aligned(start + LENGTH + length);
        RingMemory.POSITION.set(memory, at(end), 0L);
        WRITTEN.setRelease(this, end);
        RingMemory.POSITION.setVolatile(memory, at(start), length);
        wakeSleeper();
    }

    /** The reader sets its mark and then looks for news; this side shows news and then looks for the mark: so one of them sees the other. */
    private void wakeSleeper() {
        if ((int) RingMemory.MARK.getVolatile(memory, control + RingMemory.READER_SLEEPS) != 0
                && (int) RingMemory.MARK.getAndSet(memory, control + RingMemory.READER_SLEEPS, 0) != 0) {
            wakePeer.run();
        }
    }

    /** Asks the reader to wake this side when half of the ring is free; {@code false} if it is. */
    boolean awaitRoom() {
        RingMemory.POSITION.setVolatile(memory, control + RingMemory.WRITER_WAITS, Math.max(1, written - capacity / 2));
        if (!hasRoom()) {
            return true;
        }
        awaitNoRoom();
        return false;
    }

    void awaitNoRoom() {
        RingMemory.POSITION.setVolatile(memory, control + RingMemory.WRITER_WAITS, 0L);
    }

    /** Whether a writer that waits should go on: half of the ring is free, or the positions make no sense. Any thread may ask. */
    boolean hasRoom() {
        long used = written - (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.READ);
        return used <= capacity / 2 || used > capacity;
    }

    /** Ends this direction: no byte follows. Any thread may call it, again and again. */
    void end() {
        RingMemory.MARK.setVolatile(memory, control + RingMemory.ENDED, 1);
        wakeSleeper();
    }

    /** Tells the reader that this side leaves without having read all. */
    void leaveUnread() {
        RingMemory.MARK.setVolatile(memory, control + RingMemory.LEFT, 1);
    }
}
