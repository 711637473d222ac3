package org.panamaverbs.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyBoundException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Workers;

/** A server's channel: each peer that asks becomes a {@link VerbsSocketChannel}. */
// Tested by NettySuiteTest, TranscriptTest.
public final class VerbsServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    /** How many peers wait here; further ones wait in the listener. */
    private static final int WAITING = 64;

    /** The pause after a failure of this side. */
    private static final long REST_NANOS = 1_000_000;

    private final Complaints.Message takingFailed = new Complaints(VerbsServerSocketChannel.class)
            .message("the server channel at {} could not take a peer");
    private final VerbsServerChannelConfig config = new VerbsServerChannelConfig(this, this::clearRead);
    private final Queue<ConnectionRequest> requests = new ConcurrentLinkedQueue<>();
    private final Semaphore places = new Semaphore(WAITING);
    private final Runnable accepting = this::accept;
    private @Nullable IoRegistration registration;
    private volatile @Nullable Listener listener;
    private volatile boolean open = true;
    private boolean readPending;

    /** For {@link io.netty.bootstrap.ServerBootstrap}: binds later. */
    public VerbsServerSocketChannel() {
        // Nothing to do.
    }

    @Override
    public VerbsServerChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open && listener != null;
    }

    @Override
    public @Nullable InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public @Nullable InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        Listener current = listener;
        return current == null ? null : current.address();
    }

    /** {@return the address at which peers have come, so it has one} */
    private SocketAddress peersAddress() {
        return Objects.requireNonNull(localAddress0());
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop ioLoop && ioLoop.isCompatible(VerbsIoHandle.class);
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        VerbsIoHandler.register(eventLoop(), (VerbsIoHandle) unsafe(), promise, registered -> {
            registration = registered;
            promise.setSuccess();
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration last = registration;
        if (last != null) {
            registration = null;
            last.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress local) throws BindException {
        if (listener != null) {
            throw new AlreadyBoundException();
        }
        InetSocketAddress address = ChannelLife.resolved(local);
        try {
            listener = ConnectionManager.of(VerbsIoHandler.streamsOf(registration).device()).listen(address, config.peers());
        } catch (SystemException e) {
            BindException failed = new BindException(e.getMessage());
            failed.initCause(e);
            throw failed;
        }
        Listener listening = listener;
        try {
            Workers.start("netty-accept-" + listening.address().getPort(), () -> take(listening));
        } catch (RuntimeException | Error e) {
            listener = null;
            listening.close();
            throw e;
        }
    }

    private void take(Listener listening) {
        boolean goesOn = true;
        while (goesOn) {
            places.acquireUninterruptibly();
            try {
                goesOn = takeNext(listening);
            } catch (RejectedExecutionException e) {
                // The event loop has ended: peers are refused from now on.
                listening.close();
                drop();
                goesOn = false;
            } catch (RuntimeException | Error e) {
                // Memory is lacking for this peer: for the next there may be some.
                places.release();
                takingFailed.error(listening.address(), e);
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** {@return whether further peers may come} */
    private boolean takeNext(Listener listening) {
        ConnectionRequest request;
        try {
            request = listening.awaitRequest(Verbs.FOREVER);
        } catch (VerbsException e) {
            schedule(() -> end(e));
            return false;
        }
        try {
            requests.add(request);
        } catch (RuntimeException | Error e) {
            request.close();
            throw e;
        }
        schedule(accepting);
        return true;
    }

    /** The event loop must get it, or a peer would wait for the next one: without memory, some time later. */
    private void schedule(Runnable task) {
        while (true) {
            try {
                eventLoop().execute(task);
                return;
            } catch (OutOfMemoryError e) {
                LockSupport.parkNanos(REST_NANOS);
            }
        }
    }

    /** The listener has ended: if the program has not closed it, it learns why. */
    private void end(VerbsException reason) {
        if (open) {
            pipeline().fireExceptionCaught(reason);
            unsafe().close(voidPromise());
        }
        drop();
    }

    private void drop() {
        for (ConnectionRequest request = requests.poll(); request != null; request = requests.poll()) {
            // The thread that takes peers may wait for a place, and ends then.
            places.release();
            request.close();
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!requests.isEmpty()) {
            eventLoop().execute(accepting);
        }
    }

    /** Any thread may call. */
    private void clearRead() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(this::clearReadNow);
        } else {
            clearReadNow();
        }
    }

    private void clearReadNow() {
        readPending &= config.isAutoRead();
    }

    /** A task of the event loop: Netty logs what it throws, and ends the loop if memory is lacking for that. */
    private void accept() {
        try {
            acceptNow();
        } catch (RuntimeException | Error e) {
            takingFailed.error(peersAddress(), e);
            if (open && readPending && !requests.isEmpty()) {
                // No further peer may come, and no read: those that wait would wait for ever.
                LockSupport.parkNanos(REST_NANOS);
                schedule(accepting);
            }
        }
    }

    private void acceptNow() {
        if (!open) {
            drop();
            return;
        }
        if (!readPending || requests.isEmpty()) {
            return;
        }
        config.reserve();
        readPending = false;
        try {
            acceptAll();
        } finally {
            // A server that reads automatically goes on, also if memory was lacking for the next read: the pipeline does not say so.
            readPending |= config.isAutoRead();
        }
    }

    private void acceptAll() {
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        handle.reset(config);
        Throwable failure = null;
        try {
            ConnectionRequest request = requests.poll();
            while (request != null) {
                places.release();
                handle.incMessagesRead(1);
                pipeline().fireChannelRead(channelFor(request));
                request = handle.continueReading() ? requests.poll() : null;
            }
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        // Also after a failure: a server that reads automatically goes on to read.
        handle.readComplete();
        pipeline().fireChannelReadComplete();
        if (failure instanceof OutOfMemoryError) {
            // Netty's acceptor would turn automatic reads off, and on again by a task for which there may be no memory.
            takingFailed.error(peersAddress(), failure);
        } else if (failure != null) {
            pipeline().fireExceptionCaught(failure);
        }
    }

    private VerbsSocketChannel channelFor(ConnectionRequest request) {
        try {
            return new VerbsSocketChannel(this, request);
        } catch (RuntimeException | Error e) {
            request.close();
            throw e;
        }
    }

    @Override
    protected void doClose() {
        open = false;
        Listener last = listener;
        if (last != null) {
            localAddress();
            last.close();
        }
        drop();
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ServerUnsafe();
    }

    private final class ServerUnsafe extends AbstractUnsafe implements VerbsIoHandle {
        @Override
        public void close() {
            close(voidPromise());
        }

        @Override
        public void connect(SocketAddress to, @Nullable SocketAddress from, ChannelPromise promise) {
            if (ensureOpen(promise)) {
                promise.setFailure(new UnsupportedOperationException("a server's channel does not connect"));
            }
        }
    }
}
