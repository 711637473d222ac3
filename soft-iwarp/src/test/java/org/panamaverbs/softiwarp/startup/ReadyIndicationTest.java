package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** The ready-to-receive indication of RFC 6581, 9.2: a Write, a Read or a Send of no bytes, as either side. No program sees it. */
class ReadyIndicationTest {
    private static final int LENGTH = 100;

    private static byte[] send(int sequence, byte[] payload) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, sequence, 0, payload), true);
    }

    private static byte[] readAnswer(byte[] payload, int stag, long offset) {
        return Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, stag, offset, payload), true);
    }

    private static Rig rig(ReadyIndication ready, int reads, boolean responder) {
        return new Rig(new Rig.Options(true, false, reads, reads).ready(ready), 4 * Rig.room(LENGTH), responder);
    }

    // The responder.

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    @Requirement("RFC6581-9.2-c")
    void shouldTakeASendOfNoBytesForNoMessage(boolean posted) {
        Rig rig = rig(ReadyIndication.AWAITED_SEND, 1, true);
        RegisteredMemory place = rig.region(LENGTH, Access.LOCAL_WRITE);
        if (posted) {
            rig.receive(1, place);
        }
        rig.feed(send(1, new byte[0]));
        assertEquals(List.of(), rig.completions());
        assertEquals(TerminateCode.NONE, rig.errorCode());
        if (!posted) {
            rig.receive(1, place);
        }
        // The second is a message like any other, even if it is empty.
        rig.feed(send(2, new byte[0]));
        assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
    }

    /** The first message need not be the indication: a program's message goes to its receive. */
    @ParameterizedTest
    @ValueSource(ints = { Forge.SEND, Forge.SEND_INVALIDATE })
    void shouldDeliverAFirstSendThatIsNoIndication(int opcode) {
        Rig rig = rig(ReadyIndication.AWAITED_SEND, 1, true);
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        RegisteredMemory advertised = rig.advertised(LENGTH, Access.REMOTE_READ);
        byte[] payload = new byte[opcode == Forge.SEND ? 7 : 0];
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, opcode, opcode == Forge.SEND ? 0 : advertised.stag(), 0, 1, 0, payload),
                true));
        assertEquals(payload.length, rig.completions().getFirst().length());
    }

    @Test
    void shouldDeliverASendOfNoBytesInTwoSegments() {
        Rig rig = rig(ReadyIndication.AWAITED_SEND, 1, true);
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(Forge.fpdu(Forge.untagged(0x01, Forge.SEND, 0, 0, 1, 0, new byte[0]), true));
        rig.feed(send(1, new byte[0]));
        assertEquals(1, rig.completions().size());
    }

    @Test
    void shouldDeliverASendOfNoBytesBehindAnotherIndication() {
        Rig rig = rig(ReadyIndication.AWAITED_SEND, 1, true);
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(Forge.ready(true));
        rig.feed(send(1, new byte[0]));
        assertEquals(1, rig.completions().size());
    }

    @Test
    void shouldDeliverAFirstSendOfNoBytesIfNoIndicationWasAgreed() {
        Rig rig = rig(ReadyIndication.NONE, 1, true);
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(send(1, new byte[0]));
        assertEquals(1, rig.completions().size());
    }

    @Test
    void shouldAnswerAReadOfNoBytes() {
        Rig rig = rig(ReadyIndication.NONE, 1, true);
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, Forge.readRequest(5, 6, 0, 7, 8)), true));
        Segment answer = rig.sent().getFirst();
        assertEquals(Forge.READ_RESPONSE & 0xF, answer.opcode());
        assertEquals(0, answer.payloadLength());
        assertEquals(5, answer.stag());
    }

    // The initiator.

    @Test
    @Requirement("RFC6581-9.2-h")
    void shouldSendASendOfNoBytesFirst() {
        Rig rig = rig(ReadyIndication.SEND, 1, false);
        RegisteredMemory source = rig.region(LENGTH);
        rig.send(1, source);
        rig.transmit();
        assertEquals(0, rig.sent().getFirst().payloadLength());
        assertArrayEquals(send(1, new byte[0]), Arrays.copyOf(rig.bytesSent(), 2 + 18 + 4));
        assertEquals(2, rig.sent().getLast().messageSequence());
        assertEquals(1, rig.completions().size(), "completions: one of the request, none of the indication");
    }

    /** With an ORD of 0 too; the next Read has the next MSN and waits for the answer if the ORD is 1. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    @Requirement("RFC6581-9.2-h")
    void shouldSendAReadOfNoBytesFirst(int depth) {
        Rig rig = rig(ReadyIndication.READ, depth, false);
        RegisteredMemory sink = rig.region(LENGTH, Access.LOCAL_WRITE);
        rig.transmit();
        if (depth > 0) {
            rig.read(1, sink, 0x1000, 0x77);
        }
        Segment first = rig.sent().getFirst();
        assertEquals(Forge.READ_REQUEST & 0xF, first.opcode());
        assertEquals(0, ByteBuffer.wrap(first.payload()).getInt(12), "the length of the Read");
        assertEquals(Math.max(1, depth), rig.sent().size());
        rig.feed(readAnswer(new byte[0], 1, 0));
        assertEquals(List.of(), rig.completions());
        if (depth > 0) {
            assertEquals(2, rig.sent().getLast().messageSequence());
            rig.feed(readAnswer(Forge.payload(LENGTH), sink.stag(), sink.base()));
            assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
        }
        rig.end();
    }

    @Test
    void shouldRefuseBytesInTheAnswerToTheIndication() {
        Rig rig = rig(ReadyIndication.READ, 1, false);
        rig.transmit();
        rig.feed(readAnswer(new byte[8], 1, 0));
        assertEquals(TerminateCode.describe(TerminateCode.TAGGED_BOUNDS), TerminateCode.describe(rig.errorCode()));
    }

    @Test
    void shouldFlushNothingForAnIndicationWithoutAnAnswer() {
        Rig rig = rig(ReadyIndication.READ, 2, false);
        rig.transmit();
        rig.read(7, rig.region(LENGTH, Access.LOCAL_WRITE), 0x1000, 0x77);
        rig.end();
        List<Rig.Done> done = rig.completions();
        assertEquals(1, done.size());
        assertEquals(CompletionStatus.FLUSHED, done.getFirst().status());
    }

    // Over real sockets.

    /** An initiator that offers one kind: the words of its Request, its indication and the size of the answer to it. */
    @ParameterizedTest
    @CsvSource({ "epoll, SEND", "nio, SEND", "epoll, READ", "nio, READ", "epoll, WRITE" })
    @Requirement("RFC6581-9.2-c,e")
    void shouldServeAnInitiatorThatOffersOneKind(String transport, ReadyIndication kind) throws Exception {
        int b = kind == ReadyIndication.SEND ? 0x4000 : 0;
        int cOrD = kind == ReadyIndication.WRITE ? 0x8000 : kind == ReadyIndication.READ ? 0x4000 : 0;
        byte[] indication = switch (kind) {
            case SEND -> send(1, new byte[0]);
            case READ ->
                Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, Forge.readRequest(1, 0, 0, 1, 0)), true);
            default -> Forge.ready(true);
        };
        try (Host host = new Host(transport)) {
            MemoryRegion place = host.region(LENGTH, Access.LOCAL_WRITE);
            // An IRD of 0: a Read as indication is served all the same.
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(0, 0), place);
            try (Socket socket = new Socket(host.listener.address().getAddress(), host.listener.address().getPort())) {
                socket.setSoTimeout((int) Host.LIMIT.toMillis());
                socket.getOutputStream().write(Chopped.frame(true, 0x50, 2, Chopped.words(0x8004 | b, cOrD)));
                ByteBuffer reply = ByteBuffer.wrap(socket.getInputStream().readNBytes(24));
                assertEquals(0x8000 | b, reply.getShort(20) & (0x8000 | b), "A and B of the Reply");
                assertEquals(cOrD, reply.getShort(22) & cOrD, "C or D of the Reply");
                socket.getOutputStream().write(Forge.join(indication, send(kind == ReadyIndication.SEND ? 2 : 1, Forge.payload(LENGTH))));
                Host.End end = Host.get(accepted);
                assertEquals(LENGTH, end.next().byteLength());
                if (kind == ReadyIndication.READ) {
                    byte[] answer = socket.getInputStream().readNBytes(20);
                    assertArrayEquals(readAnswer(new byte[0], 1, 0), answer);
                }
            }
        }
    }

    /** A responder that takes one kind: the words of its Reply, and the opcode of our first message. */
    @ParameterizedTest
    @CsvSource({ "epoll, c010, 0010, 3", "nio, 8010, 4010, 1", "epoll, 8010, 8010, 0", "epoll, c010, c010, 0" })
    @Requirement({ "RFC6581-9.1-a,h", "RFC6581-9.2-h" })
    void shouldSendTheKindThatTheResponderTakes(String transport, String ird, String ord, int opcode) throws Exception {
        CompletableFuture<byte[]> first = new CompletableFuture<>();
        try (Host host = new Host(transport); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, 24);
            socket.getOutputStream().write(Forge.start(false, true, Integer.parseInt(ird, 16), Integer.parseInt(ord, 16)));
            first.complete(RawServer.read(socket, 4));
        })) {
            Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            byte[] start = Host.get(first);
            assertEquals(opcode, start[3] & 0xF);
            assertEquals(16, end.connection.remoteInboundReads().orElse(-1));
            assertEquals(16, end.connection.remoteOutboundReads().orElse(-1));
        }
    }

    /** RFC 6581, 9.1 and 9.2: the initiator says by a Terminate why it cannot use the Reply, then ends the connection in good order. */
    @ParameterizedTest
    @CsvSource({ "epoll, 8010, 0010, 7", "nio, 8010, 0010, 7", "epoll, 8010, bffe, 6", "nio, 8010, bffe, 6" })
    @Requirement({ "RFC6581-9.1-f,g", "RFC6581-9.2-i,j" })
    void shouldSayWhyItCannotUseAReply(String transport, String ird, String ord, int code) throws Exception {
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        try (Host host = new Host(transport); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, 24);
            socket.getOutputStream().write(Forge.start(false, true, Integer.parseInt(ird, 16), Integer.parseInt(ord, 16)));
            all.complete(socket.getInputStream().readAllBytes());
        })) {
            PeerException failure = assertThrows(PeerException.class,
                    () -> host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT));
            assertTrue(failure.getMessage().contains(code == 7 ? "ready-to-receive" : "outstanding Reads"), failure.getMessage());
            assertArrayEquals(Forge
                    .fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x20, (byte) code, 0, 0 }), true),
                    Host.get(all));
        }
    }
}
