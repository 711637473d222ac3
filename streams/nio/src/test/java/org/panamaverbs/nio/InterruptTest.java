package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.panamaverbs.nio.Providers.Pair;
import org.panamaverbs.sockets.SocketLoop;

/**
 * An interrupt closes the channel that its thread waits for, on a device, too: a thread has one place for the object that an interrupt
 * ends, and a wait for a device takes that place from the channel. A selector of the JDK does the same, and stands for the device here.
 */
@Timeout(60)
class InterruptTest {
    @FunctionalInterface
    private interface Operation {
        void run() throws IOException;
    }

    private static void shouldClose(SocketChannel channel, Operation waiting) throws Exception {
        CompletableFuture<Void> result = new CompletableFuture<>();
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                waiting.run();
                result.complete(null);
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        try (Selector device = JdkProvider.find().openSelector()) {
            boolean waited = false;
            while (!waited) {
                CompletableFuture<Boolean> turn = new CompletableFuture<>();
                loop(channel).streams().execute(() -> turn.complete(waitsFor(device, thread)));
                waited = turn.join();
            }
        }
        thread.interrupt();
        ExecutionException failed = assertThrows(ExecutionException.class, () -> result.get(20, TimeUnit.SECONDS));
        assertInstanceOf(ClosedByInterruptException.class, failed.getCause());
        assertFalse(channel.isOpen());
    }

    private static SocketLoop loop(SocketChannel channel) {
        SocketLoop loop = null;
        while (loop == null) {
            loop = ((VerbsSocketChannel) channel).carrier() instanceof StreamCarrier stream ? stream.link().loop() : null;
            Thread.onSpinWait();
        }
        return loop;
    }

    /** {@return whether this is the thread, which has waited for a moment} */
    private static boolean waitsFor(Selector device, Thread thread) {
        if (Thread.currentThread() != thread) {
            return false;
        }
        try {
            device.wakeup().select();
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldEndARead() throws Exception {
        try (Pair pair = Pair.of(Providers.of("epoll"))) {
            shouldClose(pair.near(), () -> pair.near().read(ByteBuffer.allocate(1)));
        }
    }

    @Test
    void shouldEndAWrite() throws Exception {
        try (Pair pair = Pair.of(Providers.of("epoll"))) {
            shouldClose(pair.near(), () -> pair.near().write(ByteBuffer.allocate(16 << 20)));
        }
    }

    /** The server never answers. */
    @Test
    void shouldEndAConnect() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, Providers.anyPort().getAddress());
                SocketChannel channel = Providers.of("epoll").openSocketChannel()) {
            shouldClose(channel, () -> channel.connect(server.getLocalSocketAddress()));
        }
    }
}
