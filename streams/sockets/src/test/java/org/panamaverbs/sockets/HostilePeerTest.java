package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
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
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.sockets.protocol.PrivateData;

/** A peer that breaks the protocol ends its own stream; another one goes on. */
class HostilePeerTest {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final int MEMORY = 4096;
    private static final int CREDITS = 48;
    /** Where messages are that a peer sends, in its memory. */
    private static final int SENT = 2048;
    /** So many messages that carry nothing make the victim take such ones that do. */
    private static final int ROUNDS = 10;
    private static final int KEEPALIVES = 15;
    private static final int KEEPALIVE = 0xE0000001;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final RegistrableArena arena = RegistrableArena.ofShared();
    private Verbs verbs;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private MemoryRegion region;
    private VerbsSockets sockets;
    private VerbsServerSocket server;

    @BeforeEach
    void open() throws IOException {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        domain = verbs.device().allocateProtectionDomain();
        queue = verbs.device().createCompletionQueue(256);
        region = domain.register(arena.allocate(MEMORY, 8), Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        sockets = VerbsSockets.open(verbs);
        server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
    }

    @AfterEach
    void close() {
        server.close();
        sockets.close();
        verbs.close();
        arena.close();
    }

    private QueuePair connect(byte[] data) {
        Connector connector = ConnectionManager.of(verbs.device()).connector(server.address(), SOON);
        QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue).withDepths(64, 64));
        for (int i = 0; i < 64; i++) {
            pair.post(new ReceiveRequest().receive(i).local(region, 0, 64));
        }
        connector.connect(ConnectionParameters.defaults().withPrivateData(data).withReads(1, 1), SOON);
        return pair;
    }

    private byte[] data() {
        return data(false);
    }

    private byte[] data(boolean carries) {
        return new PrivateData(false, CREDITS, region.address(), region.remoteKey(), 2, region.address() + 1024, region.remoteKey(), 3072,
                carries).encode();
    }

    /** The operation is the first hexadecimal digit, shifted by one bit: 0 DATA, 8 credits, C mapped memory, E control. */
    @ParameterizedTest
    @CsvSource({ "00000000, 4, a message for 0 bytes", "00010000, 4, a message for 65536 bytes",
            "1FFFFFFF, 4, a message for 536870911 bytes", "80000000, 4, a limit of 0 messages", "8000FFFF, 4, a limit of 65535 messages",
            "9FFFFFFF, 4, a limit of 536870911 messages", "C0000000, 4, a message with operation 6",
            "20000000, 4, a message with operation 1", "E0000007, 4, a control message with content 7",
            "E0000002, 3, a message of 3 bytes" })
    void shouldEndTheStreamOfAPeerThatBreaksTheProtocol(String message, int length, String reason) throws IOException {
        try (VerbsSocket bystander = sockets.connect(server.address(), SOON);
                VerbsSocket other = server.accept(SOON);
                QueuePair pair = connect(data());
                VerbsSocket victim = server.accept(SOON)) {
            victim.setTimeout(SOON);
            region.segment().set(INT, 0, Integer.parseUnsignedInt(message, 16));
            pair.post(new SendRequest().send(1).local(region, 0, length));
            IOException failed = assertThrows(IOException.class, () -> victim.read(MemorySegment.ofArray(new byte[10])));
            assertTrue(failed.getMessage().contains("broke the protocol") && failed.getMessage().contains(reason), failed.getMessage());
            bystander.outputStream().write(7);
            assertEquals(7, other.inputStream().read());
        }
    }

    /** The victim has taken each message when this returns, so its receives are posted again. */
    private void letItTakeBytes(QueuePair pair, VerbsSocket victim) throws IOException {
        MemorySegment one = MemorySegment.ofArray(new byte[1]);
        region.segment().set(INT, SENT, KEEPALIVE);
        region.segment().set(INT, SENT + 4, 1);
        for (int round = 0; round < ROUNDS; round++) {
            for (int i = 0; i < KEEPALIVES; i++) {
                pair.post(new SendRequest().send(1).local(region, SENT, 4));
            }
            pair.post(new SendRequest().send(1).local(region, SENT + 4, 4));
            assertEquals(1, victim.read(one));
        }
    }

    /** It gets a message that carries bytes, after a limit. */
    @ParameterizedTest
    @CsvSource({ "00000004, 48, 13, content 4 that carries 5 bytes", "00000005, 47, 13, a limit of 47 messages",
            "00000005, 49, 13, a limit of 49 messages", "00000005, -1, 13, a limit of -1 messages",
            "80000005, 48, 13, a message with operation 4 and content 5 that carries 5 bytes", "00000000, 48, 8, a message of 8 bytes",
            "00000005, 48, 6, a message of 6 bytes", "A0000040, 48, 4, messages that carry 64 bytes",
            "00000005, 48, 1100, longer than the receive" })
    void shouldEndTheStreamOfAPeerThatBreaksTheRulesOfCarrying(String message, int limit, int length, String reason) throws IOException {
        try (VerbsSocket bystander = sockets.connect(server.address(), SOON);
                VerbsSocket other = server.accept(SOON);
                QueuePair pair = connect(data(true));
                VerbsSocket victim = server.accept(SOON)) {
            victim.setTimeout(SOON);
            letItTakeBytes(pair, victim);
            region.segment().set(INT, SENT, Integer.parseUnsignedInt(message, 16));
            region.segment().set(INT, SENT + 4, limit);
            pair.post(new SendRequest().send(1).local(region, SENT, length));
            // The second one counts if the first one is allowed.
            pair.post(new SendRequest().send(1).local(region, SENT, length));
            IOException failed = assertThrows(IOException.class, () -> victim.read(MemorySegment.ofArray(new byte[10])));
            assertTrue(failed.getMessage().contains(reason), failed.getMessage());
            bystander.outputStream().write(7);
            assertEquals(7, other.inputStream().read());
        }
    }

    /** The bytes of those with a credit can still be read. */
    @Test
    void shouldEndTheStreamOfAPeerThatCarriesWithoutCredits() throws IOException {
        try (QueuePair pair = connect(data(true)); VerbsSocket victim = server.accept(SOON)) {
            victim.setTimeout(SOON);
            letItTakeBytes(pair, victim);
            region.segment().set(INT, SENT, 5);
            region.segment().set(INT, SENT + 4, CREDITS);
            for (int i = 0; i < CREDITS + 1; i++) {
                pair.post(new SendRequest().send(1).local(region, SENT, 13));
            }
            assertTrue(Connection.of(pair).orElseThrow().awaitDisconnected(SOON));
            MemorySegment all = MemorySegment.ofArray(new byte[5 * CREDITS]);
            int count = victim.read(all);
            assertTrue(count >= 5 * (CREDITS - ROUNDS) && count % 5 == 0, count + " bytes");
            IOException failed = assertThrows(IOException.class, () -> victim.read(all));
            assertTrue(failed.getMessage().contains("data without a credit"), failed.getMessage());
        }
    }

    /** The receives have no room yet. */
    @Test
    void shouldEndAPeerThatCarriesTooEarly() throws IOException {
        try (QueuePair pair = connect(data(true)); VerbsSocket victim = server.accept(SOON)) {
            victim.setTimeout(SOON);
            region.segment().set(INT, SENT, 5);
            region.segment().set(INT, SENT + 4, CREDITS);
            pair.post(new SendRequest().send(1).local(region, SENT, 13));
            assertThrows(IOException.class, () -> victim.read(MemorySegment.ofArray(new byte[10])));
        }
    }

    @Test
    void shouldRejectAPeerOfAnotherVersion() throws IOException {
        byte[] data = data();
        data[0] = 2;
        assertThrows(RejectedException.class, () -> connect(data));
        try (VerbsSocket next = sockets.connect(server.address(), SOON); VerbsSocket accepted = server.accept(SOON)) {
            next.outputStream().write(1);
            assertEquals(1, accepted.inputStream().read());
        }
    }
}
