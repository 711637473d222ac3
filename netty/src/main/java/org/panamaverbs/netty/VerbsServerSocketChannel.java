package org.panamaverbs.netty;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ServerSocketChannel;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;

/** A server's channel: each peer that asks becomes a {@link VerbsSocketChannel}. */
// Tested by NettySuiteTest.
public final class VerbsServerSocketChannel extends AbstractServerChannel implements ServerSocketChannel {
    /** How many peers wait here; further ones wait in the listener. */
    private static final int WAITING = 64;

    private final VerbsServerChannelConfig config = new VerbsServerChannelConfig(this);
    private final Queue<ConnectionRequest> requests = new ConcurrentLinkedQueue<>();
    private final Semaphore places = new Semaphore(WAITING);
    private IoRegistration registration;
    private volatile Listener listener;
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
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return null;
    }

    @Override
    protected SocketAddress localAddress0() {
        Listener known = listener;
        return known == null ? null : known.address();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop known && known.isCompatible(VerbsIoHandle.class);
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
        VerbsIoHandler handler = registration.attachment();
        InetSocketAddress address = local instanceof InetSocketAddress known ? known
                : new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try {
            listener = ConnectionManager.of(handler.streams().device()).listen(address, config.backlogOrUsual());
        } catch (SystemException e) {
            BindException failed = new BindException(e.getMessage());
            failed.initCause(e);
            throw failed;
        }
        Listener listening = listener;
        Thread.startVirtualThread(() -> take(listening));
    }

    private void take(Listener listening) {
        try {
            while (true) {
                places.acquireUninterruptibly();
                requests.add(listening.awaitRequest(Verbs.FOREVER));
                eventLoop().execute(this::accept);
            }
        } catch (VerbsException | RejectedExecutionException e) {
            if (open) {
                pipeline().fireExceptionCaught(e);
            }
            drop();
        }
    }

    private void drop() {
        for (ConnectionRequest request = requests.poll(); request != null; request = requests.poll()) {
            request.close();
        }
    }

    @Override
    protected void doBeginRead() {
        readPending = true;
        if (!requests.isEmpty()) {
            eventLoop().execute(this::accept);
        }
    }

    private void accept() {
        if (!open) {
            drop();
            return;
        }
        if (!readPending || requests.isEmpty()) {
            return;
        }
        readPending = false;
        RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        handle.reset(config);
        do {
            ConnectionRequest request = requests.poll();
            if (request == null) {
                break;
            }
            places.release();
            handle.incMessagesRead(1);
            pipeline().fireChannelRead(new VerbsSocketChannel(this, request));
        } while (handle.continueReading());
        handle.readComplete();
        pipeline().fireChannelReadComplete();
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
        public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("a server's channel does not connect"));
        }
    }
}
