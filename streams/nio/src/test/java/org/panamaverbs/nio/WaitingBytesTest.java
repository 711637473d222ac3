package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Bytes that a channel has taken go out without a further call of the program, whatever the peer and the beginning of the stream do at that
 * moment.
 */
class WaitingBytesTest extends EachProvider {
    private static final int LEAST_BUFFER = 8 << 10;
    private static final int MOST_BYTES = 100_000;

    private ServerSocketChannel server() throws IOException {
        return provider.openServerSocketChannel().setOption(StandardSocketOptions.SO_RCVBUF, LEAST_BUFFER).bind(Providers.anyPort());
    }

    private SocketChannel connect(ServerSocketChannel server) throws IOException {
        SocketChannel channel = provider.openSocketChannel().setOption(StandardSocketOptions.SO_RCVBUF, LEAST_BUFFER);
        assertTrue(channel.connect(server.getLocalAddress()));
        return channel;
    }

    /** Bytes whose values follow one on the other. */
    private static ByteBuffer bytes(int first, int count) {
        ByteBuffer made = ByteBuffer.allocate(count);
        for (int i = 0; i < count; i++) {
            made.put(i, (byte) (first + i));
        }
        return made;
    }

    private static void read(SocketChannel channel, int first, int count) throws IOException {
        ByteBuffer into = ByteBuffer.allocate(count);
        while (into.hasRemaining()) {
            assertTrue(channel.read(into) > 0, () -> "the end after " + into.position() + " of " + count + " bytes");
        }
        assertEquals(bytes(first, count), into.flip());
    }

    @Test
    void shouldSendWhatWaitsWhenThePeerMakesRoom() throws Exception {
        Random random = new Random(1);
        try (ServerSocketChannel server = server();
                SocketChannel near = connect(server);
                SocketChannel far = server.accept();
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 500; round++) {
                int count = 1 + random.nextInt(MOST_BYTES);
                int first = round;
                Future<?> reading = threads.submit(() -> {
                    read(far, first, count);
                    return null;
                });
                ByteBuffer from = bytes(first, count);
                while (from.hasRemaining()) {
                    near.write(from);
                }
                // Nothing but the peer's room makes the rest go.
                reading.get(60, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void shouldSendWhatWasWrittenBeforeTheStreamBegan() throws Exception {
        Random random = new Random(2);
        try (ServerSocketChannel server = server(); ExecutorService threads = Executors.newSingleThreadExecutor()) {
            for (int round = 0; round < 100; round++) {
                int count = 1 + random.nextInt(MOST_BYTES);
                int first = round;
                boolean closes = random.nextBoolean();
                boolean waits = random.nextBoolean();
                Future<?> writing = threads.submit(() -> {
                    SocketChannel far = server.accept();
                    far.configureBlocking(waits);
                    ByteBuffer from = bytes(first, count);
                    while (from.hasRemaining()) {
                        far.write(from);
                    }
                    if (closes) {
                        far.close();
                    } else {
                        far.shutdownOutput();
                    }
                    return far;
                });
                try (SocketChannel near = connect(server)) {
                    read(near, first, count);
                    assertEquals(-1, near.read(ByteBuffer.allocate(1)));
                }
                ((SocketChannel) writing.get(60, TimeUnit.SECONDS)).close();
            }
        }
    }
}
