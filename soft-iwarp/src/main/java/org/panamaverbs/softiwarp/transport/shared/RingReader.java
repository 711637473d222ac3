package org.panamaverbs.softiwarp.transport.shared;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/** The reading side of a ring. One thread at a time reads; the selecting thread asks for bytes. */
// Tested by SharedMultiplexerTest, HostileMapperTest.
final class RingReader extends Ring {
    private static final VarHandle NEXT = Fields.of(MethodHandles.lookup(), "next", long.class);
    /** In place of the position of the next frame: the current one has bytes left. */
    private static final long INSIDE = -1;

    /** The position of the next byte, or frame. */
    private long read;
    /** The bytes that the current frame has left. */
    private long left;
    /** What the writer knows of {@link #read}. */
    private long published;
    /** The position of the frame that this side waits for, or {@link #INSIDE}. The reading thread alone changes it. */
    private volatile long next;

    RingReader(RingMemory rings, int direction, Runnable wakeWriter) {
        super(rings, direction, wakeWriter);
    }

    /**
     * Reads as much as there is, and there is room for. The caller holds the ring.
     *
     * @return the number of bytes, {@link Channel#BAD_MEMORY} or {@link #NONSENSE}
     */
    long read(IoVector into) {
        long total = into.bytes();
        long done = 0;
        faulty = false;
        while (done < total && !faulty) {
            if (left == 0) {
                long length = length(read);
                if (length == 0) {
                    break;
                } else if (length < 0 || length > piece) {
                    return NONSENSE;
                }
                left = length;
                read += LENGTH;
            }
            long length = straight(read, Math.min(total - done, left));
            long copied = into.fillRange(done, memory, at(read), length);
            done += copied;
            advance(copied);
            faulty = copied < length;
        }
        NEXT.setRelease(this, left == 0 ? read : INSIDE);
        return faulty && done == 0 ? Channel.BAD_MEMORY : done;
    }

    private void advance(long count) {
        left -= count;
        read = left == 0 ? aligned(read + count) : read + count;
        if (read - published >= piece) {
            publish();
        }
    }

    /** The writer sets its mark and then looks here; this side publishes and then looks for the mark: so one of them sees the other. */
    private void publish() {
        published = read;
        RingMemory.POSITION.setVolatile(memory, control + RingMemory.READ, read);
        long wanted = (long) RingMemory.POSITION.getVolatile(memory, control + RingMemory.WRITER_WAITS);
        if (wanted != 0 && read >= wanted && (long) RingMemory.POSITION.getAndSet(memory, control + RingMemory.WRITER_WAITS, 0L) != 0) {
            wakePeer.run();
        }
    }

    /** The length of the frame at a position; 0 if it is not there yet. */
    private long length(long position) {
        return (long) RingMemory.POSITION.getVolatile(memory, at(position));
    }

    /** Whether there are bytes, or a length that makes no sense. Any thread may ask. */
    boolean hasBytes() {
        long position = next;
        return position == INSIDE || length(position) != 0;
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
