package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.FileRegion;
import io.netty.util.IllegalReferenceCountException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import org.panamaverbs.sockets.ByteStream;

/** The outbound part of a channel: writes what Netty has gathered to the stream, and flushes it once. The event loop calls it. */
// Tested by NettySuiteTest, TranscriptTest, ZeroCopyTest.
final class ChannelOutput {
    private final ChannelLife life;
    private final DirectSends direct = new DirectSends();
    /** The program has shut it down. */
    private volatile boolean shut;

    ChannelOutput(ChannelLife life) {
        this.life = life;
    }

    /** The channel has a stream. */
    void begin() {
        direct.begin(life.stream());
    }

    /** Any thread may ask. */
    boolean isShut() {
        return shut;
    }

    void shut() {
        shut = true;
    }

    /** The peer reads the end behind all that was written. */
    void end() {
        shut = true;
        life.stream().shutdownOutput();
    }

    /** Buffers whose bytes have gone are free. */
    void releaseCompleted() {
        direct.releaseCompleted();
    }

    static Object filter(Object message) {
        if (message instanceof ByteBuf buffer && !buffer.isDirect() && buffer.refCnt() == 0) {
            throw new IllegalReferenceCountException(0);
        }
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("a channel of verbs sends ByteBuf and FileRegion, not " + message.getClass().getName());
    }

    void write(ChannelOutboundBuffer in) throws IOException {
        ByteStream stream = life.stream();
        stream.lock();
        try {
            boolean goesOn = true;
            while (goesOn) {
                Object message = in.current();
                if (message instanceof ByteBuf buffer) {
                    goesOn = write(in, buffer);
                } else {
                    goesOn = message instanceof FileRegion region && write(in, region);
                }
            }
            stream.flush();
        } finally {
            stream.unlock();
        }
    }

    /** {@return whether the stream has taken all of it} */
    private boolean write(ChannelOutboundBuffer in, ByteBuf buffer) throws IOException {
        int total = 0;
        int length = buffer.readableBytes();
        if (buffer.hasMemoryAddress()) {
            total = direct.write(buffer, buffer.memoryAddress() + buffer.readerIndex(), length);
        } else {
            for (ByteBuffer part : buffer.nioBuffers()) {
                MemorySegment bytes = MemorySegment.ofBuffer(part);
                int count = bytes.isNative() ? direct.write(buffer, bytes.address(), part.remaining())
                        : direct.copy(bytes, 0, part.remaining());
                total += count;
                if (count < part.remaining()) {
                    break;
                }
            }
        }
        // It counts what has gone, and removes a buffer of which all has, also an empty one.
        in.removeBytes(total);
        return total == length;
    }

    private boolean write(ChannelOutboundBuffer in, FileRegion region) throws IOException {
        StreamSink sink = new StreamSink();
        while (region.transferred() < region.count()) {
            long count = region.transferTo(sink, region.transferred());
            if (count > 0) {
                in.progress(count);
            } else if (sink.isFull) {
                return false;
            } else {
                throw new IOException("a file region of " + region.count() + " bytes ends after " + region.transferred());
            }
        }
        in.remove();
        return true;
    }

    /** Takes the bytes of a file. */
    private final class StreamSink implements WritableByteChannel {
        private boolean isFull;

        @Override
        public int write(ByteBuffer from) throws IOException {
            int count = direct.copy(MemorySegment.ofBuffer(from), 0, from.remaining());
            isFull = count < from.remaining();
            from.position(from.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return life.isOpen();
        }

        @Override
        public void close() {
            // The channel stays.
        }
    }
}
