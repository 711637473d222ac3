package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** The requirements of {@link PlacementTrustTest}, over real sockets. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
class LivePlacementTest {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    private static final int LENGTH = 64 * 1024;
    private static final int STAG_AT = 4;
    private static final int OFFSET_AT = 8;
    private static final int MESSAGES = 2000;
    private static final long MESSAGES_NANOS = Proofs.loopNanos();

    private final Host host;

    LivePlacementTest(String transport) {
        host = new Host(transport);
    }

    @AfterEach
    void close() throws Exception {
        try (host) {
            host.exchange(host.connect());
        }
    }

    private static byte[] write(MemoryRegion region, long offset, byte[] payload) {
        return Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, region.remoteKey(), region.address() + offset, payload), true);
    }

    private static byte[] send(int length) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(length)), true);
    }

    private static void assertTerminatedForTheCrc(RawPeer peer) throws Exception {
        Segment last = peer.receiveAll().getLast();
        assertEquals(Rdmap.TERMINATE, last.opcode());
        assertEquals(TerminateCode.describe(TerminateCode.MPA_CRC),
                TerminateCode.describe(Terminate.error(last.stream(), last.payloadAt())));
    }

    /** A program that polls memory for the end of a message, and takes it as a mailbox that is free again at once. */
    @ParameterizedTest
    @ValueSource(ints = { 8, 1000, 60_000 })
    void shouldLetAProgramClearTheLastByteOfAWriteAtOnce(int length) throws Exception {
        MemoryRegion mailbox = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        mailbox.segment().fill((byte) 0);
        byte[] payload = Forge.payload(length);
        payload[length - 1] = 1;
        byte[] message = write(mailbox, 0, payload);
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.End end = Host.get(accepted);
            int done = 0;
            for (long start = System.nanoTime(); done < MESSAGES && System.nanoTime() - start < MESSAGES_NANOS; done++) {
                peer.send(message);
                while ((byte) BYTE.getVolatile(mailbox.segment(), length - 1L) == 0) {
                    assertGoesOn(end, done);
                    Thread.onSpinWait();
                }
                BYTE.setVolatile(mailbox.segment(), length - 1L, (byte) 0);
            }
            assertGoesOn(end, done);
        }
    }

    private static void assertGoesOn(Host.End end, int done) {
        if (!end.connection.isConnected()) {
            throw new AssertionError("the connection ended after " + done + " messages: " + end.connection.failure());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, 4096, 60_000 })
    void shouldNotTakeASharedReceiveForACorruptSend(int length) throws Exception {
        MemoryRegion place = host.region(LENGTH, Access.LOCAL_WRITE);
        try (SharedReceiveQueue shared = host.domain.createSharedReceiveQueue(1, 1)) {
            shared.post(new ReceiveRequest().receive(5).local(place, 0, LENGTH));
            CompletableFuture<Host.End> first = host.accepting(ConnectionParameters.defaults(), null,
                    attributes -> attributes.withSharedReceiveQueue(shared));
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(first);
                byte[] corrupt = send(length);
                corrupt[corrupt.length - 1] ^= 1;
                peer.send(Forge.join(Forge.ready(true), corrupt));
                assertTerminatedForTheCrc(peer);
                assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
                assertEquals(0, end.queue.poll(end.completions()), "completions of the connection with the corrupt Send");
                end.connection.close();
            }
            CompletableFuture<Host.End> second = host.accepting(ConnectionParameters.defaults(), null,
                    attributes -> attributes.withSharedReceiveQueue(shared));
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(second);
                peer.send(send(length));
                assertEquals(CompletionStatus.SUCCESS, end.next().status());
                assertEquals(5, end.completions().id());
                end.connection.close();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, 4096, 60_000 })
    void shouldWriteNothingWhereADamagedHeaderPoints(int length) throws Exception {
        MemoryRegion meant = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        MemoryRegion other = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        byte[] bytes = write(meant, 0, Forge.payload(length));
        ByteBuffer.wrap(bytes).putInt(STAG_AT, other.remoteKey()).putLong(OFFSET_AT, other.address());
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.get(accepted);
            peer.send(Forge.join(Forge.ready(true), bytes));
            assertTerminatedForTheCrc(peer);
        }
        Rig.assertFilled(other.segment());
    }

    /** The least that can go wrong: one bit of the STag, which then names nothing. */
    @ParameterizedTest
    @ValueSource(ints = { 40, 4096, 60_000 })
    void shouldBlameTheCrcForAFlippedBitOfTheStag(int length) throws Exception {
        MemoryRegion meant = host.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        byte[] bytes = write(meant, 0, Forge.payload(length));
        bytes[STAG_AT + 3] ^= 0x10;
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
        try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
            peer.awaitReply(true);
            Host.get(accepted);
            peer.send(Forge.join(Forge.ready(true), bytes));
            assertTerminatedForTheCrc(peer);
        }
        Rig.assertFilled(meant.segment());
    }
}
