package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.SendRequest;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.testing.conformance.Requirement;

/** Immediate Data of a stream, byte by byte (RFC 7306, 6). */
class ImmediateStreamTest {
    private static final long VALUE = 0x0102_0384_8506_0708L;
    private static final long ADDRESS = 0x1112_1314_1516_1718L;
    private static final int KEY = 0x0A0B_0C0D;

    private final Rig rig = new Rig(Rig.Options.of(true), 200_000);
    private final RegisteredMemory target = rig.region(5000, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    private final RegisteredMemory bell = rig.region(16, Access.LOCAL_WRITE);

    private static byte[] immediate(int sequence, long value) {
        return Forge.fpdu(Forge.untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, sequence, 0, ByteBuffer.allocate(8).putLong(value).array()), true);
    }

    private byte[] write(int control, long offset, int length) {
        return Forge.fpdu(Forge.tagged(control, WRITE, target.stag(), target.base() + offset, Forge.payload(length)), true);
    }

    private static void assertImmediate(Segment segment, int ulp, int sequence, long value) {
        assertEquals(LAST_UNTAGGED, segment.control());
        assertEquals(ulp, segment.ulp());
        assertEquals(0, segment.word());
        assertEquals(0, segment.queue());
        assertEquals(sequence, segment.messageSequence());
        assertEquals(0, segment.messageOffset());
        assertArrayEquals(ByteBuffer.allocate(8).putLong(value).array(), segment.payload());
        assertEquals(segment.computedCrc(), segment.crc());
    }

    @Test
    @Requirement({ "RFC7306-4.1-a", "RFC7306-6.3-a..c,e..g" })
    void shouldSendFigure7() {
        rig.immediate(1, VALUE, 0);
        rig.immediate(2, VALUE + 1, SendWorkRequest.SOLICITED);
        rig.transmit();
        assertImmediate(rig.sent().get(0), Forge.IMMEDIATE, 1, VALUE);
        assertImmediate(rig.sent().get(1), Forge.IMMEDIATE_SOLICITED, 2, VALUE + 1);
        assertEquals(List.of(CompletionOpcode.SEND, CompletionOpcode.SEND), rig.completions().stream().map(Rig.Done::opcode).toList());
    }

    @Test
    @Requirement("RFC7306-6.3-g")
    void shouldSendAWriteWithImmediateDataAsTwoMessages() {
        rig.writeImmediate(1, rig.region(100_000), ADDRESS, KEY, VALUE);
        rig.writeImmediate(2, rig.region(0), ADDRESS, KEY, VALUE + 1);
        rig.transmit();
        List<Segment> sent = rig.sent();
        int whole = 0;
        while (sent.get(whole).isTagged() && !sent.get(whole).isLast()) {
            whole++;
        }
        assertEquals(WRITE, sent.get(whole).ulp());
        assertImmediate(sent.get(whole + 1), Forge.IMMEDIATE, 1, VALUE);
        assertEquals(0, sent.get(whole + 2).payloadLength(), "a Write of no bytes");
        assertEquals(WRITE, sent.get(whole + 2).ulp());
        assertImmediate(sent.get(whole + 3), Forge.IMMEDIATE, 2, VALUE + 1);
        assertEquals(whole + 4, sent.size());
        assertEquals(List.of(CompletionOpcode.WRITE, CompletionOpcode.WRITE), rig.completions().stream().map(Rig.Done::opcode).toList());
    }

    /** Both ends count the same bytes: memory of programs, and no immediate data. */
    @Test
    void shouldCountTheSameBytesAtBothEnds() {
        Rig near = new Rig(Rig.Options.of(true), 4096);
        rig.receive(1, bell);
        rig.receive(2, bell);
        rig.receive(3, bell);
        near.writeImmediate(1, near.region(100), target.base(), target.stag(), VALUE);
        near.immediate(2, VALUE, 0);
        near.send(3, near.region(16));
        near.transmit();
        rig.feed(near.bytesSent());
        assertEquals(3, rig.completions().size());
        assertEquals(116, near.stream().counters().bytesSent());
        assertEquals(116, rig.stream().counters().bytesReceived());
    }

    @Test
    void shouldNotCompleteAWriteBeforeItsImmediateDataAreSent() {
        rig.writeImmediate(1, rig.region(8), ADDRESS, KEY, VALUE);
        rig.transmit(2 + 14 + 8 + 4);
        assertEquals(0, rig.completions().size());
        rig.transmit();
        assertEquals(1, rig.completions().size());
    }

    @Test
    void shouldDeliverItWhereverTheMessageIsCut() {
        byte[] message = immediate(1, VALUE);
        for (int cut = 1; cut < message.length; cut++) {
            Rig other = new Rig(Rig.Options.of(true), 4096);
            RegisteredMemory receive = other.region(16, Access.LOCAL_WRITE);
            other.receive(5, receive);
            other.feed(message, 0, cut);
            other.feed(message, cut, message.length);
            other.assertImmediate(5, CompletionOpcode.RECEIVE, 0, VALUE);
            Rig.assertFilled(receive.segment());
        }
    }

