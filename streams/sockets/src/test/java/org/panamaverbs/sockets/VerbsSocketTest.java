package org.panamaverbs.sockets;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.testing.Transports;

/** Sockets as a program uses them, over soft-iwarp. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class VerbsSocketTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @Parameter
    private String transport;
    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsServerSocket server;
    private VerbsSocket near;
    private VerbsSocket far;

    @BeforeEach
    void connect() throws IOException {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                .set("panamaverbs.softiwarp.transport", transport).build());
        sockets = VerbsSockets.open(verbs);
        server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        near = sockets.connect(server.address(), SOON);
        far = server.accept(SOON);
        near.setTimeout(SOON);
        far.setTimeout(SOON);
    }

    @AfterEach
    void close() {
        server.close();
        near.close();
        far.close();
        sockets.close();
        verbs.close();
    }

    private static long calls(VerbsSocket socket) {
        return socket.stream().statistics().writeCalls().orElseThrow();
    }

    private void exchange(int rounds, byte[] message) throws IOException {
        for (int i = 0; i < rounds; i++) {
            for (VerbsSocket from : List.of(near, far)) {
                from.outputStream().write(message);
                assertArrayEquals(message, (from == near ? far : near).inputStream().readNBytes(message.length));
            }
        }
    }

    /** Credits leave with an answer. */
    @Test
    void shouldSendNothingAloneForThreadsThatWait() throws IOException {
        byte[] message = random(128, 1);
        exchange(3 * MessagePort.RECEIVES, message);
        long nearCalls = calls(near);
        long farCalls = calls(far);
        exchange(100, message);
        assertEquals(100, calls(near) - nearCalls);
        assertEquals(100, calls(far) - farCalls);
    }

    private static byte[] random(int length, int seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Writes in parts of random lengths, and shuts the output down. */
    private static CompletableFuture<Void> writing(VerbsSocket socket, byte[] bytes, int most) {
        return CompletableFuture.runAsync(() -> {
            Random random = new Random(most);
            try (OutputStream out = socket.outputStream()) {
                for (int at = 0; at < bytes.length;) {
                    int part = Math.min(bytes.length - at, 1 + random.nextInt(most));
                    out.write(bytes, at, part);
                    at += part;
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, Thread::startVirtualThread);
    }

    private static CompletableFuture<byte[]> reading(VerbsSocket socket) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return socket.inputStream().readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }, Thread::startVirtualThread);
    }

    @ParameterizedTest
    @ValueSource(strings = { "0.0.0.0", "::" })
    void shouldBeReachedOverBothFamiliesAtAllAddresses(String all) throws IOException {
        try (VerbsServerSocket everywhere = sockets.listen(new InetSocketAddress(all, 0), 8)) {
            assumeTrue(everywhere.address().getAddress() instanceof Inet6Address, "no IPv6 here");
            for (String host : new String[] { "127.0.0.1", "::1" }) {
                InetSocketAddress address = new InetSocketAddress(host, everywhere.address().getPort());
                try (VerbsSocket client = sockets.connect(address, SOON); VerbsSocket peer = everywhere.accept(SOON)) {
                    assertEquals(address, peer.localAddress());
                    assertEquals(client.localAddress(), peer.remoteAddress());
                }
            }
        }
    }

    @Test
    void shouldLetMoreClientsWaitThanTheBacklog() throws Exception {
        try (VerbsServerSocket busy = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            List<CompletableFuture<VerbsSocket>> connecting = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                CompletableFuture<VerbsSocket> connected = new CompletableFuture<>();
                connecting.add(connected);
                Thread.ofPlatform().daemon().start(() -> {
                    try {
                        connected.complete(sockets.connect(busy.address(), SOON));
                    } catch (IOException | RuntimeException e) {
                        connected.completeExceptionally(e);
                    }
                });
            }
            for (int i = 0; i < connecting.size(); i++) {
                busy.accept(SOON).close();
            }
            for (CompletableFuture<VerbsSocket> each : connecting) {
                each.get(SOON.toSeconds(), TimeUnit.SECONDS).close();
            }
        }
    }

    @Test
    void shouldCarryBytesBothWaysAtOnce() {
        byte[] there = random(5_000_000, 1);
        byte[] back = random(3_000_000, 2);
        CompletableFuture<byte[]> farRead = reading(far);
        CompletableFuture<byte[]> nearRead = reading(near);
        CompletableFuture<Void> farWrite = writing(far, back, 3000);
        writing(near, there, 200_000).join();
        farWrite.join();
        assertArrayEquals(there, farRead.join());
        assertArrayEquals(back, nearRead.join());
    }

    @Test
    void shouldAnswerSmallMessages() throws IOException {
        OutputStream out = near.outputStream();
        InputStream in = near.inputStream();
        for (int i = 0; i < 2000; i++) {
            byte[] question = random(1 + i % 100, i);
            out.write(question);
            assertArrayEquals(question, far.inputStream().readNBytes(question.length));
            far.outputStream().write(question);
            assertArrayEquals(question, in.readNBytes(question.length));
        }
    }

    @Test
    void shouldSayHowManyBytesAreThere() throws IOException {
        InputStream in = near.inputStream();
        assertEquals(0, in.available());
        far.outputStream().write("answer".getBytes(UTF_8));
        assertEquals('a', in.read());
        // The bytes of one write are there at once.
        assertEquals(5, in.available());
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, UTF_8));
        assertTrue(reader.ready());
        far.close();
        assertEquals("nswer", reader.readLine());
        assertEquals(0, in.available());
        assertEquals(-1, in.read());
    }

    @Test
    void shouldKeepTheOtherDirectionAfterAShutdown() throws IOException {
        near.outputStream().write("question".getBytes(UTF_8));
        near.shutdownOutput();
        assertEquals("question", new String(far.inputStream().readAllBytes(), UTF_8));
        far.outputStream().write("answer".getBytes(UTF_8));
        far.close();
        assertEquals("answer", new String(near.inputStream().readAllBytes(), UTF_8));
        assertThrows(IOException.class, () -> near.outputStream().write(1));
    }

    @Test
    void shouldSendAllBeforeItCloses() throws IOException {
        byte[] bytes = random(100_000, 3);
        CompletableFuture<byte[]> read = reading(far);
        near.outputStream().write(bytes);
        near.close();
        assertArrayEquals(bytes, read.join());
    }

    @Test
    void shouldHoldAWriterBackWhoseReaderDoesNotRead() throws IOException {
        byte[] bytes = random(1_000_000, 4);
        near.setTimeout(Duration.ofMillis(300));
        assertThrows(SocketTimeoutException.class, () -> near.outputStream().write(bytes));
        near.setTimeout(SOON);
        byte[] begin = far.inputStream().readNBytes(7_000);
        for (int i = 0; i < begin.length; i++) {
            assertEquals(bytes[i], begin[i]);
        }
    }

    @Test
    void shouldFailWhenThePeerCuts() throws IOException {
        near.outputStream().write(1);
        assertEquals(1, far.inputStream().read());
        CompletableFuture<byte[]> read = reading(far);
        near.abort();
        CompletionException failed = assertThrows(CompletionException.class, read::join);
        assertNotNull(failed.getCause().getMessage());
        assertThrows(IOException.class, () -> far.outputStream().write(1));
    }

    @Test
    void shouldTimeOut() {
        near.setTimeout(Duration.ofMillis(50));
        assertThrows(SocketTimeoutException.class, () -> near.inputStream().read());
        assertThrows(SocketTimeoutException.class, () -> server.accept(Duration.ofMillis(50)));
    }

    @Test
    void shouldSayWhyItDoesNotConnect() {
        InetSocketAddress address = server.address();
        server.close();
        IOException failed = assertThrows(IOException.class, () -> sockets.connect(address, SOON));
        assertTrue(failed.getMessage().contains("refuses connections"), failed.getMessage());
    }

    @Test
    void shouldWakeAReaderWhenItIsClosed() throws Exception {
        CompletableFuture<byte[]> read = reading(near);
        Thread.sleep(50);
        near.close();
        assertThrows(CompletionException.class, read::join);
    }
}
