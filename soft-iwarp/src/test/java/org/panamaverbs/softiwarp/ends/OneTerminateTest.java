package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.OutboundStream;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * A stream receives on one thread and transmits on another. Each may find a reason to terminate at the same moment as the other: there is
 * one first cause, one Terminate, which tells that cause, and one end.
 */
class OneTerminateTest {
    private static final long STRESS_NANOS = Proofs.loopNanos();
    private static final int LENGTH = 100;
    private static final int BARE = 4;
    private static final int WITH_TAGGED_HEADER = 4 + 2 + 14;

    /** The actions of the two threads in a round. */
    private record Round(Rig rig, byte[] offence, Runnable transmitter) {
    }

    private static Round newRound(Function<Rig, Runnable> transmitter) {
        Rig rig = new Rig(Rig.Options.of(true), 2 * Rig.room(LENGTH));
        RegisteredMemory target = rig.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        byte[] offence = Forge
                .fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.stag(), target.base() + LENGTH - 1, Forge.payload(40)), true);
        rig.silence();
        // All but what shows that it is wrong.
        rig.feed(offence, 0, 2 + 8);
        return new Round(rig, offence, transmitter.apply(rig));
    }

    /** Plays rounds: the two threads begin at about the same moment. */
    private static void play(Function<Rig, Runnable> transmitter, ObjIntConsumer<Rig> check) throws Exception {
        AtomicInteger begun = new AtomicInteger();
        AtomicInteger ended = new AtomicInteger();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Round[] current = new Round[1];
        Thread other = Thread.ofPlatform().daemon().start(() -> {
            for (int round = 1; !Thread.currentThread().isInterrupted(); round++) {
                while (begun.get() < round) {
                    if (Thread.currentThread().isInterrupted()) {
                        return;
                    }
                    Thread.onSpinWait();
                }
                try {
                    current[0].transmitter().run();
                } catch (RuntimeException | Error e) {
                    failure.set(e);
                    return;
                } finally {
                    ended.incrementAndGet();
                }
            }
        });
        try {
            long start = System.nanoTime();
            for (int round = 1; System.nanoTime() - start < STRESS_NANOS; round++) {
                Round now = newRound(transmitter);
                current[0] = now;
                begun.set(round);
                now.rig().feed(now.offence(), 2 + 8, now.offence().length);
                awaitEnd(ended, round);
                if (failure.get() != null) {
                    throw new AssertionError("the transmitting thread failed in round " + round, failure.get());
                }
                now.rig().transmit();
                check.accept(now.rig(), round);
            }
        } finally {
            other.interrupt();
            other.join(Host.LIMIT);
        }
    }

    private static void awaitEnd(AtomicInteger ended, int round) {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (ended.get() < round) {
            assertTrue(System.nanoTime() < deadline, () -> "the transmitting thread does not end round " + round);
            Thread.onSpinWait();
        }
    }

    private static void assertOneTerminate(Rig rig, int round) {
        String when = "in round " + round;
        List<Segment> sent = rig.sent();
        assertEquals(1, sent.size(), () -> "FPDUs sent " + when);
        Segment terminate = sent.getFirst();
        assertEquals(Rdmap.TERMINATE, terminate.opcode());
        byte[] payload = terminate.payload();
        int code = Terminate.error(terminate.stream(), terminate.payloadAt());
        assertEquals(TerminateCode.describe(rig.errorCode()), TerminateCode.describe(code),
                () -> "what the program is told, and the peer, " + when);
        assertEquals(payload[2] == 0 ? BARE : WITH_TAGGED_HEADER, payload.length, () -> "the length that the bits M and D say, " + when);
        assertEquals(code == TerminateCode.TAGGED_BOUNDS ? 0xC0 : 0, payload[2] & 0xFF, () -> "M and D, " + when);
    }

    /** A program that sees it closes the connection, which must not turn the end into one in good order. */
    @Test
    void shouldTerminateBeforeTheProgramSeesThatAReceiveHasFailed() {
        Rig rig = new Rig(Rig.Options.of(true), 2 * Rig.room(LENGTH));
        rig.receive(7, rig.region(LENGTH));
        rig.arm(() -> rig.stream().close());
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(LENGTH + 1)), true));
        rig.end();
        assertEquals(1, rig.sent().size(), "FPDUs sent");
        assertEquals(Rdmap.TERMINATE, rig.sent().getFirst().opcode());
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, rig.errorCode());
        assertEquals(List.of(CompletionStatus.LOCAL_LENGTH_ERROR), rig.completions().stream().map(Rig.Done::status).toList());
    }

    private static void assertEnded(Rig rig, int round) {
        assertEquals(1, rig.sent().size());
        assertEquals(OutboundStream.Stage.SILENT, rig.stream().outbound().stage(), () -> "once the Terminate is sent, in round " + round);
    }

    /** The receiving thread finds an offence, the transmitting thread memory that cannot be sent. */
    @Test
    @Requirement("RFC5040-7.1-c")
    void shouldTellTheFirstCauseIfBothThreadsFindOne() throws Exception {
        play(rig -> {
            RegisteredMemory source = rig.region(LENGTH);
            rig.send(1, source);
            rig.deregister(source);
            return rig::transmit;
        }, OneTerminateTest::assertOneTerminate);
    }

    /** The receiving thread finds an offence while the transmitting thread looks for something to send. */
    @Test
    void shouldKnowThatTheTerminateIsSentHoweverEarlyItWent() throws Exception {
        play(rig -> () -> {
            for (int i = 0; i < 1000 && rig.stream().outbound().stage() != OutboundStream.Stage.SILENT; i++) {
                rig.transmit();
            }
        }, OneTerminateTest::assertEnded);
    }
}
