package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** The bytes of an FPDU, and the end of a connection whose peer breaks MPA (RFC 5044, 4, 7 and 8). */
class Rfc5044Test {
    private static final int LONGEST = 3000;

    private static byte[] send(byte[] payload, boolean crc) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, payload), crc);
    }

    /** The longest is long enough for five Markers, if there were any. */
    @ParameterizedTest
    @CsvSource({ "0, true", "1, true", "2, true", "3, true", "4, true", "3000, true", "1, false", "3000, false" })
    @Requirement({ "RFC5044-3-a", "RFC5044-4.1-a,b", "RFC5044-4.4-h..j", "RFC5044-7.1.1-h" })
    void shouldSendOneSegmentInEachFpduWithZeroesAsPaddingAndACrc(int length, boolean crc) {
        Rig rig = new Rig(Rig.Options.of(crc), Rig.room(LONGEST));
        RegisteredMemory source = rig.region(length);
        MemorySegment.copy(Forge.payload(length), 0, source.segment(), ValueLayout.JAVA_BYTE, 0, length);
        rig.send(1, source);
        rig.transmit();
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        rig.sent().forEach(segment -> sent
                .writeBytes(segment.stream().asSlice(segment.at(), segment.end() - segment.at()).toArray(ValueLayout.JAVA_BYTE)));
        assertEquals(HexFormat.of().formatHex(send(Forge.payload(length), crc)), HexFormat.of().formatHex(sent.toByteArray()));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5044-4.1-b")
    void shouldIgnoreThePadding(boolean crc) {
        Rig rig = new Rig(Rig.Options.of(crc), Rig.room(LONGEST));
        rig.receive(1, rig.region(LONGEST, Access.LOCAL_WRITE));
        // Length, header and 1 byte make 21 bytes: three of padding follow.
        byte[] bytes = send(Forge.payload(1), false);
        int covered = bytes.length - 4;
        bytes[covered - 3] = 1;
        bytes[covered - 2] = (byte) 0xFF;
        bytes[covered - 1] = 3;
        if (crc) {
            CRC32C sum = new CRC32C();
            sum.update(bytes, 0, covered);
            ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(covered, (int) sum.getValue());
        }
        rig.feed(bytes);
        List<Rig.Done> done = rig.completions();
        assertEquals(1, done.size(), () -> TerminateCode.describe(rig.errorCode()));
        assertEquals(CompletionStatus.SUCCESS, done.getFirst().status());
        assertEquals(1, done.getFirst().length());
    }

    @Test
    @Requirement({ "RFC5044-4.1-c", "RFC5044-4.4-g", "RFC5044-7.1.1-j,l" })
    void shouldNotCheckCrcsThatNeitherSideRequires() throws Exception {
        try (Host host = new Host("nio", "crc", "off")) {
            MemoryRegion place = host.region(LONGEST, Access.LOCAL_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
            try (RawPeer peer = new RawPeer(host.listener.address(), false)) {
                peer.awaitReply(false);
                byte[] bytes = send(Forge.payload(LONGEST), false);
                ByteBuffer.wrap(bytes).putInt(bytes.length - 4, 0xDEADBEEF);
                peer.send(bytes);
                assertEquals(CompletionStatus.SUCCESS, Host.get(accepted).next().status());
            }
        }
    }

    /** By default this side asks for no CRC between loopback addresses; the peer may. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5044-7.1.1-k")
    void shouldUseCrcsBetweenLoopbackAddressesOnlyIfThePeerAsks(boolean peerRequires) throws Exception {
        try (Host host = new Host("nio", "crc", "auto")) {
            MemoryRegion place = host.region(LONGEST, Access.LOCAL_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
            try (RawPeer peer = new RawPeer(host.listener.address(), peerRequires)) {
                peer.awaitReply(peerRequires);
                peer.send(Forge.ready(peerRequires));
                Host.get(accepted);
            }
        }
    }

    /** Which of the two sides requires CRCs: the peer by its Request, or this side by its setting, which is the default. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement({ "RFC5044-1.2-b", "RFC5044-4.4-c,f", "RFC5044-7.1.1-k" })
    void shouldCheckCrcsThatOneSideRequires(boolean peerRequires) throws Exception {
        try (Host host = peerRequires ? new Host("nio", "crc", "off") : new Host("nio")) {
            MemoryRegion place = host.region(LONGEST, Access.LOCAL_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
            try (RawPeer peer = new RawPeer(host.listener.address(), peerRequires)) {
                peer.awaitReply(true);
                peer.send(Forge.ready(true));
                byte[] bytes = send(Forge.payload(LONGEST), true);
                bytes[bytes.length - 1] ^= 1;
                peer.send(bytes);
                Segment last = peer.receiveAll().getLast();
                assertEquals(Rdmap.TERMINATE, last.opcode());
                assertEquals(last.computedCrc(), last.crc(), "CRC of the Terminate");
                assertEquals(TerminateCode.MPA_CRC, Terminate.error(last.stream(), last.payloadAt()));
                assertEquals(CompletionStatus.FLUSHED, Host.get(accepted).next().status());
            }
        }
    }

    /** MPA does not close the connection: RDMAP has the time to send a Terminate. */
    @Test
    @Requirement({ "RFC5044-4.4-l", "RFC5044-8-e,f", "RFC5041-6.2.2-c", "RFC5041-7.1-h" })
    void shouldPassNothingOnAfterAWrongCrcAndLeaveTheConnectionOpen() throws Exception {
        try (Host host = new Host("nio")) {
            MemoryRegion target = host.region(LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                byte[] wrong = Forge.ready(true);
                wrong[wrong.length - 1] ^= 1;
                byte[] write = Forge.fpdu(
                        Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.remoteKey(), target.address(), Forge.payload(LONGEST)), true);
                peer.send(Forge.join(Forge.ready(true), wrong, write, write));
                Segment last = peer.receiveAll().getLast();
                assertEquals(Rdmap.TERMINATE, last.opcode());
                assertEquals(TerminateCode.MPA_CRC, Terminate.error(last.stream(), last.payloadAt()));
                assertTrue(Host.get(accepted).connection.awaitDisconnected(Host.LIMIT));
            }
            Rig.assertFilled(target.segment());
        }
    }

    /** A Request in place of the Reply, a revision that is unknown, and more private data than there may be. */
    @ParameterizedTest
    @CsvSource({ "9, 71", "17, 9", "18, ff" })
    @Requirement({ "RFC5044-7.1.1-d,p,r", "RFC5044-7.1.2-g,k,m", "RFC5044-8-d" })
    void shouldCloseTheConnectionAfterAReplyThatIsNone(int at, String value) throws Exception {
        byte[] reply = Forge.start(false, true, 1, 1);
        reply[at] = (byte) Integer.parseInt(value, 16);
        CompletableFuture<Integer> further = new CompletableFuture<>();
        try (Host host = new Host("nio"); RawServer server = new RawServer(socket -> {
            RawServer.read(socket, 24);
            socket.getOutputStream().write(reply);
            // The read ends when the other side has closed.
            further.complete(RawServer.read(socket, 1).length);
        })) {
            assertThrows(PeerException.class, () -> host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT));
            assertEquals(0, Host.get(further), "bytes after the Request");
        }
    }
}
