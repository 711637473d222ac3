package org.panamaverbs.sockets;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ReadPendingException;
import java.nio.channels.WritePendingException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The stages of one socket: at most one read and one write that wait for the peer. They begin in the calling thread, and go on in the
 * thread that turns the loop, whenever the stream has changed.
 */
// Tested by SocketStagesTest.
final class SocketStages implements StreamListener {
    /**
     * So many stages of a direction in a row may be complete when they are returned. The next one is completed by the loop: a program that
     * begins a stage in the continuation of the one before would otherwise use up its thread's stack.
     */
    static final int MOST_AT_ONCE = 16;

    private final SocketLoop loop;
    private final Direction input = new Direction(ReadPendingException::new);
    private final Direction output = new Direction(WritePendingException::new);

    SocketStages(SocketLoop loop) {
        this.loop = loop;
    }

    /** As {@link VerbsSocket#readAsync}. */
    CompletionStage<Integer> read(ByteStream stream, ByteBuffer into) {
        if (into.isReadOnly()) {
            throw new IllegalArgumentException("bytes cannot be read into a read-only buffer");
        }
        return input.begin(new Read(stream, into));
    }

    /** As {@link VerbsSocket#writeAsync}. */
    CompletionStage<Void> write(ByteStream stream, ByteBuffer from) {
        return output.begin(new Write(stream, from));
    }

    /** Throws if a stage waits for bytes. */
    void checkNotReading() {
        input.checkFree();
    }

    /** Throws if a stage waits until its bytes are written. */
    void checkNotWriting() {
        output.checkFree();
    }

    /** The program has shut the output down: a stage that writes fails. */
    void outputShut(ByteStream stream) {
        if (output.pending != null) {
            loop.streams().touch(stream);
        }
    }

    @Override
    public void changed(ByteStream stream) {
        input.proceed();
        output.proceed();
    }

    /** One direction of the socket. The holder of the stream's lock writes its fields. */
    private final class Direction {
        private final Supplier<IllegalStateException> busy;
        private volatile @Nullable Transfer<?> pending;
        private int atOnce;

        Direction(Supplier<IllegalStateException> busy) {
            this.busy = busy;
        }

        void checkFree() {
            if (pending != null) {
                throw busy.get();
            }
        }

        <T> CompletionStage<T> begin(Transfer<T> transfer) {
            try {
                if (waits(transfer)) {
                    return transfer;
                }
            } catch (IOException | RuntimeException e) {
                return CompletableFuture.failedFuture(e);
            }
            transfer.finish(null);
            return transfer;
        }

        private boolean waits(Transfer<?> transfer) throws IOException {
            ByteStream stream = transfer.stream;
            stream.lock();
            try {
                checkFree();
                // The loop of a stream that is closed may be closed, too.
                boolean inTurn = atOnce == MOST_AT_ONCE && !stream.isClosed();
                if (!inTurn && transfer.advance()) {
                    atOnce++;
                    return false;
                }
                atOnce = 0;
                pending = transfer;
                loop.stageBegins();
                if (inTurn) {
                    loop.streams().touch(stream);
                }
                return true;
            } finally {
                stream.unlock();
            }
        }

        /** Goes on with the stage that waits, if there is one. */
        void proceed() {
            Transfer<?> transfer = pending;
            if (transfer != null && ends(transfer)) {
                transfer.finish(transfer.failure);
            }
        }

        private boolean ends(Transfer<?> transfer) {
            transfer.stream.lock();
            try {
                return pending == transfer && transfer.advanceOrFail() && remove(transfer);
            } finally {
                transfer.stream.unlock();
            }
        }

        /** {@return whether it waited until now} */
        boolean remove(Transfer<?> transfer) {
            transfer.stream.lock();
            try {
                if (pending != transfer) {
                    return false;
                }
                pending = null;
                loop.stageEnds();
                return true;
            } finally {
                transfer.stream.unlock();
            }
        }
    }

    /** Moves the bytes of one buffer. */
    private abstract class Transfer<T> extends PendingStage<T> {
        private final Direction direction;
        final ByteStream stream;
        final ByteBuffer buffer;
        final MemorySegment memory;
        /** How many bytes were moved. */
        int count;
        private @Nullable Throwable failure;

        Transfer(Direction direction, ByteStream stream, ByteBuffer buffer) {
            this.direction = direction;
            this.stream = stream;
            this.buffer = buffer;
            memory = MemorySegment.ofBuffer(buffer);
            if (!loop.isAccessible(memory)) {
                throw new IllegalArgumentException("a stage needs memory for all threads: that of the buffer is confined to one");
            }
        }

        /**
         * Moves bytes; the caller holds the stream's lock.
         *
         * @return whether the stage is complete
         * @throws IOException as the method that waits
         */
        abstract boolean advance() throws IOException;

        /** {@return whether the stage is over} It has waited: the program closes the socket in another thread, if at all. */
        boolean advanceOrFail() {
            try {
                return advance();
            } catch (IOException | RuntimeException | Error e) {
                failure = reason(e);
                return true;
            }
        }

        @Override
        boolean withdraw() {
            return direction.remove(this);
        }

        private Throwable reason(Throwable thrown) {
            try {
                if (!stream.isClosed()) {
                    return thrown instanceof Error ? StreamOpening.failure(thrown) : thrown;
                }
                IOException end = stream.failure();
                return end == null || end == StreamLife.CLOSED ? new AsynchronousCloseException() : new IOException(end.getMessage(), end);
            } catch (OutOfMemoryError e) {
                return thrown;
            }
        }
    }

    private final class Read extends Transfer<Integer> {
        Read(ByteStream stream, ByteBuffer into) {
            super(input, stream, into);
        }

        @Override
        boolean advance() throws IOException {
            int length = (int) memory.byteSize();
            count = stream.read(memory, 0, length);
            if (count > 0) {
                buffer.position(buffer.position() + count);
            }
            return count != 0 || length == 0;
        }

        @Override
        Integer result() {
            return count;
        }
    }

    private final class Write extends Transfer<Void> {
        Write(ByteStream stream, ByteBuffer from) {
            super(output, stream, from);
        }

        @Override
        boolean advance() throws IOException {
            int length = (int) memory.byteSize();
            int part;
            do {
                part = stream.write(memory, count, length - count);
                stream.flush();
                count += part;
                buffer.position(buffer.position() + part);
            } while (part > 0 && count < length);
            return count == length;
        }

        @Override
        @Nullable
        Void result() {
            return null;
        }
    }
}
