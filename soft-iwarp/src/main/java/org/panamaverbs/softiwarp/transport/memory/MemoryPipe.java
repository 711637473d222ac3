package org.panamaverbs.softiwarp.transport.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * One direction of an in-process stream: a bounded ring of bytes between one thread that writes and one that reads, and beside it a
 * {@link Rendezvous} for much at a time, which is under way only while the ring is empty.
 *
 * <p>Each side that came up short leaves a mark, and the other side, after it has moved its end, takes the mark and reports an edge. The
 * mark is set before the other end is looked at again, and the end is moved before the mark is looked at (all volatile): so at least one
 * of the two sees the other, and no edge is lost.
 */
// Tested by MemoryMultiplexerTest.
final class MemoryPipe {
    /** The writer has ended the stream. */
    private static final int ENDED = 1;
    /** The reader is gone: a writer finds the pipe broken. */
    private static final int UNREAD = 1 << 1;
    /** Broken for both, whatever is left in it. */
    private static final int RESET = 1 << 2;

    private static final VarHandle STATE = Fields.of(MethodHandles.lookup(), "state", int.class);
    private static final VarHandle READER_WAITS = Fields.of(MethodHandles.lookup(), "readerWaits", boolean.class);
    private static final VarHandle WRITER_WAITS = Fields.of(MethodHandles.lookup(), "writerWaits", boolean.class);

    /** From so many bytes on a rendezvous is worth it. */
    private static final long RENDEZVOUS = 32 << 10;

    private final Rendezvous rendezvous = new Rendezvous();
    /** No more once an offer met memory that cannot be used: each side is to find out whose it is. By the writer. */
    private boolean offers = true;
    private final MemorySegment ring;
    private final long capacity;
    /** Stretches of the ring: the free ones, by the writer, and the filled ones, by the reader. */
    private final IoVector free = new IoVector(2);
    private final IoVector filled = new IoVector(2);
    private final MemoryWatch reader;
    private final MemoryWatch writer;
    /** Bytes ever read; written by the reader. Makes the room free: after the bytes were copied out. */
    private volatile long head;
    /** Bytes ever written; written by the writer. Publishes them: after they were copied in. */
    private volatile long tail;
    private volatile int state;
    /** At first both have found nothing, and hear of the first byte. */
    private volatile boolean readerWaits = true;
    private volatile boolean writerWaits;

    MemoryPipe(long capacity, MemoryWatch writer, MemoryWatch reader) {
        this.capacity = capacity;
        this.reader = reader;
        this.writer = writer;
        // On the heap, since no system call takes it.
        ring = MemorySegment.ofArray(new byte[Math.toIntExact(capacity)]);
    }

    /** As {@link Channel#write}. */
    long write(IoVector from) {
        if (state != 0) {
            return Channel.BROKEN;
        }
        if (!rendezvous.isNone()) {
            return afterOffer(from);
        }
        long end = tail;
        long seenHead = head;
        if (offers && seenHead == end && from.bytes() >= RENDEZVOUS) {
            return offer(from);
        }
        long room = capacity - (end - seenHead);
        long copied = from.copyTo(stretch(free, end, room));
        boolean faulty = copied < Math.min(room, from.bytes());
        if (copied > 0) {
            tail = end + copied;
            if (readerWaits && (boolean) READER_WAITS.getAndSet(this, false)) {
                reader.report(Multiplexer.READABLE);
            }
        }
        if (faulty && copied == 0) {
            return Channel.BAD_MEMORY;
        }
        if (copied < from.bytes()) {
            writerWaits = true;
            // Short because of memory: the writer is to come back for the answer, though the room did not change.
            if ((faulty || head != seenHead || state != 0) && (boolean) WRITER_WAITS.getAndSet(this, false)) {
                writer.report(Multiplexer.WRITABLE);
            }
        }
        return copied;
    }

    /** Nothing is taken yet; an edge comes when all is, or no more can be. */
    private long offer(IoVector from) {
        writerWaits = true;
        rendezvous.offer(from);
        if (readerWaits && (boolean) READER_WAITS.getAndSet(this, false)) {
            reader.report(Multiplexer.READABLE);
        }
        return 0;
    }

    private long afterOffer(IoVector from) {
        long taken = rendezvous.reclaim();
        if (taken < 0) {
            // The reader reports an edge when it is done, and may be by now.
            writerWaits = true;
            if (rendezvous.isTaken() && (boolean) WRITER_WAITS.getAndSet(this, false)) {
                writer.report(Multiplexer.WRITABLE);
            }
            return 0;
        }
        offers &= !rendezvous.wasFaulty();
        if (taken < from.bytes()) {
            // The rest goes by another call.
            writer.report(Multiplexer.WRITABLE);
        }
        return taken;
    }

    /** As {@link Channel#read}. */
    long read(IoVector into) {
        // The state first: after it said ENDED, no more bytes enter the ring.
        int seenState = state;
        long start = head;
        long seenTail = tail;
        long available = seenTail - start;
        if ((seenState & RESET) != 0) {
            return Channel.BROKEN;
        }
        if (available == 0 && (seenState & ENDED) != 0) {
            return Channel.END_OF_STREAM;
        }
        long copied = available > 0 ? stretch(filled, start, available).copyTo(into) : rendezvous.take(into);
        boolean faulty = copied < Math.min(available, into.bytes());
        if (available == 0) {
            if (rendezvous.isTaken() && writerWaits && (boolean) WRITER_WAITS.getAndSet(this, false)) {
                writer.report(Multiplexer.WRITABLE);
            }
        } else if (copied > 0) {
            head = start + copied;
            if (writerWaits && (boolean) WRITER_WAITS.getAndSet(this, false)) {
                writer.report(Multiplexer.WRITABLE);
            }
        }
        if (faulty && copied == 0) {
            return Channel.BAD_MEMORY;
        }
        if (copied < into.bytes()) {
            readerWaits = true;
            // The edge of the end may be used up by this read, which tells of bytes only.
            if ((faulty || tail != seenTail || state != 0 || rendezvous.isOffered()) && (boolean) READER_WAITS.getAndSet(this, false)) {
                reader.report(Multiplexer.READABLE);
            }
        }
        return copied;
    }

    /** Has a vector describe a stretch of the ring. */
    private IoVector stretch(IoVector vector, long position, long length) {
        long at = position % capacity;
        long first = Math.min(length, capacity - at);
        vector.clear();
        vector.add(ring, at, first);
        vector.add(ring, 0, length - first);
        return vector;
    }

    /** As {@link Channel#recall}. */
    long recall() {
        long taken = rendezvous.revoke();
        offers &= !rendezvous.wasFaulty();
        return taken;
    }

    /** The writer ends the stream. */
    void end() {
        rendezvous.revoke();
        STATE.getAndBitwiseOr(this, ENDED);
        reader.report(Multiplexer.READABLE);
    }

    /** The reader goes away; the stream breaks for both sides if it leaves bytes. Returns whether it left some. */
    boolean leave() {
        boolean left = head != tail || rendezvous.isOffered();
        STATE.getAndBitwiseOr(this, UNREAD);
        writer.report(Multiplexer.WRITABLE);
        return left;
    }

    /** Breaks the stream for both sides at once. */
    void reset() {
        STATE.getAndBitwiseOr(this, RESET);
        reader.report(Multiplexer.READABLE);
        writer.report(Multiplexer.WRITABLE);
    }

    boolean isReset() {
        return (state & RESET) != 0;
    }
}