    @Test
    void shouldBeAWriteWithImmediateDataBehindAWrite() {
        rig.receive(5, bell);
        rig.feed(write(LAST_TAGGED, 4000, 1000));
        rig.feed(write(0x81, 0, 1000));
        rig.feed(write(LAST_TAGGED, 1000, 500));
        rig.feed(immediate(1, VALUE));
        rig.assertImmediate(5, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, 1500, VALUE);
        Rig.assertFilled(bell.segment());
    }

    @Test
    @Requirement("RFC7306-6.3-c,d")
    void shouldBeAMessageOfItsOwnBehindAnotherMessage() {
        rig.receive(5, bell);
        rig.receive(6, bell);
        rig.receive(7, bell);
        rig.feed(write(LAST_TAGGED, 0, 1000));
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, new byte[0]), true));
        assertEquals(5, rig.completions().getFirst().id());
        rig.feed(immediate(2, VALUE));
        rig.assertImmediate(6, CompletionOpcode.RECEIVE, 0, VALUE);
        rig.feed(immediate(3, -1));
        rig.assertImmediate(7, CompletionOpcode.RECEIVE, 0, -1);
    }

    @Test
    void shouldBelongToTheWriteBeforeAnAnswerOfThePeer() {
        RegisteredMemory sink = rig.region(8, Access.LOCAL_WRITE);
        rig.receive(5, bell);
        rig.read(1, sink, ADDRESS, KEY);
        rig.feed(write(LAST_TAGGED, 0, 1000));
        rig.feed(Forge.fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, sink.stag(), sink.base(), Forge.payload(8)), true));
        assertEquals(CompletionOpcode.READ, rig.completions().getFirst().opcode());
        rig.feed(immediate(1, VALUE));
        rig.assertImmediate(5, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, 1000, VALUE);
    }

    @ParameterizedTest
    @EnumSource(names = { "AWAITED", "AWAITED_SEND" })
    void shouldNotTakeTheReadyToReceiveIndicationForAWrite(ReadyIndication ready) {
        Rig responder = new Rig(Rig.Options.of(true).ready(ready), 4096, true);
        RegisteredMemory receive = responder.region(16, Access.LOCAL_WRITE);
        responder.receive(5, receive);
        responder.receive(6, receive);
        responder.feed(Forge.ready(true));
        responder.feed(immediate(1, VALUE));
        responder.assertImmediate(5, CompletionOpcode.RECEIVE, 0, VALUE);
        responder.feed(Forge.ready(true));
        responder.feed(immediate(2, VALUE));
        responder.assertImmediate(6, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, 0, VALUE);
    }

    /** Without the peer-to-peer model (RFC 6581) there is no indication: an empty Write is one of the peer's program, also if it is first. */
    @Test
    void shouldTakeAFirstWriteOfNoBytesForAWriteIfNoIndicationWasAgreed() {
        Rig responder = new Rig(Rig.Options.of(true), 4096, true);
        responder.receive(5, responder.region(16, Access.LOCAL_WRITE));
        responder.feed(Forge.ready(true));
        responder.feed(immediate(1, VALUE));
        responder.assertImmediate(5, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, 0, VALUE);
    }

    /** The same over a connection of revision 1, whose first message is an empty Write with immediate data. */
    @ParameterizedTest
    @ValueSource(strings = { "1", "2" })
    void shouldDeliverAnEmptyWriteWithImmediateDataFirst(String revision) throws Exception {
        try (Host host = new Host("epoll", "mpa-revision", revision)) {
            MemoryRegion place = host.region(16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), place);
            Host.End client = host.connect(host.listener.address(), ConnectionParameters.defaults(), Host.LIMIT);
            client.queuePair.post(new SendRequest().write(1).local(place, 0, 0).remote(place.remote(), 0).immediate(7).signaled());
            Host.End server = Host.get(accepted);
            assertEquals(CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE, server.next().opcode());
            assertEquals(7, server.completions().immediate());
        }
    }

    @Test
    @Requirement("RFC7306-6.3-h")
    void shouldFlushTheReceiveOfImmediateDataThatIsTooShort() {
        rig.receive(5, bell);
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, 1, 0, new byte[7]), true));
        rig.end();
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
        Rig.assertFilled(bell.segment());
    }

    @Test
    @Requirement("RFC7306-6.3-h")
    void shouldFailTheReceiveOfImmediateDataThatIsTooLong() {
        rig.receive(5, bell);
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, 1, 0, new byte[9]), true));
        rig.end();
        assertEquals(CompletionStatus.LOCAL_LENGTH_ERROR, rig.completions().getFirst().status());
        Rig.assertFilled(bell.segment());
    }
}
