package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.testing.Warnings;

/** Peers of a listener that break the rules on purpose, or do not say anything. */
class HostileStreamPeerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final byte[] PREAMBLE = "DDPP/1\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Arena arena = Arena.ofShared();
    private final DdpContext context = DdpContext.open(Configuration.builder().build());

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private static Socket dial(DdpListener listener) throws IOException {
        return new Socket(listener.address().getAddress(), listener.address().getPort());
    }

    private static byte[] decorated(int stag, long offset, int identifier, byte[] payload) {
        return ByteBuffer.allocate(24 + payload.length).putInt(20 + payload.length).put((byte) 1).put((byte) 1).putShort((short) 0)
                .putInt(identifier < 0 ? 0 : 1 << 31 | identifier).putInt(stag).putLong(offset).put(payload).array();
    }

    private static Indication take(DdpSocket socket) {
        Indication indication = socket.newIndication();
        assertTrue(socket.receive(indication, LONG), "an indication comes");
        return indication;
    }

    @Test
    void shouldSkipAMessageWhoseBufferCloses() throws IOException {
        DdpListener listener = context.listen(context.newGroup(), DdpTransport.TCP, ANY, DdpOptions.DEFAULT);
        try (Socket peer = dial(listener)) {
            peer.getOutputStream().write(PREAMBLE);
            DdpSocket socket = listener.accept(LONG);
            MemorySegment sink = arena.allocate(100_000);
            RegisteredBuffer buffer = socket.register(sink);
            socket.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(7));
            byte[] payload = new byte[100_000];
            Arrays.fill(payload, (byte) 1);
            byte[] message = decorated(buffer.address().stag(), 0, 1, payload);

            peer.getOutputStream().write(message, 0, 50_000);
            while (sink.get(ValueLayout.JAVA_BYTE, 49_975) == 0) {
                Thread.onSpinWait();
            }
            buffer.close();
            peer.getOutputStream().write(message, 50_000, message.length - 50_000);
            peer.getOutputStream().write(decorated(7, 0, 2, new byte[10]));

            Indication indication = take(socket);
            assertEquals(Indication.Kind.NOTIFICATION, indication.kind());
            assertEquals(2, indication.messageId());
            assertEquals(0, sink.get(ValueLayout.JAVA_BYTE, 49_976), "no byte changes after close");
            assertEquals(1, socket.counters().refusedByBuffers());
        }
    }

    /** Each such peer would take one receive away from all other peers of the group, until none is left. */
    @Test
    void shouldGiveTheReceiveOfAMessageThatBreaksOffBackToTheGroup() throws IOException {
        DdpGroup group = context.newGroup();
        RegisteredBuffer buffer = group.register(arena.allocate(64), BufferAttributes.DEFAULT);
        group.tryPostReceive(buffer, 0, 32);
        group.tryPostReceive(buffer, 32, 32);
        DdpListener listener = context.listen(group, DdpTransport.TCP, ANY, DdpOptions.DEFAULT);
        byte[] message = ByteBuffer.allocate(16).putInt(12).put((byte) 1).put((byte) 2).putShort((short) 0).putLong(7).array();
        for (int i = 0; i < 4; i++) {
            try (Socket peer = dial(listener)) {
                peer.getOutputStream().write(PREAMBLE);
                peer.getOutputStream().write(message, 0, 12);
                peer.shutdownOutput();
                try (DdpSocket socket = listener.accept(LONG)) {
                    Indication end = take(socket);
                    assertEquals(Indication.Kind.ERROR, end.kind());
                    assertTrue(end.failure().getMessage().endsWith("the peer ended the stream within a message"),
                            end.failure().getMessage());
                }
            }
        }
        try (Socket peer = dial(listener)) {
            peer.getOutputStream().write(PREAMBLE);
            peer.getOutputStream().write(message);
            peer.getOutputStream().write(message);
            DdpSocket socket = listener.accept(LONG);
            for (long offset = 0; offset < 64; offset += 32) {
                Indication indication = take(socket);
                assertEquals(Indication.Kind.MESSAGE, indication.kind());
                // The oldest is still the first.
                assertEquals(offset, indication.offset());
                assertEquals(8, indication.length());
            }
        }
    }

    /** Random bytes, and right messages with random fields, behind a right preamble. */
    @Test
    void shouldSurviveRandomStreams() throws IOException {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        MemorySegment around = arena.allocate(3000);
        MemorySegment sink = around.asSlice(1000, 1000);
        DdpGroup group = context.newGroup();
        group.register(sink, BufferAttributes.DEFAULT.withStag(7));
        DdpListener listener = context.listen(group, DdpTransport.TCP, ANY, DdpOptions.DEFAULT);
        for (int i = 0; i < 300; i++) {
            try (Socket peer = dial(listener)) {
                OutputStream out = peer.getOutputStream();
                out.write(PREAMBLE);
                try (DdpSocket socket = listener.accept(LONG)) {
                    socket.poll(socket.newIndication());
                    try {
                        for (int j = random.nextInt(4); j >= 0; j--) {
                            out.write(decorated(random.nextInt(6, 9), random.nextInt(-5, 1005), random.nextInt(-1, 3),
                                    new byte[random.nextInt(1, 20)]));
                        }
                        byte[] noise = new byte[random.nextInt(200)];
                        random.nextBytes(noise);
                        out.write(noise);
                        peer.shutdownOutput();
                    } catch (IOException e) {
                        // This side has ended the stream already.
                    }
                    Indication.Kind kind;
                    do {
                        kind = take(socket).kind();
                    } while (kind != Indication.Kind.ERROR && kind != Indication.Kind.END);
                }
            }
        }
        for (int i = 0; i < 1000; i++) {
            assertEquals(0, around.get(ValueLayout.JAVA_BYTE, i), "seed " + seed);
            assertEquals(0, around.get(ValueLayout.JAVA_BYTE, 2000 + i), "seed " + seed);
        }
    }

    /** A Request of MPA, revision 1, with one byte of private data. */
    private static byte[] request(int privateData) {
        byte[] key = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(key.length + 5).put(key).put((byte) 0x40).put((byte) 1).putShort((short) 1).put((byte) privateData)
                .array();
    }

    /** A defect of the program's test costs the peer that met it, and neither the log nor the peers behind it. */
    @Test
    void shouldServeOthersThoughTheProgramsTestFailsForManyPeers() throws IOException {
        DdpOptions options = DdpOptions.DEFAULT.withPrivateData(new byte[] { 2 }).withAdmission(data -> {
            if (data[0] == 1) {
                throw new IllegalStateException("a defect");
            }
            return true;
        });
        DdpListener listener = context.listen(context.newGroup(), DdpTransport.MPA, ANY, options);
        List<Socket> strangers = new ArrayList<>();
        long begin = System.nanoTime();
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < 100; i++) {
                Socket stranger = dial(listener);
                stranger.getOutputStream().write(request(1));
                strangers.add(stranger);
            }
            context.connect(DdpTransport.MPA, listener.address(), options, LONG).close();
            for (Socket each : strangers) {
                // Rejected in good order.
                assertTrue(each.getInputStream().read() >= 0);
                each.close();
            }
            // 10 of a kind in 10 s.
            long most = 10 * (1 + (System.nanoTime() - begin) / 10_000_000_000L);
            assertTrue(warnings.messages() >= 1 && warnings.messages() <= most, () -> warnings.messages() + " messages");
        }
    }

    private void serve(DdpTransport transport, DdpListener listener) {
        try (DdpSocket near = context.connect(transport, listener.address(), DdpOptions.DEFAULT, LONG);
                DdpSocket far = listener.accept(LONG)) {
            far.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(7));
            near.sendDdp(arena.allocate(10), 0, 10, new BufferAddress(7, 0), 1);
            assertEquals(1, take(far).messageId());
        }
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA" })
    void shouldServeOthersWhileManyPeersDribble(DdpTransport transport) throws IOException {
        DdpListener listener = context.listen(context.newGroup(), transport, ANY, DdpOptions.DEFAULT);
        Warnings warnings = new Warnings();
        // Loads classes, and what else takes a descriptor once.
        serve(transport, listener);
        long before = Descriptors.open();
        List<Socket> dribblers = new ArrayList<>();
        try (warnings) {
            for (int i = 0; i < 200; i++) {
                Socket dribbler = dial(listener);
                dribbler.getOutputStream().write(transport == DdpTransport.TCP ? 'D' : 'M');
                dribblers.add(dribbler);
            }
            for (int i = 0; i < 1000; i++) {
                Socket brief = dial(listener);
                // A reset: the port is free at once.
                brief.setSoLinger(true, 0);
                brief.close();
            }
            serve(transport, listener);
        } finally {
            for (Socket each : dribblers) {
                each.close();
            }
        }
        Descriptors.awaitAtMost(before);
        assertTrue(warnings.lines() < 100, () -> warnings.lines() + " lines were logged");
    }
}
