package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE_SOLICITED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
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
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** The fields that a receiver of the messages of RFC 7306 checks, the one that it ignores, and what programs see of atomics. */
class Rfc7306Test {
    private static final long VALUE = 0x0102_0304_0506_0708L;
    private static final int DEPTH = 16;

    private final Rig rig = new Rig(new Rig.Options(true, false, DEPTH, DEPTH), 4096);
    private final RegisteredMemory target = rig.region(8, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
    private final RegisteredMemory sink = rig.region(8, Access.LOCAL_WRITE);
    private final RegisteredMemory place = rig.region(64, Access.LOCAL_WRITE);

    private byte[] payload(int opcode) {
        return switch (opcode) {
            case ATOMIC_REQUEST -> Forge.atomicRequest(0, 9, target.stag(), target.base(), 1, 0, 0, -1);
            case ATOMIC_RESPONSE -> Forge.atomicResponse(0, VALUE);
            default -> new byte[8];
        };
    }

    private static int queue(int opcode) {
        return switch (opcode) {
            case ATOMIC_REQUEST -> 1;
            case ATOMIC_RESPONSE -> 3;
            default -> 0;
        };
    }

    private void ask(long id) {
        rig.atomic(id, Operation.FETCH_AND_ADD, sink, 0x1000, 0x77, 1, 0, 0, -1);
    }

    /** Has a stream that waits for each of the messages receive one with these fields, and returns the error code. */
    private static int outcome(int opcode, int control, int ulp, int queue, int sequence, int offset) {
        Rfc7306Test test = new Rfc7306Test();
        test.rig.receive(1, test.place);
        test.ask(2);
        test.rig.transmit();
        test.rig.feed(Forge.fpdu(Forge.untagged(control, ulp, 0, queue, sequence, offset, test.payload(opcode)), true));
        int code = test.rig.errorCode();
        if (code != TerminateCode.NONE) {
            Segment last = test.rig.sent().getLast();
            assertEquals(Rdmap.TERMINATE, last.opcode());
            assertEquals(code, Terminate.error(last.stream(), last.payloadAt()));
            assertEquals(List.of(), test.rig.completions());
            Rig.assertFilled(test.target.segment());
            Rig.assertFilled(test.sink.segment());
            Rig.assertFilled(test.place.segment());
        }
        return code;
    }

    @ParameterizedTest
    @ValueSource(ints = { IMMEDIATE, IMMEDIATE_SOLICITED, ATOMIC_REQUEST, ATOMIC_RESPONSE })
    @Requirement({ "RFC7306-8.1-a", "RFC7306-8.2-a..d" })
    void shouldRefuseEachFieldThatIsWrong(int opcode) {
        int queue = queue(opcode);
        assertEquals(TerminateCode.NONE, outcome(opcode, LAST_UNTAGGED, opcode, queue, 1, 0), "as it should be");
        assertEquals(0x1206, outcome(opcode, 0x40, opcode, queue, 1, 0), "DDP version 0");
        assertEquals(0x1206, outcome(opcode, 0x42, opcode, queue, 1, 0), "DDP version 2");
        assertEquals(0x1201, outcome(opcode, LAST_UNTAGGED, opcode, 4, 1, 0), "a queue that does not exist");
        assertEquals(0x0206, outcome(opcode, LAST_UNTAGGED, opcode, 2, 1, 0), "the queue of Terminates");
        assertEquals(0x1203, outcome(opcode, LAST_UNTAGGED, opcode, queue, 0, 0), "an MSN that is too low");
        assertEquals(0x1203, outcome(opcode, LAST_UNTAGGED, opcode, queue, 2, 0), "an MSN that is too high");
        assertEquals(0x1204, outcome(opcode, LAST_UNTAGGED, opcode, queue, 1, 4), "an MO");
        assertEquals(0x0205, outcome(opcode, LAST_UNTAGGED, opcode & 0x3F, queue, 1, 0), "RDMAP version 0");
        assertEquals(0x0205, outcome(opcode, LAST_UNTAGGED, opcode | 0xC0, queue, 1, 0), "RDMAP version 3");
        assertEquals(0x0206, outcome(opcode, LAST_UNTAGGED, 0x4C, queue, 1, 0), "an opcode that is not defined");
    }

    @ParameterizedTest
    @ValueSource(ints = { IMMEDIATE, IMMEDIATE_SOLICITED, ATOMIC_REQUEST, ATOMIC_RESPONSE })
    @Requirement("RFC7306-4.1-a")
    void shouldIgnoreTheInvalidateStag(int opcode) {
        RegisteredMemory advertised = rig.advertised(8, Access.REMOTE_WRITE);
        rig.receive(1, place);
        ask(2);
        rig.transmit();
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, opcode, advertised.stag(), queue(opcode), 1, 0, payload(opcode)), true));
        assertEquals(TerminateCode.describe(TerminateCode.NONE), TerminateCode.describe(rig.errorCode()));
        assertFalse(advertised.isRetired());
        rig.completions().forEach(done -> assertFalse(done.invalidated()));
    }

    @Test
    @Requirement("RFC7306-5.2.1-f,g")
    void shouldAnswerAtomicsWithoutItsProgram() {
        rig.receive(1, place);
        for (int i = 1; i <= 3; i++) {
            rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, i, 0, payload(ATOMIC_REQUEST)), true));
        }
        assertEquals(3, rig.sent().size());
        assertEquals(List.of(), rig.completions());
        rig.feed(Forge.fpdu(Forge.untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, Forge.payload(5)), true));
        assertEquals(1, rig.completions().getFirst().id(), "the receive, which the atomics left alone");
    }

    @Test
    @Requirement("RFC7306-5.2.2-f,g")
    void shouldTakeAsManyAnswersAsItMayAsk() {
        ByteArrayOutputStream answers = new ByteArrayOutputStream();
        for (int i = 0; i < DEPTH; i++) {
            ask(i);
            answers.writeBytes(
                    Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, i + 1, 0, Forge.atomicResponse(i, VALUE + i)), true));
        }
        rig.transmit();
        assertEquals(DEPTH, rig.sent().size());
        rig.feed(answers.toByteArray());
        List<Rig.Done> done = rig.completions();
        assertEquals(DEPTH, done.size());
        done.forEach(each -> assertEquals(CompletionStatus.SUCCESS, each.status()));
        assertEquals(VALUE + DEPTH - 1, sink.segment().get(ValueLayout.JAVA_LONG, 0));
    }

    @Test
    @Requirement("RFC7306-5.4-a,e")
    void shouldCompleteAnAtomicOnceItsAnswerIsWhole() {
        ask(1);
        rig.transmit();
        byte[] answer = Forge.fpdu(Forge.untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, 1, 0, payload(ATOMIC_RESPONSE)), true);
        for (int at = 0; at < answer.length; at++) {
            assertEquals(List.of(), rig.completions());
            Rig.assertFilled(sink.segment());
            rig.feed(answer, at, at + 1);
        }
        assertEquals(CompletionStatus.SUCCESS, rig.completions().getFirst().status());
        assertEquals(VALUE, sink.segment().get(ValueLayout.JAVA_LONG, 0));
    }
}
