package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** When a message is delivered, started or completed, and in which order (RFC 5040, 5 to 7). */
class Rfc5040DeliveryTest {
    private static final int LENGTH = 1000;

    private final Rig rig = new Rig(new Rig.Options(true, false, 16, 2), 6 * Rig.room(LENGTH));
    private final RegisteredMemory memory = rig.advertised(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);

    private static byte[] send(int control, int stag, int sequence, int length) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, control, stag, 0, sequence, 0, Forge.payload(length)), true);
    }

    private byte[] write() {
        return Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, memory.stag(), memory.base(), Forge.payload(LENGTH)), true);
    }

    private byte[] answer() {
        return Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, memory.stag(), memory.base(), Forge.payload(LENGTH)), true);
    }

    private List<Long> completed() {
        return rig.completions().stream().filter(done -> done.status() == CompletionStatus.SUCCESS).map(Rig.Done::id).toList();
    }

    private void assertError(int code) {
        assertEquals(TerminateCode.describe(code), TerminateCode.describe(rig.errorCode()));
    }

    @Test
    @Requirement({ "RFC5040-5.1-c", "RFC5040-5.2.1-d,e" })
    void shouldNotTellTheProgramOfAWriteNorOfAReadOfThePeer() {
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(write());
        assertEquals(-1, memory.segment().mismatch(MemorySegment.ofArray(Forge.payload(LENGTH))), "the Write is in its place");
        rig.feed(Forge.read(1, LENGTH, memory.stag(), memory.base(), true));
        assertEquals(Rdmap.READ_RESPONSE, rig.sent().getFirst().opcode());
        assertTrue(rig.completions().isEmpty(), "the program hears of it");
    }

    @Test
    @Requirement({ "RFC5040-5.5-a,g", "RFC5041-4.1-g", "RFC5044-6-d" })
    void shouldDeliverASendOnlyOnceItIsWholeAndVerified() {
        rig.receive(1, memory);
        byte[] send = send(Forge.SEND, 0, 1, LENGTH);
        rig.feed(send, 0, send.length - 1);
        assertTrue(rig.completions().isEmpty(), "the Send is not whole");
        rig.feed(send, send.length - 1, send.length);
        assertEquals(List.of(1L), completed());
    }

    @Test
    @Requirement({ "RFC5040-5.3-c,d", "RFC5040-5.5-a", "RFC5041-5.3-e", "RFC5041-5.4-a,b", "RFC5044-3-g", "RFC5044-4.3-j" })
    void shouldDeliverSendsInOrderEachToAReceiveOfItsOwn() {
        for (int i = 1; i <= 3; i++) {
            rig.receive(i, rig.region(LENGTH, Access.LOCAL_WRITE));
        }
        rig.feed(Forge.join(send(Forge.SEND, 0, 1, 10), send(Forge.SEND, 0, 2, 30), send(Forge.SEND, 0, 3, 20)));
        List<Rig.Done> done = rig.completions();
        assertEquals(List.of(1L, 2L, 3L), done.stream().map(Rig.Done::id).toList());
        assertEquals(List.of(10L, 30L, 20L), done.stream().map(Rig.Done::length).toList());
    }

    @Test
    @Requirement("RFC5040-5.3-c,g")
    void shouldTakeAReceiveForAnEmptySend() {
        rig.receive(1, memory);
        rig.feed(send(Forge.SEND, 0, 1, 0));
        assertEquals(List.of(1L), completed());
        rig.feed(send(Forge.SEND, 0, 2, 0));
        assertError(TerminateCode.UNTAGGED_NO_BUFFER);
    }

    /** Send with Invalidate, and the same with Solicited Event. */
    @ParameterizedTest
    @ValueSource(ints = { 0x44, 0x46 })
    @Requirement({ "RFC5040-5.3-j", "RFC5040-7.2-d", "RFC5041-4.3-c", "RFC5041-5.4-c" })
    void shouldEndTheAccessToAnStagThatTheMessageInvalidates(int control) {
        rig.receive(1, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(send(control, memory.stag(), 1, 10));
        Rig.Done done = rig.completions().getFirst();
        assertTrue(done.invalidated());
        assertEquals(memory.stag(), done.key());
        rig.feed(write());
        assertError(TerminateCode.TAGGED_INVALID_STAG);
        Rig.assertFilled(memory.segment());
    }

    @Test
    @Requirement({ "RFC5040-8.1.1-e,g", "RFC5042-6.2.2-b", "RFC5041-8.3-a,b,d", "RFC5041-8.3.1-e..g" })
    void shouldRefuseAWriteOnceTheProgramHasEndedTheRegistration() {
        rig.deregister(memory);
        rig.feed(write());
        assertError(TerminateCode.TAGGED_INVALID_STAG);
        Rig.assertFilled(memory.segment());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, LENGTH })
    @Requirement("RFC5040-5.5-c,h")
    void shouldStartAReadOnlyOnceItsRequestIsWholeAndVerified(int length) {
        byte[] request = Forge.read(1, length, memory.stag(), memory.base(), true);
        rig.feed(request, 0, request.length - 1);
        assertTrue(rig.sent().isEmpty(), "the request is not whole");
        rig.feed(request, request.length - 1, request.length);
        assertEquals(length, rig.sent().getFirst().payloadLength());
    }

    @Test
    @Requirement({ "RFC5040-5.2.2-d", "RFC5040-5.5-b,i,k" })
    void shouldCompleteAReadOnceItsAnswerIsWholeAndVerified() {
        rig.read(1, memory, 0x1000, 0x77);
        byte[] answer = answer();
        rig.feed(answer, 0, answer.length - 1);
        assertTrue(rig.completions().isEmpty(), "the answer is not whole");
        rig.feed(answer, answer.length - 1, answer.length);
        assertEquals(List.of(1L), completed());
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement("RFC5040-5.5-e")
    void shouldNotCompleteAMessageBeforeItsLastByteIsSent(boolean write) {
        if (write) {
            rig.write(1, memory, 0x1000, 0x77);
        } else {
            rig.send(1, memory);
        }
        rig.transmit(LENGTH);
        assertTrue(rig.completions().isEmpty(), "the header and the payload are longer than this");
        rig.transmit();
        assertEquals(List.of(1L), completed());
    }

    @Test
    @Requirement("RFC5040-5.5-f")
    void shouldCompleteASendAfterTheReadBeforeIt() {
        rig.read(1, memory, 0x1000, 0x77);
        rig.send(2, rig.region(LENGTH));
        rig.transmit();
        assertEquals(Rdmap.SEND, rig.sent().getLast().opcode());
        assertTrue(rig.completions().isEmpty(), "the Read has no answer yet");
        rig.feed(answer());
        assertEquals(List.of(1L, 2L), completed());
    }

    @Test
    @Requirement("RFC5040-6.1-d")
    void shouldHaveNoMoreReadsOutstandingThanThePeerServes() {
        for (int i = 1; i <= 3; i++) {
            rig.read(i, memory, 0x1000, 0x77);
        }
        assertEquals(2, rig.sent().size());
        rig.feed(answer());
        assertEquals(3, rig.sent().size());
        assertError(TerminateCode.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = { -1, LENGTH, LENGTH + 1 })
    @Requirement("RFC5040-7.2-k")
    void shouldRefuseAReadThatDoesNotStartInTheRegion(int from) {
        rig.feed(Forge.read(1, 1, memory.stag(), memory.base() + from, true));
        assertError(TerminateCode.RDMA_BOUNDS);
    }

    @Test
    @Requirement({ "RFC5040-5.4-h", "RFC5040-7.1-c" })
    void shouldNameTheFirstErrorInTheOnlyTerminateAndSendNothingAfterIt() {
        rig.silence();
        rig.feed(Forge.join(Forge.read(1, 1, memory.stag(), memory.base() + LENGTH, true), send(Forge.SEND, 0, 1, 10), write()));
        rig.transmit();
        rig.send(1, memory);
        rig.transmit();
        assertEquals(1, rig.sent().size());
        Segment last = rig.sent().getLast();
        assertEquals(Rdmap.TERMINATE, last.opcode());
        assertEquals(TerminateCode.RDMA_BOUNDS, Terminate.error(last.stream(), last.payloadAt()));
        Rig.assertFilled(memory.segment());
        assertFalse(rig.isErrorFromPeer());
    }
}
