package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Route;

/** A loop whose thread is interrupted, or whose device has failed. */
class StreamLoopTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsServerSocket server;

    @BeforeEach
    void open() throws IOException {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        sockets = VerbsSockets.open(verbs);
        server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    }

    @AfterEach
    void close() {
        server.close();
        sockets.close();
        verbs.close();
    }

    @Test
    void shouldCloseItsStreamsInAnInterruptedThread() throws IOException {
        StreamLoop loop = StreamLoop.open(verbs.device());
        AtomicInteger ends = new AtomicInteger();
        ByteStream stream = loop.connect(Route.to(server.address()), SOON, StreamOptions.defaults(), changed -> {
            if (changed.hasEnded()) {
                ends.incrementAndGet();
            }
        });
        try (VerbsSocket accepted = server.accept(SOON)) {
            while (!stream.isConnected()) {
                loop.turn(SOON);
            }
            Thread.currentThread().interrupt();
            loop.close();
            assertTrue(Thread.interrupted());
            assertEquals(0, loop.streams());
            assertTrue(ends.get() > 0);
            accepted.setTimeout(SOON);
            assertThrows(IOException.class, () -> accepted.inputStream().read());
        }
    }

    @Test
    void shouldTellStreamsTheirEndThoughTheDeviceHasFailed() throws IOException {
        // The peer does not answer: a stream that is connected before it is aborted would need a turn to give its memory back.
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                StreamLoop loop = StreamLoop.open(verbs.device())) {
            AtomicInteger ends = new AtomicInteger();
            Route route = Route.to(new InetSocketAddress(silent.getInetAddress(), silent.getLocalPort()));
            ByteStream stream = loop.connect(route, SOON, StreamOptions.defaults(), changed -> {
                if (changed.hasEnded()) {
                    ends.incrementAndGet();
                }
            });
            stream.abort();
            while (loop.streams() > 0) {
                Thread.onSpinWait();
            }
            // As a queue answers whose device is gone.
            loop.queue().close();
            assertThrows(ClosedException.class, () -> loop.turn(Duration.ZERO));
            assertEquals(1, ends.get());
        }
    }

    /** A listener that reads a byte in each turn, though all have arrived in one. */
    @Test
    void shouldCallTheListenerAgain() throws IOException {
        byte[] bytes = { 1, 2, 3, 4, 5 };
        List<Integer> read = new ArrayList<>();
        try (StreamLoop loop = StreamLoop.open(verbs.device())) {
            loop.connect(Route.to(server.address()), SOON, StreamOptions.defaults(), changed -> {
                if (changed.isConnected() && changed.available() > 0) {
                    read.add(readByte(changed));
                    changed.notifyListener();
                }
            });
            try (VerbsSocket accepted = server.accept(SOON)) {
                accepted.outputStream().write(bytes);
                while (read.size() < bytes.length) {
                    loop.turn(SOON);
                }
                assertEquals(List.of(1, 2, 3, 4, 5), read);
            }
        }
    }

    private static int readByte(ByteStream stream) {
        byte[] one = new byte[1];
        try {
            assertEquals(1, stream.read(MemorySegment.ofArray(one), 0, 1));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return one[0];
    }

    @Test
    void shouldSayWhetherClosedStreamsHaveToSend() throws IOException {
        try (StreamLoop loop = StreamLoop.open(verbs.device())) {
            ByteStream stream = loop.connect(Route.to(server.address()), SOON, StreamOptions.defaults(), changed -> {
            });
            try (VerbsSocket accepted = server.accept(SOON)) {
                while (!stream.isConnected()) {
                    loop.turn(SOON);
                }
                assertFalse(loop.isClosing());
                stream.write(MemorySegment.ofArray(new byte[1000]), 0, 1000);
                stream.close();
                // No thread turns the loop: it has not heard that the bytes have gone.
                assertTrue(loop.isClosing());
                assertEquals(1000, accepted.inputStream().readAllBytes().length);
                while (loop.isClosing()) {
                    loop.turn(SOON);
                }
            }
        }
    }

    /** The JVM may throw one object for each OutOfMemoryError, which cannot suppress itself. */
    @Test
    void shouldNameTheErrorThatEndedAnAccept() {
        try (StreamLoop loop = StreamLoop.open(verbs.device())) {
            OutOfMemoryError error = new OutOfMemoryError("Java heap space");
            ConnectionRequest request = (ConnectionRequest) Proxy.newProxyInstance(getClass().getClassLoader(),
                    new Class<?>[] { ConnectionRequest.class }, (proxy, method, arguments) -> {
                        if (method.getName().equals("privateData")) {
                            return new byte[0];
                        }
                        throw error;
                    });
            ByteStream stream = loop.accept(request, SOON, StreamOptions.defaults(), changed -> {
            });
            while (!stream.hasEnded()) {
                loop.turn(Duration.ofMillis(1));
            }
            assertEquals("Java heap space", stream.failure().getMessage());
            stream.close();
        }
    }
}
