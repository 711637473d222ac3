package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.CloseSequence;
import org.panamaverbs.softiwarp.qp.CloseSequence.Action;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.testing.conformance.Requirement;

/** The steps in which a connection ends, by a clock of the test's own. */
class CloseSequenceTest {
    private static final long START = 7_000_000_000L;
    private static final int LENGTH = 100_000;

    private final Rig rig = new Rig(Rig.Options.of(true), 3 * Rig.room(LENGTH));
    private final CloseSequence sequence = new CloseSequence(rig.stream());

    private Action poll(long now) {
        return sequence.poll(now, false, false);
    }

    @Test
    void shouldDoNothingWhileTheStreamRuns() {
        assertEquals(Action.WAIT, poll(START));
        assertEquals(-1, sequence.timeout(START));
    }

    @Test
    @Requirement("RFC5041-6.2.1-d")
    void shouldTakeAllStepsOfAGoodEnd() {
        rig.stream().disconnect();
        assertEquals(Action.WAIT, poll(START));
        rig.transmit();
        assertEquals(Action.END_DRAIN, poll(START));
        rig.stream().endDrain();
        assertEquals(StreamState.ENDING, rig.stream().state());
        assertEquals(Action.WAIT, poll(START), "nothing is cut yet");
        rig.transmit();
        assertEquals(Action.FLUSH, poll(START));
        assertEquals(Action.FLUSH, poll(START), "the flush is not done");
        rig.stream().inbound().flush();
        assertEquals(Action.SHUT_OUTPUT, poll(START));
        assertEquals(Action.WAIT, poll(START + 1));
        assertEquals(Action.CLOSE, sequence.poll(START + 2, true, false));
        assertTrue(sequence.isClosed());
        assertEquals(Action.WAIT, poll(START + 3));
    }

    @Test
    void shouldLingerNoLongerThanItsPatience() {
        rig.stream().close();
        assertEquals(Action.WAIT, poll(START));
        rig.transmit();
        assertEquals(Action.FLUSH, poll(START));
        rig.stream().inbound().flush();
        assertEquals(Action.SHUT_OUTPUT, poll(START));
        assertEquals(CloseSequence.PATIENCE_NANOS, sequence.timeout(START));
        assertEquals(Action.WAIT, poll(START + CloseSequence.PATIENCE_NANOS - 1));
        assertEquals(Action.CLOSE, poll(START + CloseSequence.PATIENCE_NANOS));
    }

    @Test
    void shouldGiveUpAPeerThatTakesNothingOfWhatWasPosted() {
        RegisteredMemory source = rig.region(LENGTH);
        rig.silence();
        rig.send(1, source);
        rig.stream().disconnect();
        assertEquals(Action.WAIT, poll(START));
        assertEquals(Action.WAIT, poll(START + CloseSequence.PATIENCE_NANOS - 1));
        assertEquals(Action.GIVE_UP, poll(START + CloseSequence.PATIENCE_NANOS));
        rig.stream().giveUpDrain();
        assertEquals(StreamState.TERMINATING, rig.stream().state());
    }

    @Test
    void shouldWaitAsLongAsThePeerTakesSomething() {
        RegisteredMemory source = rig.region(LENGTH);
        rig.silence();
        rig.send(1, source);
        rig.stream().disconnect();
        long now = START;
        assertEquals(Action.WAIT, poll(now));
        for (int i = 0; i < 5; i++) {
            now += CloseSequence.PATIENCE_NANOS - 1;
            rig.transmit(10_000);
            assertEquals(Action.WAIT, poll(now));
        }
        rig.transmit();
        assertEquals(Action.END_DRAIN, poll(now));
    }

    /** A Read of ours that the peer answers slowly is not given up while bytes of the answer come. */
    @Test
    void shouldWaitAsLongAsTheAnswerToAReadComes() {
        RegisteredMemory sink = rig.region(1000, Access.LOCAL_WRITE);
        rig.read(1, sink, 0x1000, 0x77);
        rig.stream().disconnect();
        long now = START;
        assertEquals(Action.WAIT, poll(now));
        for (int at = 0; at < 1000; at += 100) {
            now += CloseSequence.PATIENCE_NANOS - 1;
            rig.feed(Forge.fpdu(Forge.tagged(at == 900 ? Forge.LAST_TAGGED : Forge.LAST_TAGGED & ~0x40, Forge.READ_RESPONSE, sink.stag(),
                    sink.base() + at, Forge.payload(100)), true));
            assertEquals(at == 900 ? Action.END_DRAIN : Action.WAIT, poll(now), "after " + at + " bytes");
        }
    }

    /** The peer sends other messages before its answer to our Read: it takes part, but not for ever. */
    @Test
    void shouldWaitWhileThePeerSendsSomethingElseBeforeItsAnswer() {
        RegisteredMemory sink = rig.region(100, Access.LOCAL_WRITE);
        RegisteredMemory target = rig.region(100, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        rig.read(1, sink, 0x1000, 0x77);
        rig.stream().disconnect();
        long now = START;
        assertEquals(Action.WAIT, poll(now));
        Action action = Action.WAIT;
        while (action == Action.WAIT && now - START < 2 * CloseSequence.HEARING_NANOS) {
            now += CloseSequence.PATIENCE_NANOS - 1;
            rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.stag(), target.base(), Forge.payload(100)), true));
            action = poll(now);
        }
        assertEquals(Action.GIVE_UP, action);
        assertTrue(now - START >= CloseSequence.HEARING_NANOS, "it was given up too early");
    }

    /** The requests of this side are done; a peer that reads for ever does not keep the connection open. */
    @Test
    void shouldEndWhileThePeerGoesOnReading() {
        RegisteredMemory source = rig.region(LENGTH, Access.REMOTE_READ);
        rig.silence();
        rig.stream().disconnect();
        long now = START;
        assertEquals(Action.WAIT, poll(now));
        Action action = Action.WAIT;
        for (int i = 1; i <= 8 && action == Action.WAIT; i++) {
            rig.feed(Forge.read(i, LENGTH, source.stag(), source.base(), true));
            rig.transmit(30_000);
            now += CloseSequence.PATIENCE_NANOS / 3;
            action = poll(now);
        }
        assertEquals(Action.END_DRAIN, action);
        assertTrue(now - START >= CloseSequence.PATIENCE_NANOS, "what the peer had read by then was to be answered");
    }

    @Test
    @Requirement("RFC5040-6.2.1-c")
    void shouldFlushWhatTheCutLeaves() {
        RegisteredMemory source = rig.region(LENGTH);
        rig.silence();
        rig.send(7, source);
        rig.transmit(1000);
        rig.stream().close();
        assertEquals(Action.WAIT, poll(START));
        assertTrue(rig.completions().isEmpty());
        rig.transmit(0);
        assertEquals(List.of(CompletionStatus.FLUSHED), rig.completions().stream().map(Rig.Done::status).toList());
        assertEquals(Action.FLUSH, poll(START));
        rig.stream().inbound().flush();
        assertEquals(Action.WAIT, poll(START), "the FPDU under way and the Terminate are not sent yet");
        rig.transmit();
        assertEquals(Action.SHUT_OUTPUT, poll(START));
    }
}
