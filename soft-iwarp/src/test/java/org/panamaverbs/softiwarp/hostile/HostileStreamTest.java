package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * A peer that connected properly, over a real socket, and then sends what it must not: it gets a Terminate with the code of the RFCs and
 * the end of the connection; its target is untouched, and other connections go on.
 */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class HostileStreamTest {
    private static final int LENGTH = Lie.Known.LENGTH;

    private final String transport;
    private Host host;
    private Host.Pair bystander;
    private MemoryRegion target;
    private MemoryRegion readOnly;
    private MemoryRegion writeOnly;
    private MemoryRegion foreign;
    private MemoryRegion receive;

    HostileStreamTest(String transport) {
        this.transport = transport;
    }

    @BeforeEach
    void open() throws Exception {
        open(new Host(transport));
    }

    private void open(Host opened) throws Exception {
        host = opened;
        bystander = host.connect();
        target = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        readOnly = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_READ);
        MemorySegment shared = host.arena.allocate(LENGTH);
        shared.fill(Rig.GUARD);
        writeOnly = host.domain.register(shared,
                RegistrationAttributes.of(Access.LOCAL_WRITE, Access.REMOTE_WRITE).withRemoteInvalidation(bystander.server().queuePair));
        MemorySegment memory = host.arena.allocate(LENGTH);
        memory.fill(Rig.GUARD);
        foreign = host.device.allocateProtectionDomain().register(memory, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        receive = host.region(Lie.Known.RECEIVE, Access.LOCAL_WRITE);
    }

    @AfterEach
    void close() throws Exception {
        try {
            host.exchange(bystander);
            host.exchange(host.connect());
        } finally {
            host.close();
        }
    }

    private Lie.Known known() {
        return new Lie.Known(place(target), place(readOnly), place(writeOnly), place(foreign), place(receive), Lie.Place.NOWHERE,
                Lie.Place.NOWHERE, Lie.Place.NOWHERE, Lie.Place.NOWHERE, Lie.Place.NOWHERE, 0);
    }

    private static Lie.Place place(MemoryRegion region) {
        return new Lie.Place(region.remoteKey(), region.address());
    }

    /** A Send to a queue that does not exist. */
    private static byte[] offence() {
        return Lie.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 4, 1, 0, Forge.payload(Lie.PAYLOAD));
    }

    private void assertUntouched() {
        List.of(target, readOnly, writeOnly, foreign).forEach(region -> {
            Rig.assertFilled(region.segment());
            assertTrue(region.isValid(), "a region was invalidated");
        });
    }

    /** Connects a raw peer, lets it send, and expects a Terminate as the last thing that comes back. */
    private Host.End assertTerminated(int code, byte[] bytes, ConnectionParameters parameters) throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(parameters, receive);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End end = Host.get(accepted);
            // Before the peer's first sound FPDU nothing is sent, not even a Terminate (RFC 5044, 7.1.2).
            peer.send(Forge.join(Forge.ready(true), bytes));
            Segment last = peer.receiveAll().getLast();
            assertEquals(Rdmap.TERMINATE, last.opcode());
            assertEquals(last.computedCrc(), last.crc());
            assertEquals(TerminateCode.describe(code), TerminateCode.describe(Terminate.error(last.stream(), last.payloadAt())));
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
            VerbsException failure = assertInstanceOf(PeerException.class, end.connection.failure().orElseThrow());
            assertTrue(failure.getMessage().contains("terminated by this side: " + TerminateCode.describe(code)), failure.getMessage());
            return end;
        }
    }

    private Host.End assertTerminated(int code, byte[] bytes) throws Exception {
        return assertTerminated(code, bytes, ConnectionParameters.defaults().withReads(16, 16));
    }

    @ParameterizedTest
    @MethodSource("lies")
    @Requirement({ "RFC5040-7-b", "RFC5040-7.1-a", "RFC5041-3-l", "RFC5041-6.2.2-c" })
    void shouldAnswerWithATerminate(Lie lie) throws Exception {
        byte[] bytes = lie.bytes().of(known());
        Host.End end = assertTerminated(lie.answer(), bytes);
        assertUntouched();
        assertTrue(receive.isValid(), "the receive's region");
        assertEquals(statusOfReceive(lie, new Segment(MemorySegment.ofArray(bytes), 0), bytes.length), end.next().status());
    }

    private static List<Lie> lies() {
        return LiesByError.all();
    }

    /** If a whole message is first, the receive is its; otherwise it fails by the lie itself, or is flushed. */
    private static CompletionStatus statusOfReceive(Lie lie, Segment first, int length) {
        if (first.isLast() && first.end() < length) {
            return CompletionStatus.SUCCESS;
        }
        return lie.answer() == TerminateCode.UNTAGGED_TOO_LONG && first.queue() == 0 ? CompletionStatus.LOCAL_LENGTH_ERROR
                : CompletionStatus.FLUSHED;
    }

    @Test
    void shouldRefuseMoreReadsThanAgreed() throws Exception {
        // The peer does not take the answers, which are longer than what TCP holds.
        MemoryRegion large = host.region(16 << 20, Access.REMOTE_READ);
        byte[] reads = new byte[0];
        for (int i = 1; i <= 4; i++) {
            reads = Forge.join(reads, Forge.read(i, 16 << 20, large.remoteKey(), large.address(), true));
        }
        assertTerminated(TerminateCode.UNTAGGED_NO_BUFFER, reads, ConnectionParameters.defaults().withReads(1, 1));
    }

    @Test
    void shouldNotCompleteAReceiveWithABadCrc() throws Exception {
        byte[] send = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), true);
        send[send.length - 1] ^= 0x10;
        Host.End end = assertTerminated(TerminateCode.MPA_CRC, send);
        assertEquals(CompletionStatus.FLUSHED, end.next().status());
    }

    @Test
    void shouldWriteNothingWithABadCrcWhereItVerifiesBeforePlacing() throws Exception {
        close();
        open(new Host(transport, "verify-before-place", "true"));
        byte[] write = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.remoteKey(), target.address(), Forge.payload(1000)),
                true);
        write[500] ^= 1;
        assertTerminated(TerminateCode.MPA_CRC, write);
        assertUntouched();
    }

    @Test
    @Requirement("RFC5041-7.1-g")
    void shouldWriteNothingAfterTheOffence() throws Exception {
        byte[] offence = offence();
        byte[] write = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.remoteKey(), target.address(), Forge.payload(1000)),
                true);
        assertTerminated(TerminateCode.UNTAGGED_QUEUE, Forge.join(offence, write, write));
        assertUntouched();
    }

    @Test
    @Requirement({ "RFC5041-6.2.2-b", "RFC5041-7-a", "RFC5044-8-a" })
    void shouldSayThatThePeerLeftWithinAnFpdu() throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), receive);
        Host.End end;
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            end = Host.get(accepted);
            byte[] send = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(40)), true);
            peer.send(Arrays.copyOf(send, send.length / 2));
        }
        assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        assertInstanceOf(PeerException.class, end.connection.failure().orElseThrow());
        assertEquals(CompletionStatus.FLUSHED, end.next().status());
    }

    @Test
    void shouldServeAPeerThatDribblesEveryByte() throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(16, 16), receive);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End end = Host.get(accepted);
            byte[] all = Forge.join(
                    Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.remoteKey(), target.address(), Forge.payload(99)), true),
                    Forge.read(1, 99, target.remoteKey(), target.address(), true),
                    Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(33)), true));
            for (byte each : all) {
                peer.send(new byte[] { each });
            }
            Segment answer = peer.receive();
            assertEquals(Rdmap.READ_RESPONSE, answer.opcode());
            assertEquals(answer.computedCrc(), answer.crc());
            assertEquals(-1, Arrays.mismatch(Forge.payload(99), answer.payload()));
            assertEquals(CompletionStatus.SUCCESS, end.next().status());
            assertEquals(33, end.completions().byteLength());
        }
    }

    @Test
    void shouldRepeatWhatAPeerSaidThatThenResetTheConnection() throws Exception {
        // It does not read what still comes, so that its close is a reset, which a Write under way may meet before its Terminate is read.
        byte[] terminate = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x11, 0x01, 0, 0 }),
                true);
        MemoryRegion source = host.region(8 << 20);
        try (RawServer server = new RawServer(socket -> {
            RawServer.read(socket, 24);
            socket.getOutputStream().write(Forge.start(false, true, 16, 16));
            RawServer.read(socket, 200_000);
            socket.getOutputStream().write(terminate);
        })) {
            for (int i = 0; i < 5; i++) {
                Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
                end.queuePair.post(new SendRequest().write(1).local(source, 0, source.length())
                        .remote(new RemoteMemory(0, 1, Long.MAX_VALUE), 0).signaled());
                assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
                String said = end.connection.failure().orElseThrow().getMessage();
                assertTrue(said.contains("the peer terminated it: " + TerminateCode.describe(TerminateCode.TAGGED_BOUNDS)), said);
                end.connection.close();
            }
        }
    }

    @Test
    void shouldRefuseAnOffenderThatItConnectedTo() throws Exception {
        byte[][] terminate = new byte[1][];
        CompletableFuture<Void> done = new CompletableFuture<>();
        Lie.Known known = known();
        try (RawServer server = new RawServer(socket -> {
            RawServer.read(socket, 24);
            socket.getOutputStream().write(Forge.start(false, true, 16, 16));
            socket.getOutputStream()
                    .write(Lie.write(known.target().stag(), known.target().offset() + LENGTH - Lie.PAYLOAD + 1, Lie.PAYLOAD));
            terminate[0] = socket.getInputStream().readAllBytes();
            done.complete(null);
        })) {
            Host.End end = host.connect(server.address(), ConnectionParameters.defaults(), Host.LIMIT);
            Host.get(done);
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
        }
        Segment last = new Segment(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(terminate[0].length).put(terminate[0]).flip()), 0);
        assertEquals(Rdmap.TERMINATE, last.opcode());
        assertEquals(TerminateCode.TAGGED_BOUNDS, Terminate.error(last.stream(), last.payloadAt()));
        assertUntouched();
    }

    @Test
    void shouldDropAnOffenderThatTakesNothing() throws Exception {
        MemoryRegion large = host.region(32 << 20, Access.REMOTE_READ);
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(16, 16), receive);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End end = Host.get(accepted);
            peer.send(Forge.read(1, 32 << 20, large.remoteKey(), large.address(), true));
            peer.send(offence());
            assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
            assertEquals(CompletionStatus.FLUSHED, end.next().status());
        }
    }
}
