package org.panamaverbs.softiwarp.fuzz;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.wire.Fpdu;

/** A channel whose other end is the fuzzer: bytes wait until they are read, at most so many at a time, and those written are collected. */
final class FedChannel extends QuietChannel {
    private byte[] inbox = {};
    private int read;
    private final ByteArrayOutputStream outbox = new ByteArrayOutputStream();
    /** How many bytes a call reads at most. */
    private int chop = Integer.MAX_VALUE;
    /** The ends of FPDUs, in a run whose FPDUs arrive one at a time; else {@code null}. */
    private Boundary boundary;
    /** How many bytes are still taken. */
    private long room = Long.MAX_VALUE;
    /** Whether the last read got less than it asked for. */
    private boolean cut;
    private boolean hasStopped;
    private boolean ended;
    private boolean broken;
    private boolean outputEnded;
    private boolean closed;

    /** Bytes of the peer, none of which follow the end of its stream. */
    void feed(byte[] bytes) {
        if (ended) {
            return;
        }
        byte[] left = new byte[inbox.length - read + bytes.length];
        System.arraycopy(inbox, read, left, 0, inbox.length - read);
        System.arraycopy(bytes, 0, left, inbox.length - read, bytes.length);
        inbox = left;
        read = 0;
    }

    void chop(int most) {
        chop = most;
    }

    /** From now on no read goes beyond the end of an FPDU, as the peer's length fields give it; they may lie. */
    void oneFpduAtATime() {
        boundary = new Boundary();
    }

    /** Follows the length fields of a stream without Markers. */
    private static final class Boundary {
        private int length;
        private int lengthBytes;
        /** Bytes of the FPDU behind its length field. */
        private int left;

        /** How many of the next bytes belong to the FPDU under way. */
        int pass(byte[] bytes, int from, int count) {
            int at = 0;
            while (at < count && lengthBytes < Fpdu.LENGTH_SIZE) {
                length = length << Byte.SIZE | Byte.toUnsignedInt(bytes[from + at++]);
                lengthBytes++;
                left = Fpdu.size(length) - Fpdu.LENGTH_SIZE;
            }
            int rest = Math.min(left, count - at);
            left -= rest;
            if (left == 0) {
                length = 0;
                lengthBytes = 0;
            }
            return at + rest;
        }
    }

    void room(long bytes) {
        room = bytes;
        hasStopped = true;
    }

    boolean isStopped() {
        return room != Long.MAX_VALUE;
    }

    /** Whether it has ever taken fewer bytes than there were. */
    boolean hasStopped() {
        return hasStopped;
    }

    void end() {
        ended = true;
    }

    void reset() {
        broken = true;
    }

    boolean isBroken() {
        return broken;
    }

    boolean isEnded() {
        return ended;
    }

    boolean isOutputEnded() {
        return outputEnded;
    }

    boolean isClosed() {
        return closed;
    }

    /** The bytes that were written since the last call. */
    byte[] takeWritten() {
        byte[] bytes = outbox.toByteArray();
        outbox.reset();
        return bytes;
    }

    @Override
    public long read(IoVector into) {
        if (broken || closed) {
            return BROKEN;
        }
        if (into.bytes() < 1) {
            throw new AssertionError("a read of no bytes");
        }
        int count = (int) Math.min(Math.min(chop, inbox.length - read), into.bytes());
        if (count == 0) {
            return ended ? END_OF_STREAM : 0;
        }
        if (boundary != null) {
            count = boundary.pass(inbox, read, count);
        }
        int done = 0;
        for (int i = 0; done < count; i++) {
            int chunk = (int) Math.min(count - done, into.length(i));
            MemorySegment.copy(inbox, read + done, into.segment(i), ValueLayout.JAVA_BYTE, into.offset(i), chunk);
            done += chunk;
        }
        read += count;
        cut = count < into.bytes();
        return count;
    }

    /** Whether bytes wait, and the last read has made the reader believe that none do: then it must hear of them. */
    boolean isEdgeDue() {
        return cut && read < inbox.length && !broken && !closed;
    }

    @Override
    public long write(IoVector from) {
        if (broken || closed) {
            return BROKEN;
        }
        if (outputEnded) {
            throw new AssertionError("a write after the end of the output");
        }
        int count = (int) Math.min(room, from.bytes());
        int rest = count;
        for (int i = 0; rest > 0; i++) {
            int chunk = (int) Math.min(rest, from.length(i));
            outbox.writeBytes(from.segment(i).asSlice(from.offset(i), chunk).toArray(ValueLayout.JAVA_BYTE));
            rest -= chunk;
        }
        room -= isStopped() ? count : 0;
        return count;
    }

    @Override
    public void shutdownOutput() {
        outputEnded = true;
    }

    @Override
    public void close() {
        closed = true;
    }
}
