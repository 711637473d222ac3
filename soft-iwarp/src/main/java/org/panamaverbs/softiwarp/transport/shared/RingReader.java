package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/** The reading side of a ring. One thread at a time reads; the selecting thread asks for bytes. */
// Tested by SharedMultiplexerTest, HostileMapperTest.
final class RingReader extends Ring {
    /** Bytes ever read. The reading thread alone changes it; in the memory stands a copy for the peer. */
    private volatile long read;

    RingReader(RingMemory rings, int direction, Runnable wakeWriter) {
        super(rings, direction, wakeWriter);
    }

    /**
     * Reads as much as there is, and there is room for. The caller holds the ring.
     *
     * @return the number of bytes, {@link Channel#BAD_MEMORY} or {@link #NONSENSE}
     */
    long read(IoVector into) {
        long start = read;
        long available = available(start);
        if (available <= 0) {
            return available == 0 ? 0 : NONSENSE;
        }
        long total = Math.min(into.bytes(), available);
        long done = 0;
        faulty = false;
        while (done < total) {
            long at = start & capacity - 1;
            long length = Math.min(Math.min(total - done, PIECE), capacity - at);
            long copied = into.fillRange(done, memory, ring + at, length);
            done += copied;
            start += copied;
            publish(start);
            if (copied < length) {
                faulty = true;
                return done == 0 ? Channel.BAD_MEMORY : done;
            }
        }
        return done;
    }

    private void publish(long position) {
        read = position;
        RingMemory.POSITION.setVolatile(memory, control + RingMemory.READ, position);
        if ((int) RingMemory.MARK.getVolatile(memory, control + RingMemory.WRITER_WAITS) != 0) {
            long left = available(position);
            if (left <= capacity / 2 && (int) RingMemory.MARK.getAndSet(memory, control + RingMemory.WRITER_WAITS, 0) != 0) {
                wakePeer.run();
            }
        }
    }

    /** How many bytes the peer says there are, or a negative number if that makes no sense. */
    private long available(long position) {
        long available = (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.WRITTEN) - position;
        return available > capacity ? -1 : available;
    }

    /** Whether there are bytes, or positions that make no sense. Any thread may ask. */
    boolean hasBytes() {
        return read != (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.WRITTEN);
    }

    /** Whether the writer has ended this direction: all its bytes are there then. Any thread may ask. */
    boolean isEnded() {
        return (int) RingMemory.MARK.getVolatile(memory, control + RingMemory.ENDED) != 0;
    }

    /** Asks the writer to wake this side with the next byte, or the end. */
    void sleep() {
        RingMemory.MARK.setVolatile(memory, control + RingMemory.READER_SLEEPS, 1);
    }

    /** Whether the peer has left without having read all. */
    boolean isLeftUnread() {
        return (int) RingMemory.MARK.getVolatile(memory, control + RingMemory.LEFT) != 0;
    }
}
