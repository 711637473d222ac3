package org.panamaverbs.netty;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.FileRegion;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.IllegalReferenceCountException;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;
import org.panamaverbs.sockets.ByteStream;
import org.panamaverbs.sockets.ConnectFailures;
import org.panamaverbs.sockets.StreamLoop;

/**
 * A channel over one stream of verbs. It behaves as NIO's channel does: half closure, {@code SO_LINGER}, {@code AUTO_READ}, file regions.
 * Bytes are copied once on each side; those in larger buffers of a {@link VerbsByteBufAllocator} are not copied before they are sent.
 */
// Tested by NettySuiteTest, TranscriptTest.
public final class VerbsSocketChannel extends AbstractChannel implements SocketChannel {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, 16);
    /** The stream's own limit of connecting is so much later than the channel's, whose exception programs know. */
    private static final long LATER_MILLIS = 1_000;
    /** How long a peer that was accepted may take to begin. */
    private static final Duration BEGINNING = Duration.ofSeconds(10);

    private final VerbsChannelConfig config = new VerbsChannelConfig(this);
    /** Of a channel that a server has accepted, until it is registered. */
    private ConnectionRequest request;
    private IoRegistration registration;
    private volatile ByteStream stream;
    private DirectSends direct;
    private volatile boolean open = true;
    private volatile boolean active;
    private volatile boolean inputShut;
    private volatile boolean outputShut;
    /** Where to it connects. */
    private volatile InetSocketAddress remote;

    // Of the event loop.
    private ChannelPromise registering;
    private ChannelPromise connecting;
    private Future<?> connectTimeout;
    private InetSocketAddress localWish;
    private boolean readPending;
    private boolean reading;
    private boolean inputShutSeen;

    /** For {@link io.netty.bootstrap.Bootstrap}: connects later. */
    public VerbsSocketChannel() {
        super(null);
    }

    VerbsSocketChannel(Channel parent, ConnectionRequest request) {
        super(parent);
        this.request = request;
    }

    @Override
    public ServerSocketChannel parent() {
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
        return open;
    }

    @Override
    public boolean isActive() {
        return active && open;
    }

    @Override
    public InetSocketAddress localAddress() {
        return (InetSocketAddress) super.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return (InetSocketAddress) super.remoteAddress();
    }

    @Override
    protected SocketAddress localAddress0() {
        ByteStream known = stream;
        InetSocketAddress address = known == null ? null : known.localAddress();
        return address == null ? localWish : address;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        ByteStream known = stream;
        InetSocketAddress address = known == null ? null : known.remoteAddress();
        return address == null ? remote : address;
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop known && known.isCompatible(VerbsIoHandle.class);
    }

    // Registration and connection.

    @Override
    protected void doRegister(ChannelPromise promise) {
        VerbsIoHandler.register(eventLoop(), (VerbsIoHandle) unsafe(), promise, registered -> {
            registration = registered;
            if (request == null) {
                promise.setSuccess();
            } else {
                accept(promise);
            }
        });
    }

    private StreamLoop streams() {
        VerbsIoHandler handler = registration.attachment();
        return handler.streams();
    }

    /** The stream is made in the loop of the channel; it is registered once it is connected, as a channel of NIO is. */
    private void accept(ChannelPromise promise) {
        ConnectionRequest taken = request;
        request = null;
        registering = promise;
        try {
            stream = streams().accept(taken, BEGINNING, config.options(), this::changed);
        } catch (RuntimeException | Error e) {
            taken.close();
            registering = null;
            promise.setFailure(e);
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

    /** As with NIO, a connect that cannot begin is the end of the channel, also of one that is connected. */
    private void begin(SocketAddress to) {
        boolean begins = false;
        try {
            connectStream(resolved(to));
            begins = true;
        } finally {
            if (!begins) {
                doClose();
            }
        }
    }

    private void connectStream(InetSocketAddress address) {
        if (stream != null) {
            throw new AlreadyConnectedException();
        }
        Route route = Route.to(address);
        int millis = config.getConnectTimeoutMillis();
        remote = address;
        stream = streams().connect(localWish == null ? route : route.from(localWish),
                millis > 0 ? Duration.ofMillis(millis + LATER_MILLIS) : Verbs.FOREVER, config.options(), this::changed);
    }

    static InetSocketAddress resolved(SocketAddress address) {
        if (!(address instanceof InetSocketAddress inet)) {
            throw new UnsupportedAddressTypeException();
        }
        if (inet.isUnresolved()) {
            throw new UnresolvedAddressException();
        }
        return inet;
    }

    private void connectionTimedOut() {
        if (connecting != null && connecting.tryFailure(
                new ConnectTimeoutException("connection timed out after " + config.getConnectTimeoutMillis() + " ms: " + remote))) {
            unsafe().close(voidPromise());
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

    /** The stream has changed. */
    private void follow(ByteStream changed) {
        if (direct == null) {
            direct = new DirectSends(changed);
        }
        if (registering != null || connecting != null) {
            if (!changed.isConnected() && !changed.hasEnded()) {
                return;
            }
            settle(changed);
        }
        direct.completed();
        if (!open) {
            return;
        }
        VerbsUnsafe unsafe = (VerbsUnsafe) unsafe();
        ChannelOutboundBuffer waiting = unsafe.outboundBuffer();
        if (waiting != null && !waiting.isEmpty() && changed.canWrite()) {
            unsafe.goOn();
        }
        if (readPending && registration != null && changed.canRead()) {
            unsafe.read();
        }
    }

    /** It is connected, or it has failed to. */
    private void settle(ByteStream changed) {
        IOException failure = changed.isConnected() || changed.remoteAddress() != null ? null : changed.failure();
        active = failure == null;
        ChannelPromise promise = registering == null ? connecting : registering;
        boolean registers = registering != null;
        registering = null;
        connecting = null;
        if (connectTimeout != null) {
            connectTimeout.cancel(false);
        }
        if (failure != null) {
            promise.tryFailure(registers ? failure : ((VerbsUnsafe) unsafe()).annotated(failure));
            unsafe().close(voidPromise());
            return;
        }
        boolean told = promise.trySuccess();
        if (!registers) {
            pipeline().fireChannelActive();
            if (!told) {
                unsafe().close(voidPromise());
            }
        }
    }

    /** The address counts when it connects. */
    @Override
    protected void doBind(SocketAddress local) throws SocketException {
        if (connecting != null) {
            throw new ConnectionPendingException();
        }
        if (localWish != null || stream != null) {
            throw new AlreadyBoundException();
        }
        InetSocketAddress address = resolved(local);
        if (!address.getAddress().isAnyLocalAddress() && NetworkInterface.getByInetAddress(address.getAddress()) == null) {
            throw new BindException("Cannot assign requested address: no interface of this machine has " + address.getAddress());
        }
        localWish = address;
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doClose() {
        open = false;
        active = false;
        inputShut = true;
        outputShut = true;
        if (connecting != null) {
            connecting.tryFailure(new ClosedChannelException());
            connecting = null;
        }
        if (registering != null) {
            registering.tryFailure(new ClosedChannelException());
            registering = null;
        }
        if (connectTimeout != null) {
            connectTimeout.cancel(false);
        }
        if (request != null) {
            request.close();
            request = null;
        }
        ByteStream last = stream;
        if (last != null) {
            // The addresses stay known.
            localAddress();
            remoteAddress();
            if (config.abortsOnClose()) {
                last.abort();
            } else {
                last.close();
            }
        }
    }

    // Reading.

    @Override
    protected void doBeginRead() {
        readPending = true;
        ByteStream now = stream;
        if (now != null && now.canRead() && !reading) {
            eventLoop().execute(this::readLater);
        }
    }

    private void readLater() {
        if (open && readPending && registration != null && stream.canRead()) {
            ((VerbsUnsafe) unsafe()).read();
        }
    }

    void clearRead() {
        if (isRegistered() && !eventLoop().inEventLoop()) {
            eventLoop().execute(this::clearReadNow);
        } else {
            clearReadNow();
        }
    }

    private void clearReadNow() {
        if (!config.isAutoRead()) {
            readPending = false;
        }
    }

    private int read(ByteBuf into) throws SocketException {
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

    // Writing.

    @Override
    protected Object filterOutboundMessage(Object message) {
        if (message instanceof ByteBuf buffer && !buffer.isDirect() && buffer.refCnt() == 0) {
            throw new IllegalReferenceCountException(0);
        }
        if (message instanceof ByteBuf || message instanceof FileRegion) {
            return message;
        }
        throw new UnsupportedOperationException("a channel of verbs sends ByteBuf and FileRegion, not " + message.getClass().getName());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        boolean goesOn = true;
        while (goesOn) {
            Object message = in.current();
            goesOn = switch (message) {
                case ByteBuf buffer -> write(in, buffer);
                case FileRegion region -> write(in, region);
                case null, default -> false;
            };
        }
        stream.flush();
    }

    /** Whether all of it was taken. */
    private boolean write(ChannelOutboundBuffer in, ByteBuf buffer) throws IOException {
        int total = 0;
        int length = buffer.readableBytes();
        if (buffer.hasMemoryAddress()) {
            total = write(buffer, buffer.memoryAddress() + buffer.readerIndex(), length);
        } else {
            for (ByteBuffer part : buffer.nioBuffers()) {
                MemorySegment bytes = MemorySegment.ofBuffer(part);
                int count = bytes.isNative() ? write(buffer, bytes.address(), part.remaining()) : stream.write(bytes, 0, part.remaining());
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

    private int write(ByteBuf buffer, long address, int length) throws IOException {
        int count = direct.write(buffer, address, length);
        return count < 0 ? stream.write(NativeMemory.ALL, address, length) : count;
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
            int count = stream.write(MemorySegment.ofBuffer(from), 0, from.remaining());
            isFull = count < from.remaining();
            from.position(from.position() + count);
            return count;
        }

        @Override
        public boolean isOpen() {
            return VerbsSocketChannel.this.isOpen();
        }

        @Override
        public void close() {
            // The channel stays.
        }
    }

    // Half closure.

    @Override
    public boolean isInputShutdown() {
        return inputShut || !isActive();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShut || !isActive();
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
        requireActive();
        outputShut = true;
        stream.shutdownOutput();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inLoop(() -> {
            try {
                requireActive();
                inputShut = true;
                promise.setSuccess();
            } catch (NotYetConnectedException | ClosedChannelException e) {
                promise.setFailure(e);
            }
        });
        return promise;
    }

    private void requireActive() throws ClosedChannelException {
        if (!open) {
            throw new ClosedChannelException();
        }
        if (!active) {
            throw new NotYetConnectedException();
        }
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
            return annotateConnectException(ConnectFailures.asOfJdk(failure), remote);
        }

        @Override
        public void close() {
            close(voidPromise());
        }

        @Override
        public void connect(SocketAddress to, SocketAddress from, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            try {
                if (connecting != null) {
                    throw new ConnectionPendingException();
                }
                if (from != null) {
                    doBind(from);
                }
                begin(to);
                connecting = promise;
                int millis = config.getConnectTimeoutMillis();
                if (millis > 0) {
                    connectTimeout = eventLoop().schedule(VerbsSocketChannel.this::connectionTimedOut, millis, TimeUnit.MILLISECONDS);
                }
                promise.addListener(future -> {
                    if (future.isCancelled()) {
                        connecting = null;
                        close(voidPromise());
                    }
                });
            } catch (SocketException | RuntimeException | Error e) {
                promise.tryFailure(annotateConnectException(e, to));
                closeIfClosed();
            }
        }

        /** Writes what was flushed before. */
        void goOn() {
            flush0();
        }

        private void closeOnRead() {
            if (!inputShut) {
                if (config.isAllowHalfClosure()) {
                    inputShut = true;
                    pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
                } else {
                    close(voidPromise());
                }
            } else if (!inputShutSeen) {
                inputShutSeen = true;
                pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
            }
        }

        void read() {
            if (inputShut && (inputShutSeen || !config.isAllowHalfClosure())) {
                readPending = false;
                return;
            }
            RecvByteBufAllocator.ExtendedHandle handle = (RecvByteBufAllocator.ExtendedHandle) recvBufAllocHandle();
            handle.reset(config);
            ByteBuf buffer = null;
            boolean atEnd = false;
            reading = true;
            try {
                do {
                    buffer = handle.allocate(config.getAllocator());
                    handle.lastBytesRead(VerbsSocketChannel.this.read(buffer));
                    if (handle.lastBytesRead() <= 0) {
                        buffer.release();
                        buffer = null;
                        atEnd = handle.lastBytesRead() < 0;
                        break;
                    }
                    handle.incMessagesRead(1);
                    readPending = false;
                    pipeline().fireChannelRead(buffer);
                    buffer = null;
                } while (handle.continueReading());
                if (atEnd) {
                    readPending = false;
                }
                handle.readComplete();
                pipeline().fireChannelReadComplete();
                if (atEnd) {
                    closeOnRead();
                }
            } catch (IOException | RuntimeException | Error e) {
                failed(e, buffer, handle);
            } finally {
                reading = false;
            }
            if (open && readPending && stream.canRead()) {
                eventLoop().execute(VerbsSocketChannel.this::readLater);
            }
        }

        private void failed(Throwable cause, ByteBuf buffer, RecvByteBufAllocator.ExtendedHandle handle) {
            if (buffer != null) {
                buffer.release();
            }
            readPending = false;
            handle.readComplete();
            pipeline().fireChannelReadComplete();
            pipeline().fireExceptionCaught(cause);
            if (cause instanceof IOException || cause instanceof OutOfMemoryError) {
                close(voidPromise());
            }
        }
    }
}
