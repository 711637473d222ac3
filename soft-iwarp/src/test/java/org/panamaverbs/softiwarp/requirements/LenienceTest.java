package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** Fields that a receiver must ignore (RFC 5040, 4.1 and 4.3; RFC 5041, 4.1), the bytes of Terminates for local faults, and STags. */
class LenienceTest {
    private static final int LENGTH = 100;

    private final Rig rig = new Rig(Rig.Options.of(true), 4 * Rig.room(1 << 16));

    private void assertSound() {
        assertEquals(TerminateCode.describe(TerminateCode.NONE), TerminateCode.describe(rig.errorCode()));
    }

    /** The four reserved bits between L and the version, and the two between RDMAP's version and opcode. */
    @ParameterizedTest
    @CsvSource({ "0x3C, 0x00", "0x04, 0x00", "0x20, 0x00", "0x00, 0x30", "0x00, 0x10", "0x3C, 0x30" })
    @Requirement({ "RFC5040-4.1-i", "RFC5041-4.1-h" })
    void shouldIgnoreReservedBitsOfBothHeaders(String ddp, String rdmap) {
        int d = Integer.decode(ddp);
        int r = Integer.decode(rdmap);
        RegisteredMemory place = rig.region(LENGTH, Access.LOCAL_WRITE);
        RegisteredMemory target = rig.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        rig.receive(1, place);
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED | d, Forge.WRITE | r, target.stag(), target.base(), Forge.payload(LENGTH)),
                true));
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED | d, Forge.SEND | r, 0, 0, 1, 0, Forge.payload(LENGTH)), true));
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED | d, Forge.READ_REQUEST | r, 0, 1, 1, 0,
                Forge.readRequest(5, 6, LENGTH, target.stag(), target.base())), true));
        assertSound();
        assertArrayEquals(Forge.payload(LENGTH), target.segment().toArray(ValueLayout.JAVA_BYTE));
        assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
        assertArrayEquals(Forge.payload(LENGTH), rig.sent().getLast().payload());
    }

    /** RFC 5040, 4.3: the 32 bits are an STag only in a Send with Invalidate. */
    @ParameterizedTest
    @ValueSource(ints = { Forge.SEND, 0x45 })
    @Requirement("RFC5040-4.1-j")
    void shouldIgnoreTheStagOfAPlainSend(int opcode) {
        RegisteredMemory place = rig.region(LENGTH, Access.LOCAL_WRITE);
        RegisteredMemory advertised = rig.advertised(LENGTH, Access.REMOTE_WRITE);
        rig.receive(1, place);
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, opcode, advertised.stag(), 0, 1, 0, Forge.payload(9)), true));
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, advertised.stag(), advertised.base(), Forge.payload(9)), true));
        assertSound();
        assertEquals(false, rig.completions().getFirst().invalidated());
    }

    private void assertTerminate(int code) {
        byte[] expected = Forge.fpdu(
                Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { (byte) (code >>> 8), (byte) code, 0, 0 }),
                true);
        byte[] sent = rig.bytesSent();
        assertArrayEquals(expected, Arrays.copyOfRange(sent, sent.length - expected.length, sent.length));
    }

    @Test
    void shouldSendABareTerminateIfTheSourceOfItsSendIsGone() {
        RegisteredMemory source = rig.region(1 << 16);
        rig.send(1, source);
        rig.deregister(source);
        rig.transmit();
        assertTerminate(TerminateCode.LOCAL_CATASTROPHIC);
    }

    @Test
    void shouldSendABareTerminateIfAReceiveIsGone() {
        RegisteredMemory place = rig.region(1 << 16, Access.LOCAL_WRITE);
        rig.receive(1, place);
        rig.deregister(place);
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(LENGTH)), true));
        rig.transmit();
        assertTerminate(TerminateCode.DDP_LOCAL_CATASTROPHIC);
    }

    @Test
    void shouldSendABareTerminateIfTheSinkOfItsReadIsGone() {
        RegisteredMemory sink = rig.region(LENGTH, Access.LOCAL_WRITE);
        rig.read(1, sink, 0x1000, 0x77);
        rig.deregister(sink);
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, sink.stag(), sink.base(), Forge.payload(LENGTH)), true));
        rig.transmit();
        assertTerminate(TerminateCode.DDP_LOCAL_CATASTROPHIC);
    }

    /** The first error wins: what comes behind it, in the same bytes, changes nothing. */
    @Test
    void shouldKeepTheFirstOfTwoErrors() {
        byte[] first = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0x99, 0, Forge.payload(8)), true);
        byte[] second = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 7, 1, 0, Forge.payload(8)), true);
        rig.feed(Forge.join(first, second));
        assertEquals(TerminateCode.describe(TerminateCode.TAGGED_INVALID_STAG), TerminateCode.describe(rig.errorCode()));
        assertEquals(1, rig.sent().size());
    }

    /** An offence and the end of the peer's direction arrive together: the Terminate still leaves. */
    @Test
    void shouldSendItsTerminateIfTheEndCameWithTheOffence() {
        rig.silence();
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0x99, 0, Forge.payload(8)), true));
        rig.stream().inbound().onEndOfStream();
        rig.transmit();
        assertEquals(StreamState.TERMINATING, rig.stream().state());
        assertEquals(Forge.TERMINATE & 0xF, rig.sent().getLast().opcode());
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldSendItsTerminateOverASocketIfTheEndCameWithTheOffence(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.get(accepted);
                peer.send(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0x99, 0, Forge.payload(8)), true));
                peer.shutdownOutput();
                assertEquals(Forge.TERMINATE & 0xF, peer.receive().opcode());
            }
        }
    }

    /** RFC 5042, 8.2: an STag is hard to guess. The keys of regions in a row follow no arithmetic progression, and differ between hosts. */
    @Test
    @Requirement("RFC5040-8.1.1-i,j")
    void shouldGiveStagsThatDoNotFollowFromEachOther() {
        Set<Integer> steps = new HashSet<>();
        Set<Integer> keys = new HashSet<>();
        for (int round = 0; round < 2; round++) {
            try (Host host = new Host("epoll")) {
                int before = 0;
                for (int i = 0; i < 100; i++) {
                    MemoryRegion region = host.region(8, Access.REMOTE_READ);
                    steps.add(region.remoteKey() - before);
                    before = region.remoteKey();
                    keys.add(before);
                }
            }
        }
        assertTrue(steps.size() > 190, () -> steps.size() + " different steps");
        assertTrue(keys.size() > 190, () -> keys.size() + " different keys");
    }

    /** The same for the keys of one window, whose index stays: 8 bits. */
    @Test
    @Requirement("RFC5040-8.1.1-i")
    void shouldGiveAWindowKeysThatDoNotFollowFromEachOther() throws Exception {
        Set<Integer> steps = new HashSet<>();
        try (Host host = new Host("epoll")) {
            QueuePair queuePair = host.connect().client().queuePair;
            MemoryRegion region = host.region(8, Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW);
            MemoryWindow window = host.domain.allocateMemoryWindow(MemoryWindow.Type.TYPE_1);
            int before = window.remoteKey();
            for (int i = 0; i < 100; i++) {
                queuePair.post(new SendRequest().bind(i, window).local(region, 0, 8).access(Access.REMOTE_READ));
                steps.add(window.remoteKey() - before & 0xFF);
                before = window.remoteKey();
            }
        }
        assertTrue(steps.size() > 40, () -> steps.size() + " different steps");
    }
}
