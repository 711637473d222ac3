package org.panamaverbs.netty;

import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Device;
import org.panamaverbs.VerbsException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.sockets.StreamLoop;
import org.panamaverbs.spi.support.Complaints;

/**
 * The part of one of Netty's event loops that does input and output over verbs: it turns a {@link StreamLoop} of its own.
 *
 * {@snippet :
 * EventLoopGroup group = new MultiThreadIoEventLoopGroup(VerbsIoHandler.newFactory(device));
 * new Bootstrap().group(group).channel(VerbsSocketChannel.class).handler(handler).connect("server", 7471);
 * }
 */
// Tested by NettySuiteTest.
public final class VerbsIoHandler implements IoHandler {
    /** The pause after a turn that failed. */
    private static final long REST_NANOS = 1_000_000;

    private final ThreadAwareExecutor executor;
    private final StreamLoop streams;
    private final Set<VerbsIoHandle> handles = new HashSet<>();
    /** How long the last turn that could wait could do so: most may wait as long, and need no new object. */
    private Duration longest = Duration.ZERO;
    /** Whether a turn has found that the device does not work any more: all later turns find it, too. */
    private boolean failed;
    private final Complaints complaints = new Complaints(VerbsIoHandler.class);
    private final Complaints.Message interrupted = complaints.message("the event loop {} was interrupted; the channels of device {} go on");
    private final Complaints.Message deviceFailed = complaints.message("the channels of device {} do not work any more; if the "
            + "program has closed Verbs, it must end the group of its event loops first");
    private final Complaints.Message turnFailed = complaints.message("a turn of the channels of device {} failed");

    private VerbsIoHandler(ThreadAwareExecutor executor, Device device) {
        this.executor = executor;
        streams = StreamLoop.open(device);
    }

    /**
     * Makes handlers for the event loops of a group.
     *
     * @param device an open device, which stays open until the group has ended
     * @return for {@link io.netty.channel.MultiThreadIoEventLoopGroup}
     */
    public static IoHandlerFactory newFactory(Device device) {
        return new IoHandlerFactory() {
            @Override
            public IoHandler newHandler(ThreadAwareExecutor executor) {
                return new VerbsIoHandler(executor, device);
            }

            // A stream's loop is turned by one thread at a time, and not always by the same.
            @Override
            public boolean isChangingThreadSupported() {
                return true;
            }
        };
    }

    /**
     * Registers a channel with its event loop. Netty answers an exception of {@link #register(IoHandle)} alone, so an Error, as of a class
     * that a version of Netty lacks, fails the promise here.
     *
     * @param registered called by the event loop, and answers the promise
     */
    static void register(EventLoop loop, VerbsIoHandle handle, ChannelPromise promise, Consumer<IoRegistration> registered) {
        try {
            ((IoEventLoop) loop).register(handle).addListener(future -> {
                if (future.isSuccess()) {
                    registered.accept((IoRegistration) future.getNow());
                } else {
                    promise.setFailure(future.cause());
                }
            });
        } catch (Error e) {
            promise.setFailure(e);
        }
    }

    /**
     * {@return the streams of the event loop that a channel is registered with}
     *
     * @throws IllegalStateException if the program has deregistered the channel
     */
    static StreamLoop streamsOf(@Nullable IoRegistration registration) {
        if (registration == null) {
            throw new IllegalStateException(
                    "the channel is not registered with an event loop any more: register it again, then bind or connect it");
        }
        VerbsIoHandler handler = registration.attachment();
        return handler.streams();
    }

    StreamLoop streams() {
        return streams;
    }

    @Override
    public int run(IoHandlerContext context) {
        try {
            return turn(context.canBlock() ? Math.max(0, context.delayNanos(System.nanoTime())) : 0);
        } catch (RuntimeException | Error e) {
            // For want of memory: a later turn goes on. Netty would end the event loop.
            turnFailed.error(streams.device().name(), e);
            LockSupport.parkNanos(REST_NANOS);
        }
        return 0;
    }

    private int turn(long nanos) {
        try {
            if (nanos != 0 && nanos != longest.toNanos()) {
                longest = Duration.ofNanos(nanos);
            }
            return streams.turn(nanos == 0 ? Duration.ZERO : longest);
        } catch (WaitInterruptedException e) {
            // Somebody interrupted the event loop, which has no reason to end.
            Thread.interrupted();
            interrupted.warn(Thread.currentThread().getName(), streams.device().name());
        } catch (VerbsException e) {
            if (!failed) {
                failed = true;
                deviceFailed.error(streams.device().name(), e);
            }
            List.copyOf(handles).forEach(VerbsIoHandle::close);
            LockSupport.parkNanos(REST_NANOS);
        }
        return 0;
    }

    @Override
    public void wakeup() {
        if (!executor.isExecutorThread(Thread.currentThread())) {
            streams.wakeup();
        }
    }

    @Override
    public void prepareToDestroy() {
        List.copyOf(handles).forEach(VerbsIoHandle::close);
    }

    @Override
    public void destroy() {
        // Channels that were registered after the last preparation.
        prepareToDestroy();
        streams.close();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return VerbsIoHandle.class.isAssignableFrom(type);
    }

    @Override
    public IoRegistration register(IoHandle handle) {
        if (!(handle instanceof VerbsIoHandle ours)) {
            throw new IllegalArgumentException("an event loop of verbs has no channels of another transport: use VerbsSocketChannel or "
                    + "VerbsServerSocketChannel, not " + handle.getClass().getName());
        }
        handles.add(ours);
        return new Registration(ours);
    }

    private final class Registration implements IoRegistration {
        private final VerbsIoHandle handle;
        private final AtomicBoolean canceled = new AtomicBoolean();

        Registration(VerbsIoHandle handle) {
            this.handle = handle;
        }

        @Override
        @SuppressWarnings({ "unchecked", "TypeParameterUnusedInFormals" }) // Netty declares it so.
        public <T> T attachment() {
            return (T) VerbsIoHandler.this;
        }

        @Override
        public long submit(IoOps ops) {
            throw new UnsupportedOperationException("channels of verbs have no operations to submit");
        }

        @Override
        public boolean isValid() {
            return !canceled.get();
        }

        @Override
        public boolean cancel() {
            if (!canceled.compareAndSet(false, true)) {
                return false;
            }
            if (executor.isExecutorThread(Thread.currentThread())) {
                remove();
            } else {
                executor.execute(this::remove);
            }
            return true;
        }

        private void remove() {
            handles.remove(handle);
        }
    }
}
