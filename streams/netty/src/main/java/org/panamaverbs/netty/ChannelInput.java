package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.sockets.ByteStream;

/** The inbound part of a channel: reads when the program asks for bytes and there are some. The event loop calls it. */
// Tested by NettySuiteTest, TranscriptTest.
final class ChannelInput {
    private enum End {
        NONE,
        /** The program has shut the input down, or the peer has. */
        SHUT,
        /** The program has read beyond the end, and was notified of it. */
        REPORTED
    }

    private final Channel channel;
    private final VerbsChannelConfig config;
    private final ChannelLife life;
    private volatile End end = End.NONE;
    /** The program has asked for bytes, and has not got any. */
    private boolean asked;
    /** A read notifies the program. */
    private boolean reading;

    ChannelInput(Channel channel, VerbsChannelConfig config, ChannelLife life) {
        this.channel = channel;
        this.config = config;
        this.life = life;
    }

    /** Any thread may ask. */
    boolean isShut() {
        return end != End.NONE;
    }

    void shut() {
        if (end == End.NONE) {
            end = End.SHUT;
        }
    }

    void beginRead() {
        asked = true;
        ByteStream stream = life.streamIfBegun();
        if (stream != null && stream.canRead() && !reading) {
            stream.notifyListener();
        }
    }

    /** Any thread may call. */
    void clear() {
        if (channel.isRegistered() && !channel.eventLoop().inEventLoop()) {
            channel.eventLoop().execute(this::clearNow);
        } else {
            clearNow();
        }
    }

    private void clearNow() {
        if (!config.isAutoRead()) {
            asked = false;
        }
    }

    void readIfAsked() {
        if (life.isOpen() && asked && channel.isRegistered() && life.stream().canRead()) {
            read();
        }
    }

    private int read(ByteBuf into) throws SocketException {
        ByteStream stream = life.stream();
        int length = into.writableBytes();
        int count;
        try {
            count = into.hasMemoryAddress() ? stream.read(NativeMemory.ALL, into.memoryAddress() + into.writerIndex(), length)
                    : stream.read(MemorySegment.ofBuffer(into.internalNioBuffer(into.writerIndex(), length)), 0, length);
        } catch (IOException e) {
            // The class that NIO has for a connection that was reset.
            SocketException reset = new SocketException(e.getMessage());
            reset.initCause(e);
            throw reset;
        }
        if (count > 0) {
            into.writerIndex(into.writerIndex() + count);
        }
        return count;
    }

    private void read() {
        if (end == End.REPORTED || end == End.SHUT && !config.isAllowHalfClosure()) {
            asked = false;
            return;
        }
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) channel.unsafe().recvBufAllocHandle();
        handle.reset(config);
        ByteBuf buffer = null;
        boolean atEnd = false;
        reading = true;
        try {
            do {
                buffer = handle.allocate(config.getAllocator());
                handle.lastBytesRead(read(buffer));
                if (handle.lastBytesRead() <= 0) {
                    buffer.release();
                    buffer = null;
                    atEnd = handle.lastBytesRead() < 0;
                    break;
                }
                handle.incMessagesRead(1);
                asked = false;
                channel.pipeline().fireChannelRead(buffer);
                buffer = null;
            } while (handle.continueReading());
            if (atEnd) {
                asked = false;
            }
            handle.readComplete();
            channel.pipeline().fireChannelReadComplete();
            if (atEnd) {
                closeOnRead();
            }
        } catch (IOException | RuntimeException | Error e) {
            failed(e, buffer, handle);
        } finally {
            reading = false;
        }
        if (life.isOpen() && asked && life.stream().canRead()) {
            life.stream().notifyListener();
        }
    }

    private void close() {
        channel.unsafe().close(channel.unsafe().voidPromise());
    }

    private void closeOnRead() {
        switch (end) {
            case NONE -> {
                if (config.isAllowHalfClosure()) {
                    end = End.SHUT;
                    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
                } else {
                    close();
                }
            }
            case SHUT -> {
                end = End.REPORTED;
                channel.pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            }
            case REPORTED -> {
                // It is known.
            }
        }
    }

    private void failed(Throwable cause, @Nullable ByteBuf buffer, RecvByteBufAllocator.ExtendedHandle handle) {
        if (buffer != null) {
            buffer.release();
        }
        asked = false;
        try {
            handle.readComplete();
            channel.pipeline().fireChannelReadComplete();
            channel.pipeline().fireExceptionCaught(cause);
        } finally {
            // Also if memory is lacking to tell the program.
            if (cause instanceof IOException || cause instanceof OutOfMemoryError) {
                close();
            }
        }
    }
}
