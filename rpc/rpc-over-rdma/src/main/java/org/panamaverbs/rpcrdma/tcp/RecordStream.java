package org.panamaverbs.rpcrdma.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * Reads and writes records (RFC 5531, 11): fragments, each behind a mark with its length. One thread reads; any number may write. The threads
 * wait, so they should be virtual ones.
 */
// Tested by TcpRpcServiceTest.
public final class RecordStream {
    private static final int LAST = 0x80000000;
    private static final int INPUT = 16 << 10;
    private static final int MOST_FRAGMENTS = 1024;
    /** The most parts of a message in one write: a system takes 1,024. */
    private static final int PARTS = 64;
    /** The longest wait for memory before it tries again. */
    private static final long PAUSE_NANOS = 1_000_000_000;

    private final SocketChannel socket;
    private final Seat seat;
    private final RecordMemory memory;
    private final int longest;
    private final MemorySegment inputMemory;
    private final ByteBuffer input;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile Thread waiting;

    /**
     * Makes one.
     *
     * @param socket  a connected channel, blocking
     * @param longest the longest record that is taken, in bytes
     */
    public RecordStream(SocketChannel socket, Seat seat, RecordMemory memory, int longest) {
        this.socket = socket;
        this.seat = seat;
        this.memory = memory;
        this.longest = longest;
        // Not left to the garbage collector: connections may come and go faster than it looks.
        inputMemory = memory.take(INPUT);
        input = inputMemory.asByteBuffer().flip();
    }

    /** A record, whose memory is to be given back. */
    public final class Received {
        private final MemorySegment segment;
        private final int length;

        private Received(MemorySegment segment, int length) {
            this.segment = segment;
            this.length = length;
        }

        /** The bytes. */
        public MemorySegment bytes() {
            return segment.asSlice(0, length);
        }

        /** Gives the memory back. */
        public void release() {
            memory.giveBack(segment);
            seat.giveBack(length);
        }
    }

    /**
     * Reads the next record; waits for it, and for memory.
     *
     * @return {@code null} at the end of the stream
     * @throws IOException if the stream ends within a record, or the record is too long
     */
    public Received read() throws IOException {
        if (!fill(1)) {
            return null;
        }
        MemorySegment segment = null;
        int length = 0;
        // Bytes that the caller does not have.
        int counted = 0;
        seat.input().owe();
        try {
            for (int fragments = 1;; fragments++) {
                int mark = mark();
                int more = mark & ~LAST;
                boolean last = (mark & LAST) != 0;
                if (more > longest - length || fragments > MOST_FRAGMENTS) {
                    throw new IOException(
                            "the peer sends a record of more than " + longest + " bytes, or of more than " + MOST_FRAGMENTS + " fragments");
                }
                if (fragments == 1) {
                    // All at once, though the length is not known: a record that kept some and waited for more would wait for ever, for its
                    // own part and those of other records.
                    int most = last ? more : longest;
                    awaitMemory(most);
                    counted = most;
                }
                segment = grow(segment, length, more);
                readFully(segment.asSlice(length, more));
                length += more;
                if (last) {
                    seat.giveBack(counted - length);
                    counted = length;
                    Received received = new Received(segment, length);
                    counted = 0;
                    return received;
                }
            }
        } finally {
            if (counted > 0) {
                seat.giveBack(counted);
            }
            seat.input().paid();
        }
    }

    private MemorySegment grow(MemorySegment before, int length, int more) {
        if (before != null && before.byteSize() >= length + more) {
            return before;
        }
        MemorySegment grown = memory.take(length + more);
        if (before != null) {
            MemorySegment.copy(before, 0, grown, 0, length);
            memory.giveBack(before);
        }
        return grown;
    }

    private void awaitMemory(int bytes) throws IOException {
        if (seat.tryTake(bytes)) {
            return;
        }
        waiting = Thread.currentThread();
        // Not the peer is late meanwhile.
        seat.input().excused();
        try {
            while (!seat.tryTake(bytes)) {
                if (!socket.isOpen()) {
                    throw new EOFException("the connection has ended");
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        } finally {
            waiting = null;
            seat.input().owe();
        }
    }

    /** Gives the memory of the input back; nobody reads any more. */
    public void end() {
        memory.giveBack(inputMemory);
    }

    /** There may be memory again, or the socket is closed. */
    public void wake() {
        LockSupport.unpark(waiting);
    }

    private int mark() throws IOException {
        if (!fill(Integer.BYTES)) {
            throw new EOFException("the peer ended the connection within a record");
        }
        return input.getInt();
    }

    /** Fills the input until it has so many bytes; {@code false} at the end of the stream. */
    private boolean fill(int bytes) throws IOException {
        while (input.remaining() < bytes) {
            input.compact();
            try {
                if (socket.read(input) < 0) {
                    return false;
                }
            } finally {
                input.flip();
            }
            seat.input().moved();
        }
        return true;
    }

    private void readFully(MemorySegment into) throws IOException {
        ByteBuffer bytes = into.asByteBuffer();
        while (bytes.hasRemaining()) {
            if (input.hasRemaining() || bytes.remaining() < INPUT) {
                if (!fill(1)) {
                    throw new EOFException("the peer ended the connection within a record");
                }
                int part = Math.min(input.remaining(), bytes.remaining());
                bytes.put(bytes.position(), input, input.position(), part);
                bytes.position(bytes.position() + part);
                input.position(input.position() + part);
            } else {
                if (socket.read(bytes) < 0) {
                    throw new EOFException("the peer ended the connection within a record");
                }
                seat.input().moved();
            }
        }
    }

    /** Writes a message as one record of one fragment; waits until the system has taken all of it. */
    public void write(MessageXdr message) throws IOException {
        List<ByteBuffer> parts = message.parts();
        ByteBuffer mark = ByteBuffer.allocate(Integer.BYTES).putInt(Math.toIntExact(message.streamLength()) | LAST).flip();
        parts.addFirst(mark);
        ByteBuffer[] array = parts.toArray(ByteBuffer[]::new);
        seat.replies().owe();
        writing.lock();
        try {
            int at = 0;
            while (at < array.length) {
                socket.write(array, at, Math.min(array.length - at, PARTS));
                seat.replies().moved();
                while (at < array.length && !array[at].hasRemaining()) {
                    at++;
                }
            }
        } finally {
            writing.unlock();
            seat.replies().paid();
        }
    }
}
