package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;

/**
 * Frames at random, and frames with bytes changed, at random choppings: whatever comes, there is an outcome, no exception, and no byte is
 * asked for beyond the frame ({@link Chopped#feed} checks that).
 */
class HandshakeFuzzTest {
    private static final int ROUNDS = 20_000;
    private static final int[] REVISIONS = { 0, 1, 2, 2, 2, 2, 3, 255 };
    private static final int[] LENGTHS = { 0, 1, 3, 4, 5, 20, 511, 512, 513, 0xFFFF };

    private final Map<Handshake.State, Integer> outcomes = new EnumMap<>(Handshake.State.class);

    @Test
    void shouldComeToAnOutcomeWhateverIsReplied() {
        rounds(this::playInitiator);
        assertAll(Handshake.State.AGREED, Handshake.State.REJECTED, Handshake.State.FAILED);
    }

    @Test
    void shouldComeToAnOutcomeWhateverIsRequested() {
        rounds(this::playResponder);
        assertAll(Handshake.State.AGREED, Handshake.State.REJECTED, Handshake.State.FAILED);
    }

    private interface Round {
        Handshake play(Random random);
    }

    private void rounds(Round round) {
        long seed = System.nanoTime();
        for (int i = 0; i < ROUNDS; i++) {
            try {
                outcomes.merge(round.play(new Random(seed + i)).state(), 1, Integer::sum);
            } catch (RuntimeException | Error e) {
                throw new AssertionError("round of seed " + (seed + i), e);
            }
        }
    }

    /** Each outcome comes up often, and no state that is none is left over. */
    private void assertAll(Handshake.State... expected) {
        for (Handshake.State state : expected) {
            assertTrue(outcomes.getOrDefault(state, 0) > ROUNDS / 100, outcomes::toString);
        }
        assertEquals(expected.length, outcomes.size(), outcomes::toString);
    }

    private static Terms terms(Random random) {
        return new Terms(random.nextInt(1, 3), random.nextBoolean(), random.nextInt(129), random.nextInt(129),
                new byte[random.nextInt(0, 509)]);
    }

    private static IntSupplier pieces(Random random) {
        int most = 1 << random.nextInt(10);
        return () -> random.nextInt(1, most + 1);
    }

    private Handshake playInitiator(Random random) {
        Terms terms = terms(random);
        InitiatorHandshake initiator = new InitiatorHandshake(terms);
        Chopped.drain(initiator, pieces(random));
        feed(initiator, stream(false, random), random);
        if (initiator.state() == Handshake.State.SENDING) {
            // A Terminate.
            Chopped.drain(initiator, pieces(random));
            assertEquals(Handshake.State.FAILED, initiator.state());
        }
        if (initiator.state() == Handshake.State.AGREED) {
            Agreement agreement = initiator.agreement();
            assertEquals(terms.ird(), agreement.ird());
            assertTrue(agreement.ord() >= 0 && agreement.ord() <= terms.ord(), agreement::toString);
            assertTrue(agreement.privateData().length <= 512, agreement::toString);
        } else if (initiator.state() == Handshake.State.REJECTED) {
            assertTrue(initiator.rejectedIrd().orElse(0) >= 0 && initiator.rejectedIrd().orElse(0) < 0x3FFF);
            assertTrue(initiator.rejectedOrd().orElse(0) >= 0 && initiator.rejectedOrd().orElse(0) < 0x3FFF);
        }
        return initiator;
    }

    private Handshake playResponder(Random random) {
        ResponderHandshake responder = new ResponderHandshake();
        feed(responder, stream(true, random), random);
        if (responder.state() == Handshake.State.REQUESTED) {
            assertTrue(responder.remoteIrd() >= 0 && responder.remoteIrd() <= 0x3FFF);
            assertTrue(responder.remoteOrd() >= 0 && responder.remoteOrd() <= 0x3FFF);
            assertTrue(responder.privateData().length <= 512);
            if (random.nextInt(3) == 0) {
                responder.reject(terms(random));
            } else {
                responder.accept(terms(random));
            }
            byte[] reply = Chopped.drain(responder, pieces(random));
            assertTrue(reply.length >= Chopped.START_SIZE && reply.length <= Chopped.START_SIZE + 512, () -> reply.length + " bytes");
        }
        return responder;
    }

    /** Feeds it; a machine that waits for more hears of the end. */
    private static void feed(Handshake machine, byte[] stream, Random random) {
        Chopped.feed(machine, stream, pieces(random));
        if (machine.state() == Handshake.State.RECEIVING) {
            machine.onEndOfStream();
        }
        if (machine.state() == Handshake.State.FAILED) {
            assertTrue(machine.failure().length() > 10, machine.failure());
        }
    }

    private static byte[] stream(boolean request, Random random) {
        byte[] stream;
        if (random.nextInt(8) == 0) {
            stream = new byte[random.nextInt(600)];
            random.nextBytes(stream);
            return stream;
        }
        byte[] data = new byte[LENGTHS[random.nextInt(random.nextInt(4) == 0 ? LENGTHS.length : LENGTHS.length - 2)]];
        random.nextBytes(data);
        if (data.length >= 4 && random.nextBoolean()) {
            // Depths that may agree with ours.
            data[0] &= (byte) 0xC0;
            data[2] &= (byte) 0xC0;
        }
        int flags = random.nextInt(256) & (random.nextInt(4) == 0 ? 0xFF : 0x7F);
        stream = Forge.join(Chopped.frame(request, flags, REVISIONS[random.nextInt(REVISIONS.length)], data), Forge.ready(true));
        for (int changes = random.nextInt(8) - 5; changes > 0; changes--) {
            stream[random.nextInt(Math.min(stream.length, 30))] ^= (byte) (1 << random.nextInt(8));
        }
        return random.nextInt(16) == 0 ? Arrays.copyOf(stream, random.nextInt(stream.length)) : stream;
    }
}
