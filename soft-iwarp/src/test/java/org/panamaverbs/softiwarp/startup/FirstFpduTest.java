package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5044, 7.1.2 (4): a responder sends nothing before it has received the initiator's first FPDU whole, and found it valid. */
class FirstFpduTest {
    private static final int LENGTH = 4096;
    /** Length, and the header of a tagged or of an untagged segment. */
    private static final int TAGGED_START = 2 + 14;
    private static final int UNTAGGED_START = 2 + 18;
    private static final Duration SILENCE = Duration.ofMillis(300);

    private final Rig rig = new Rig(Rig.Options.of(true), 4 * Rig.room(LENGTH), true);
    private final RegisteredMemory source = rig.region(LENGTH);
    private final RegisteredMemory target = rig.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    private final RegisteredMemory receive = rig.region(LENGTH, Access.LOCAL_WRITE);

    private byte[] first(boolean tagged, int length) {
        rig.receive(1, receive);
        return Forge.fpdu(tagged ? Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.stag(), target.base(), Forge.payload(length))
                : Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(length)), true);
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5044-7.1.2-j")
    void shouldSendNothingBeforeTheFirstFpduIsWhole(boolean tagged) {
        rig.send(2, source);
        byte[] first = first(tagged, 1000);
        for (int at = 0; at < first.length; at++) {
            rig.transmit();
            int sent = rig.sent().size();
            int came = at;
            assertEquals(0, sent, () -> "FPDUs sent when " + came + " of " + first.length + " bytes had come");
            rig.feed(first, at, at + 1);
        }
        rig.transmit();
        assertEquals(Rdmap.SEND, rig.sent().getFirst().opcode());
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5044-7.1.2-j")
    void shouldSendNoMessageIfTheFirstFpduIsCorrupt(boolean tagged) {
        rig.send(2, source);
        byte[] first = first(tagged, 1000);
        first[first.length - 1] ^= 1;
        rig.feed(first, 0, tagged ? TAGGED_START : UNTAGGED_START);
        rig.feed(first, tagged ? TAGGED_START : UNTAGGED_START, first.length);
        rig.transmit();
        assertEquals(TerminateCode.MPA_CRC, rig.errorCode(), "the error of the stream");
        assertEquals(0, rig.sent().size(), "FPDUs sent after a corrupt one: not even a Terminate may leave");
    }

    /** A Terminate is an FPDU as others are: siw takes one that comes too early for an error of the protocol. */
    @Test
    void shouldHoldATerminateOfItsOwnUntilTheFirstFpduIsWhole() {
        rig.send(2, source);
        byte[] first = first(false, 1000);
        rig.feed(first, 0, UNTAGGED_START);
        rig.deregister(source);
        rig.transmit();
        assertEquals(0, rig.sent().size(), "FPDUs sent when only a header had come");
        rig.feed(first, UNTAGGED_START, first.length);
        rig.transmit();
        assertEquals(1, rig.sent().size(), "FPDUs sent when the first FPDU had come whole");
        Segment terminate = rig.sent().getFirst();
        assertEquals(Rdmap.TERMINATE, terminate.opcode());
        assertEquals(TerminateCode.describe(TerminateCode.LOCAL_CATASTROPHIC),
                TerminateCode.describe(Terminate.error(terminate.stream(), terminate.payloadAt())));
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @Requirement("RFC5044-7.1.2-j")
    void shouldSendNothingToAPeerThatHasSentOnlyAHeader(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemoryRegion place = host.region(LENGTH, Access.LOCAL_WRITE);
            MemoryRegion message = host.region(LENGTH);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                end.queuePair.post(new SendRequest().send(2).local(message, 0, LENGTH).signaled());
                byte[] first = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(1000)), true);
                peer.send(Arrays.copyOf(first, UNTAGGED_START));
                assertFalse(peer.hears(SILENCE), "the responder sent something");
                peer.send(Arrays.copyOfRange(first, UNTAGGED_START, first.length));
                assertEquals(Rdmap.SEND, peer.receive().opcode());
            }
        }
    }
}
