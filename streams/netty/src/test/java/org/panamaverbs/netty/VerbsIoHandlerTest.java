package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Warnings;

class VerbsIoHandlerTest {
    private int closed;

    private final class Handle implements VerbsIoHandle {
        @Override
        public void close() {
            closed++;
        }
    }

    /** The calling thread is the event loop. */
    private static final ThreadAwareExecutor HERE = new ThreadAwareExecutor() {
        @Override
        public boolean isExecutorThread(Thread thread) {
            return true;
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }
    };

    /** A task of an event loop that ends may register a channel. It is closed as the others are: its listener would stay for ever. */
    @Test
    void shouldCloseAChannelThatIsRegisteredWhileTheLoopEnds() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            IoHandler handler = VerbsIoHandler.newFactory(verbs.device()).newHandler(HERE);
            handler.prepareToDestroy();
            handler.register(new Handle());
            handler.destroy();
            assertEquals(1, closed);
        }
    }

    /** Netty would end the event loop, and with it all its channels. */
    @Test
    void shouldGoOnAfterAnErrorOfATurn() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            IoHandler handler = VerbsIoHandler.newFactory(verbs.device()).newHandler(HERE);
            assertEquals(0, handler.run(new IoHandlerContext() {
                @Override
                public boolean canBlock() {
                    return true;
                }

                @Override
                public long delayNanos(long now) {
                    throw new OutOfMemoryError("of the test");
                }

                @Override
                public long deadlineNanos() {
                    return -1;
                }
            }));
            handler.prepareToDestroy();
            handler.destroy();
        }
    }

    /** As a program does that fails between the two, and never ends the group: each turn fails. */
    @Test
    void shouldSayOnceThatVerbsWasClosedBeforeTheGroup() throws Exception {
        Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        IoHandler handler = VerbsIoHandler.newFactory(verbs.device()).newHandler(HERE);
        verbs.close();
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < 3; i++) {
                assertEquals(0, handler.run(NOT_BLOCKING));
            }
            assertEquals(1, warnings.messages());
        }
        handler.prepareToDestroy();
        handler.destroy();
    }

    private static final IoHandlerContext NOT_BLOCKING = new IoHandlerContext() {
        @Override
        public boolean canBlock() {
            return false;
        }

        @Override
        public long delayNanos(long now) {
            return 0;
        }

        @Override
        public long deadlineNanos() {
            return -1;
        }
    };

    /** Netty's event loop would log it, and leave the promise unanswered. */
    @Test
    void shouldFailTheRegistrationThatEndsInAnError() throws Exception {
        try (Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build())) {
            IoHandlerFactory factory = VerbsIoHandler.newFactory(verbs.device());
            EventLoopGroup group = new MultiThreadIoEventLoopGroup(1,
                    (IoHandlerFactory) executor -> new LackingHandler(factory.newHandler(executor)));
            for (Channel channel : List.of(new VerbsSocketChannel(), new VerbsServerSocketChannel())) {
                ExecutionException failure = assertThrows(ExecutionException.class,
                        () -> group.register(channel).get(60, TimeUnit.SECONDS));
                assertInstanceOf(NoSuchMethodError.class, failure.getCause());
                assertFalse(channel.isOpen());
            }
            group.shutdownGracefully(0, 60, TimeUnit.SECONDS).sync();
        }
    }

    /** The handler with another version of Netty, which lacks a method. */
    private record LackingHandler(IoHandler handler) implements IoHandler {
        @Override
        public int run(IoHandlerContext context) {
            return handler.run(context);
        }

        @Override
        public void prepareToDestroy() {
            handler.prepareToDestroy();
        }

        @Override
        public void destroy() {
            handler.destroy();
        }

        @Override
        public IoRegistration register(IoHandle handle) {
            throw new NoSuchMethodError("a method of a newer version");
        }

        @Override
        public void wakeup() {
            handler.wakeup();
        }

        @Override
        public boolean isCompatible(Class<? extends IoHandle> type) {
            return handler.isCompatible(type);
        }
    }
}
