package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/** The writing side of a ring. One thread at a time writes; the selecting thread asks for room. */
// Tested by SharedMultiplexerTest, HostileMapperTest.
final class RingWriter extends Ring {
    /** Bytes ever written. The writing thread alone changes it; in the memory stands a copy for the peer. */
    private volatile long written;
    /** Bytes that the reader had read when this side last looked. */
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
        long end = written;
        long total = from.bytes();
        long done = 0;
        faulty = false;
        while (done < total) {
            long wanted = Math.min(total - done, PIECE);
            long room = capacity - (end - seenRead);
            if (room < wanted) {
                room = look(end);
                if (room < 0) {
                    return NONSENSE;
                } else if (room == 0) {
                    break;
                }
            }
            long at = end & capacity - 1;
            long length = Math.min(Math.min(wanted, room), capacity - at);
            long copied = from.copyRange(done, memory, ring + at, length);
            done += copied;
            end += copied;
            publish(end);
            if (copied < length) {
                faulty = true;
                return done == 0 ? Channel.BAD_MEMORY : done;
            }
        }
        return done;
    }

    private void publish(long end) {
        written = end;
        RingMemory.POSITION.setVolatile(memory, control + RingMemory.WRITTEN, end);
        wakeSleeper();
    }

    /** The reader sets its mark and then looks for news; this side shows news and then looks for the mark: so one of them sees the other. */
    private void wakeSleeper() {
        if ((int) RingMemory.MARK.getVolatile(memory, control + RingMemory.READER_SLEEPS) != 0
                && (int) RingMemory.MARK.getAndSet(memory, control + RingMemory.READER_SLEEPS, 0) != 0) {
            wakePeer.run();
        }
    }

    /** Reads the peer's position; returns the room, or a negative number if it makes no sense. */
    private long look(long end) {
        long read = (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.READ);
        long used = end - read;
        if (used < 0 || used > capacity) {
            return -1;
        }
        seenRead = read;
        return capacity - used;
    }

    /** Asks the reader to wake this side when half of the ring is free; {@code false} if it is. */
    boolean awaitRoom() {
        RingMemory.MARK.setVolatile(memory, control + RingMemory.WRITER_WAITS, 1);
        if (!hasRoom()) {
            return true;
        }
        awaitNoRoom();
        return false;
    }

    void awaitNoRoom() {
        RingMemory.MARK.setVolatile(memory, control + RingMemory.WRITER_WAITS, 0);
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
