package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.sockets.protocol.PrivateData;
import org.panamaverbs.sockets.protocol.StreamProtocolException;

/**
 * A peer that speaks rsocket alone gets the bytes of the capture in docs/reference/rsocket-wire.md, where the peer was rdma-core's rstream.
 */
class RsocketWireTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int TARGET = 1024;
    private static final int SENT = 512;
    private static final int RECEIVED = 64;
    private static final int GREETING = 16;

    private final RegistrableArena arena = RegistrableArena.ofShared();
    private Verbs verbs;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion region;
    private VerbsSockets sockets;
    private QueuePair pair;
    private int messages;

    @BeforeEach
    void open() {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        domain = verbs.device().allocateProtectionDomain();
        queue = verbs.device().createCompletionQueue(256);
        region = domain.register(arena.allocate(8192, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        sockets = VerbsSockets.open(verbs);
    }

    @AfterEach
    void close() {
        pair.close();
        sockets.close();
        verbs.close();
        arena.close();
    }

    /** As rstream's, but for addresses, keys and lengths. */
    private byte[] data() {
        return ByteBuffer.allocate(40).put(HexFormat.of().parseHex("0102018000000000")).putLong(region.address()).putInt(region.remoteKey())
                .putInt(2).putLong(region.address() + TARGET).putInt(region.remoteKey()).putInt(4096).array();
    }

    private QueuePairAttributes attributes() {
        return QueuePairAttributes.of(queue).withDepths(64, 64);
    }

    private void receive() {
        for (int i = 0; i < 64; i++) {
            pair.post(new ReceiveRequest().receive(i).local(region, RECEIVED + 4L * i, 4));
        }
    }

    private String next() {
        Completions completions = Completions.allocate(1);
        long place = -1;
        while (place < 0) {
            assertTrue(queue.await(completions, SOON) > 0, "no message");
            while (completions.next()) {
                assertTrue(completions.isSuccess(), () -> completions.status().text());
                place = completions.isReceive() ? completions.id() : place;
            }
        }
        assertEquals(messages++, place);
        return bytes(RECEIVED + 4 * place, 4);
    }

    private String bytes(long offset, int length) {
        return HexFormat.of().formatHex(region.segment().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    }

    private void greet(byte[] itsData) throws StreamProtocolException {
        PrivateData its = PrivateData.decode(itsData);
        region.segment().asSlice(SENT, GREETING).fill((byte) 0x11);
        region.segment().asSlice(SENT + GREETING, 4).copyFrom(MemorySegment.ofArray(HexFormat.of().parseHex("10000000")));
        pair.post(new SendRequest().write(1).local(region, SENT, GREETING).remote(its.address(), its.key()));
        pair.post(new SendRequest().send(2).local(region, SENT + GREETING, 4));
    }

    /** The stream writes and reads a greeting, grants memory, and ends. */
    private void exchange(VerbsSocket socket, byte[] itsData) throws IOException {
        PrivateData its = PrivateData.decode(itsData);
        byte[] greeting = new byte[GREETING];
        Arrays.fill(greeting, (byte) 0x22);
        socket.outputStream().write(greeting);
        assertEquals("10000000", next());
        assertEquals("22".repeat(GREETING) + "00".repeat(GREETING), bytes(TARGET, 2 * GREETING));
        greet(itsData);
        socket.setTimeout(SOON);
        assertArrayEquals(HexFormat.of().parseHex("11".repeat(GREETING)), socket.inputStream().readNBytes(GREETING));
        assertEquals("31000080", next());
        assertEquals("00100000", bytes(GREETING + 12, 4));
        assertTrue(!bytes(GREETING + 8, 4).equals(HexFormat.of().toHexDigits(its.key())));
        assertEquals("00".repeat(GREETING), bytes(0, GREETING));
        socket.outputStream().write(new byte[64]);
        assertEquals("40000000", next());
        socket.close();
        assertEquals("000000e0", next());
    }

    /** The answer has 40 bytes. */
    @Test
    void shouldSendThatToAnActivePeer() throws IOException {
        try (VerbsServerSocket server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
                Connector connector = ConnectionManager.of(verbs.device()).connector(server.address(), SOON)) {
            pair = connector.createQueuePair(domain, attributes());
            receive();
            byte[] its = connector.connect(ConnectionParameters.defaults().withPrivateData(data()).withReads(1, 1), SOON).privateData();
            assertEquals(40, its.length);
            check(its);
            exchange(server.accept(SOON), its);
        }
    }

    /** The request has 8 bytes more, which rdma-core's rsocket does not read. */
    @Test
    void shouldSendThatToAPassivePeer() throws IOException {
        try (Listener listener = ConnectionManager.of(verbs.device()).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                8)) {
            VerbsSocket[] socket = new VerbsSocket[1];
            Thread connecting = Thread.ofPlatform().start(() -> socket[0] = connect(listener.address()));
            ConnectionRequest request = listener.awaitRequest(SOON);
            byte[] its = request.privateData();
            assertEquals(48, its.length);
            check(its);
            pair = request.createQueuePair(domain, attributes());
            receive();
            Connection connection = request.accept(ConnectionParameters.defaults().withPrivateData(data()).withReads(1, 1), SOON);
            connecting.join();
            assertTrue(connection.isConnected());
            exchange(socket[0], its);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    private VerbsSocket connect(InetSocketAddress address) {
        try {
            return sockets.connect(address, SOON);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void check(byte[] data) {
        String text = HexFormat.of().formatHex(data);
        assertEquals("0100003000000000", text.substring(0, 16));
        assertEquals("00000002", text.substring(40, 48));
        assertEquals("00000c00", text.substring(72, 80));
        assertTrue(data.length == 40 || text.endsWith("70616e616d610001"), text);
    }
}
