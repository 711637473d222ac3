package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** What the tests of channels do with them. */
final class Channels {
    private Channels() {
    }

    static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        for (int value : values) {
            buffer.put((byte) value);
        }
        return buffer.flip();
    }

    static byte[] readAll(SocketChannel channel, int length) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(length);
        while (into.hasRemaining() && channel.read(into) >= 0) {
            // Further.
        }
        return Arrays.copyOf(into.array(), into.position());
    }

    static <T> CompletableFuture<T> async(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(call.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    /** Waits until a thread sleeps in a method of a channel, or polls a channel of the JDK. */
    static void awaitInCall(Thread thread, String method) {
        Scene.await(() -> {
            StackTraceElement[] stack = thread.getStackTrace();
            return Stream.of(stack).anyMatch(frame -> frame.getMethodName().equals(method))
                    && (thread.getState() != Thread.State.RUNNABLE || stack[0].getClassName().startsWith("sun.nio.ch."));
        });
    }

    @FunctionalInterface
    interface Call<T> {
        T run() throws Exception;
    }

    /** Waits until the key is ready for an operation. */
    static void await(Selector selector, SelectionKey key, int ops) throws IOException {
        key.interestOps(ops);
        do {
            selector.selectedKeys().clear();
            assertTrue(selector.select(60_000) > 0, "nothing became ready");
        } while ((key.readyOps() & ops) == 0);
        assertTrue(selector.selectedKeys().contains(key));
        selector.selectedKeys().clear();
    }
}
