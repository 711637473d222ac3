package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A socket channel, as its parts see it: its connection, its carriers and its socket. */
abstract class CarriedChannel extends SocketChannel {
    final NioVerbs verbs;
    final TransferLocks locks = new TransferLocks(blockingLock());
    volatile boolean inputShut;
    volatile boolean outputShut;

    CarriedChannel(Resources resources) {
        super(resources.provider());
        verbs = resources.verbs();
    }

    void checkOpen() throws ClosedChannelException {
        if (!isOpen()) {
            throw new ClosedChannelException();
        }
    }

    /** An operation that may wait begins: an interrupt closes the channel. */
    void beginWait() {
        begin();
    }

    /**
     * The operation goes on after a wait for the stream. A thread announces one thing that an interrupt ends, and a wait for a device has
     * announced itself in place of the channel: the channel takes its place back, and closes if the interrupt has come.
     */
    void resumeWait() {
        begin();
    }

    /** @param completed whether it has succeeded, even if the channel was closed meanwhile */
    void endWait(boolean completed) throws AsynchronousCloseException {
        end(completed);
    }

    /** {@return what moves the bytes} Throws if the channel is not connected. */
    abstract Carrier.OfBytes bytes() throws ClosedChannelException;

    /**
     * Connects.
     *
     * @param timeout  of a channel in blocking mode
     * @param blocking whether the mode must be that
     */
    abstract boolean connect(SocketAddress address, Duration timeout, boolean blocking) throws IOException;

    /** @param timeout of a channel in blocking mode */
    abstract int read(ByteBuffer into, Duration timeout) throws IOException;

    /** Writes all bytes, which an array has, of a channel in blocking mode, or fails. */
    abstract void writeWhole(ByteBuffer from) throws IOException;

    /** {@return its own address, also after the end; {@code null} if it never had one} */
    abstract @Nullable InetSocketAddress localAddress();

    /** {@return the address of the peer, also before the connection and after the end; {@code null} if it never had one} */
    abstract @Nullable InetSocketAddress remoteAddress();
}
