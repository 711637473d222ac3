package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;

/** DDPP core over TCP. */
class TcpSocketTest extends StreamSocketTestCase {
    TcpSocketTest() {
        super(DdpTransport.TCP, "auto");
    }

    @Test
    void shouldCarryWholeIdentifiers() {
        far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(1));
        near.sendDdp(pattern(10, 1), 0, 10, new BufferAddress(1, 0), Integer.MAX_VALUE);
        assertEquals(Integer.MAX_VALUE, take(far).messageId());
        near.sendDdp(pattern(10, 1), 0, 0, new BufferAddress(1, 0), 0);
        assertEquals(0, take(far).messageId());
        assertThrows(IllegalArgumentException.class, () -> near.sendDdp(pattern(10, 1), 0, 10, new BufferAddress(1, 0), -1));
    }

    @Test
    void shouldDropAndCountWhatHasNoPlace() {
        MemorySegment sink = arena.allocate(100);
        far.register(sink, BufferAttributes.DEFAULT.withStag(1));
        MemorySegment source = pattern(100, 1);

        near.sendDdp(source, 0, 100, new BufferAddress(2, 0), 1);
        near.sendDdp(source, 0, 100, new BufferAddress(1, 1), 2);
        near.sendDdp(source, 0, 100, new BufferAddress(1, -50), 3);
        near.sendDdp(source, 0, 1, new BufferAddress(1, 99), 4);

        assertEquals(4, take(far).messageId());
        assertArrayEquals(new byte[99], bytes(sink, 0, 99));
        assertEquals(source.get(ValueLayout.JAVA_BYTE, 0), sink.get(ValueLayout.JAVA_BYTE, 99));
        assertEquals(1, far.counters().unknownStags());
        assertEquals(2, far.counters().outOfBounds());
        assertEquals(3, far.counters().dropped());
    }

    @Test
    void shouldDropWhatASinkRefusesAndGoOn() {
        far.register(new DdpBuffer() {
            @Override
            public long size() {
                return 100;
            }

            @Override
            public void set(long offset, MemorySegment bytes) {
                if (offset == 0) {
                    throw new IllegalStateException("on purpose");
                }
            }
        }, BufferAttributes.DEFAULT.withStag(1));
        near.sendDdp(pattern(10, 1), 0, 10, new BufferAddress(1, 0), 1);
        near.sendDdp(pattern(10, 1), 0, 10, new BufferAddress(1, 1), 2);
        assertEquals(2, take(far).messageId());
        assertEquals(1, far.counters().refusedByBuffers());
    }

    @ParameterizedTest
    @ValueSource(strings = { "GET / HTTP/1.1\r\n\r\n", "DDPP/2\r\n", "DDPP/1\n\n", "" })
    void shouldRefuseAPeerWithAnotherPreamble(String greeting) throws IOException {
        try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write(greeting.getBytes(StandardCharsets.US_ASCII));
            stranger.shutdownOutput();
            byte[] preamble = stranger.getInputStream().readNBytes(8);
            assertEquals("DDPP/1\r\n", new String(preamble, StandardCharsets.US_ASCII));
            assertEquals(-1, read(stranger));
        }
    }

    /** The end of the stream, or a reset: -1 either way. */
    private static int read(Socket socket) {
        try {
            return socket.getInputStream().read();
        } catch (IOException e) {
            return -1;
        }
    }

    @Test
    void shouldSayThatTheServerIsNoPeer() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Thread.startVirtualThread(() -> {
                try (Socket socket = server.accept()) {
                    socket.getOutputStream().write("220 smtp\r\n".getBytes(StandardCharsets.US_ASCII));
                    socket.getInputStream().readAllBytes();
                } catch (IOException e) {
                    // The client sees it.
                }
            });
            PeerException failure = assertThrows(PeerException.class, () -> context.connect(DdpTransport.TCP,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), DdpOptions.DEFAULT, LONG));
            assertTrue(failure.getMessage().contains("32 32 30"), failure::getMessage);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "00000003", "01000001", "00000014 02010000", "00000014 01030000", "00000010 01010000" })
    void shouldEndAStreamThatBreaksTheFraming(String hex) throws IOException {
        try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write("DDPP/1\r\n".getBytes(StandardCharsets.US_ASCII));
            DdpSocket socket = listener.accept(LONG);
            stranger.getOutputStream().write(HexFormat.of().parseHex(hex.replace(" ", "")));
            stranger.getOutputStream().write(new byte[100]);
            Indication indication = take(socket);
            assertEquals(Indication.Kind.ERROR, indication.kind());
            VerbsException failure = indication.failure();
            assertEquals(PeerException.class, failure.getClass());
            assertTrue(failure.getMessage().contains("bytes:"), failure::getMessage);
            assertEquals("DDPP/1\r\n", new String(stranger.getInputStream().readNBytes(8), StandardCharsets.US_ASCII));
            assertEquals(-1, read(stranger));
        }
    }

    @Test
    void shouldReportAStreamThatEndsWithinAMessage() throws IOException {
        try (Socket stranger = new Socket(InetAddress.getLoopbackAddress(), listener.address().getPort())) {
            stranger.getOutputStream().write("DDPP/1\r\n".getBytes(StandardCharsets.US_ASCII));
            DdpSocket socket = listener.accept(LONG);
            stranger.getOutputStream().write(new byte[] { 0, 0, 0, 50, 1, 1, 0, 0 });
            stranger.shutdownOutput();
            assertEquals(Indication.Kind.ERROR, take(socket).kind());
        }
    }

    @Test
    void shouldGiveUpAPeerThatSaysNothing() throws IOException {
        try (ServerSocket mute = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), mute.getLocalPort());
            String message = "";
            // On a busy machine there may be no connection yet when a short time is over: then it gets longer.
            for (Duration time = Duration.ofMillis(100); !message.contains("preamble") && time.compareTo(LONG) < 0;) {
                Duration limit = time;
                message = assertThrows(VerbsTimeoutException.class,
                        () -> context.connect(DdpTransport.TCP, address, DdpOptions.DEFAULT, limit)).getMessage();
                time = time.multipliedBy(4);
            }
            assertTrue(message.contains("preamble"), message);
        }
    }
}
