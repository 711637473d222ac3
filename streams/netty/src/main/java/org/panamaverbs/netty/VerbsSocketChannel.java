package org.panamaverbs.netty;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.sockets.ByteStream;
import org.panamaverbs.sockets.ConnectFailures;
import org.panamaverbs.sockets.StreamLoop;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * A channel over one stream of verbs. It behaves as NIO's channel does: half closure, {@code SO_LINGER}, {@code AUTO_READ}, file regions.
 * Bytes are copied once on each side; those in larger buffers of a {@link VerbsByteBufAllocator} are not copied before they are sent.
 */
// Tested by NettySuiteTest, TranscriptTest.
public final class VerbsSocketChannel extends AbstractChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);

    private final VerbsChannelConfig config = new VerbsChannelConfig(this, this::clearRead);
    private final ChannelLife life = new ChannelLife(config);
    private final ChannelInput input = new ChannelInput(this, config, life);
    private final ChannelOutput output = new ChannelOutput(life);
    /** Of a channel that a server has accepted, until it is registered. */
    private @Nullable ConnectionRequest request;
    private @Nullable IoRegistration registration;

    /** For {@link io.netty.bootstrap.Bootstrap}: connects later. */
    public VerbsSocketChannel() {
        super(null);
    }

    VerbsSocketChannel(Channel parent, ConnectionRequest request) {
        super(parent);
        this.request = request;
    }

    @Override
    public @Nullable ServerSocketChannel parent() {
        return (ServerSocketChannel) super.parent();
    }

    @Override
    public VerbsChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    public boolean isOpen() {
        return life.isOpen();
    }

    @Override
    public boolean isActive() {
        return life.isActive();
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    /** {@return the provider's counts of the channel's queue pair, or {@code null} before it is connected} */
    public @Nullable QueuePairStatistics statistics() {
        return life.statistics();
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return life.localAddress();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return life.remoteAddress();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(VerbsIoHandle.class);
    }

    // Registration and connection.

    @Override
    protected void doRegister(ChannelPromise promise) {
        VerbsIoHandler.register(eventLoop(), (VerbsIoHandle) unsafe(), promise, registered -> {
            registration = registered;
            ConnectionRequest waiting = request;
            if (waiting == null) {
                promise.setSuccess();
            } else {
                accept(waiting, promise);
            }
        });
    }

    private StreamLoop streams() {
        return VerbsIoHandler.streamsOf(registration);
    }

    /** The stream begins in the loop of the channel. The registration ends when the stream is connected, so the channel is active then. */
    private void accept(ConnectionRequest taken, ChannelPromise promise) {
        request = null;
        if (life.accept(streams(), taken, this::changed, promise)) {
            output.begin();
        }
    }

    @Override
    protected void doDeregister() {
        IoRegistration last = registration;
        if (last != null) {
            registration = null;
            last.cancel();
        }
    }

    /** Called by the loop that the stream began in; the channel may have another event loop since. */
    private void changed(ByteStream changed) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            follow(changed);
        } else {
            loop.execute(() -> follow(changed));
        }
    }

    private void follow(ByteStream stream) {
        if (life.state().isPending()) {
            if (!stream.isConnected() && !stream.hasEnded()) {
                return;
            }
            settle(stream);
        }
        output.releaseCompleted();
        if (!isOpen()) {
            return;
        }
        VerbsUnsafe unsafe = (VerbsUnsafe) unsafe();
        ChannelOutboundBuffer waiting = unsafe.outboundBuffer();
        if (waiting != null && !waiting.isEmpty() && stream.canWrite()) {
            unsafe.writeFlushed();
        }
        input.readIfAsked();
    }

    /** The stream is connected, or it has failed to. */
    private void settle(ByteStream stream) {
        IOException failure = stream.isConnected() || stream.remoteAddress() != null ? null : stream.failure();
        boolean connects = life.state() == ChannelState.CONNECTING;
        ChannelPromise promise = life.settle(failure == null);
        if (failure != null) {
            promise.tryFailure(connects ? ((VerbsUnsafe) unsafe()).annotated(failure) : failure);
            unsafe().close(voidPromise());
            return;
        }
        boolean isWanted = promise.trySuccess();
        if (connects) {
            pipeline().fireChannelActive();
            if (!isWanted) {
                unsafe().close(voidPromise());
            }
        }
    }

    /** The address counts when the channel connects. */
    @Override
    protected void doBind(SocketAddress local) throws SocketException {
        life.bind(local);
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        input.shut();
        output.shut();
        if (request != null) {
            request.close();
            request = null;
        }
        // The addresses stay.
        localAddress();
        remoteAddress();
        life.close();
    }

    // Bytes.

    @Override
    protected void doBeginRead() {
        input.beginRead();
    }

    private void clearRead() {
        input.clear();
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        return ChannelOutput.filter(message);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws IOException {
        output.write(in);
    }

    // Half closure.

    @Override
    public boolean isInputShutdown() {
        return input.isShut() || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return output.isShut() || !isActive();
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    protected void doShutdownOutput() throws ClosedChannelException {
        life.requireActive();
        output.end();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            try {
                life.requireActive();
                input.shut();
                promise.setSuccess();
            } catch (NotYetConnectedException | ClosedChannelException e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        inLoop(() -> ((AbstractUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener((ChannelFutureListener) output -> shutdownInput().addListener((ChannelFutureListener) input -> {
            Throwable failure = output.cause() == null ? input.cause() : output.cause();
            if (failure == null) {
                promise.setSuccess();
            } else {
                promise.setFailure(failure);
            }
        }));
        return promise;
    }

    private void inLoop(Runnable task) {
        EventLoop loop = eventLoop();
        if (loop.inEventLoop()) {
            task.run();
        } else {
            loop.execute(task);
        }
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new VerbsUnsafe();
    }

    private final class VerbsUnsafe extends AbstractUnsafe implements VerbsIoHandle {
        Throwable annotated(IOException failure) {
            return annotateConnectException(ConnectFailures.asOfJdk(failure), life.remoteAddress());
        }

        @Override
        public void close() {
            close(voidPromise());
        }

        @Override
        public void connect(SocketAddress to, @Nullable SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                life.requireNotPending();
                if (from != null) {
                    doBind(from);
                }
                begin(to, promise);
            } catch (SocketException | RuntimeException | Error e) {
                promise.tryFailure(annotateConnectException(e, to));
                closeIfClosed();
            }
        }

        /** As with NIO, a connect that cannot begin is the end of the channel, also of one that is connected. */
        private void begin(SocketAddress to, ChannelPromise promise) {
            boolean begins = false;
            try {
                life.connect(VerbsSocketChannel.this::streams, to, VerbsSocketChannel.this::changed, promise);
                begins = true;
            } finally {
                if (!begins) {
                    doClose();
                }
            }
            output.begin();
            int millis = config.getConnectTimeoutMillis();
            if (millis > 0) {
                Future<?> timeout = eventLoop().schedule(() -> timedOut(promise, millis), millis, TimeUnit.MILLISECONDS);
                promise.addListener(_ -> timeout.cancel(false));
            }
            promise.addListener(future -> {
                if (future.isCancelled()) {
                    close();
                }
            });
        }

        private void timedOut(ChannelPromise promise, int millis) {
            if (promise.tryFailure(new ConnectTimeoutException("connection timed out after " + millis + " ms: " + life.remoteAddress()))) {
                close();
            }
        }

        /** Writes what was flushed before. */
        void writeFlushed() {
            flush0();
        }
    }
}
