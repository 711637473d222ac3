package org.panamaverbs.ddp.sctp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** Two sides over a pipe that shuffles the messages under way: placement in any order, delivery in the order of submission. */
class ShuffledPipeTest {
    private static final int REGION = 1 << 16;
    private static final int UNTAGGED = 8000;

    private record Message(byte[] bytes, int protocol) {
    }

    /** One side: what it has still to send, what it sends to, and what it received. */
    private static final class Side {
        private final Random random;
        private final Outbound out;
        private final Session session;
        private final DdpTransmitter transmitter;
        private final MessageReader reader;
        private final Recorder recorder;
        private final MemorySegment source;
        /** The words that the peer's recorder must say, and the bytes that its region must hold. */
        private final List<String> expected = new ArrayList<>();
        private final MemorySegment model = MemorySegment.ofArray(new byte[REGION]);
        private final List<Message> underWay = new ArrayList<>();
        private int left;
        /** How many messages have overtaken the first one under way. */
        private int held;
        private boolean tagged;
        private int queue;
        private int octet;
        private int word;
        private long at;
        private long sourceAt;

        private Side(boolean active, Random random, Arena arena, int messages) {
            this.random = random;
            out = new Outbound(arena);
            session = active ? new ActiveSession(out, new byte[] { 1 }) : new PassiveSession(out);
            reader = new MessageReader(session, 1024, 1 << 21, arena);
            recorder = new Recorder(arena, REGION, UNTAGGED);
            reader.bind(new DdpReceiver(recorder, Recorder.QUEUES));
            transmitter = new DdpTransmitter(new SctpSegments(out, session, 516 + random.nextInt(2000)), Recorder.QUEUES);
            source = arena.allocate(UNTAGGED * 2);
            source.copyFrom(MemorySegment.ofArray(bytes(random, UNTAGGED * 2)));
            left = messages;
        }

        private static byte[] bytes(Random random, int length) {
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            return bytes;
        }

        /** Sends what there is to send, as long as fewer messages are under way than the peer's window takes. */
        private void transmit() {
            while (underWay.size() < 40 && random.nextInt(50) != 0 && fill()) {
                send();
            }
        }

        private boolean fill() {
            if (!session.pollTransmit().isEmpty()) {
                return true;
            } else if (!session.isOpen()) {
                return false;
            } else if (transmitter.isInMessage()) {
                segment();
                return true;
            } else if (left == 0) {
                session.terminate();
                return !session.pollTransmit().isEmpty();
            }
            left--;
            begin();
            segment();
            return true;
        }

        private void begin() {
            tagged = random.nextBoolean();
            octet = random.nextInt(256);
            word = random.nextInt();
            queue = random.nextInt(Recorder.QUEUES);
            int length = random.nextInt(10) == 0 ? 0 : random.nextInt(UNTAGGED);
            at = random.nextInt(REGION - UNTAGGED);
            sourceAt = random.nextInt(UNTAGGED);
            if (tagged) {
                transmitter.message().tagged(octet, Recorder.STAG, at);
            } else {
                transmitter.message().untagged(octet, word, queue);
                expected.add(Recorder.untagged(queue, octet, word, source.asSlice(sourceAt, length).toArray(ValueLayout.JAVA_BYTE)));
            }
            transmitter.message().source().wrap(source, sourceAt, length);
            transmitter.begin();
        }

        private void segment() {
            long before = transmitter.message().source().position();
            DdpTransmitter.Outcome outcome = transmitter.sendSegment();
            assertTrue(outcome == DdpTransmitter.Outcome.LAST || outcome == DdpTransmitter.Outcome.MORE);
            if (tagged) {
                expected.add(Recorder.tagged(octet, outcome == DdpTransmitter.Outcome.LAST, transmitter.payload()));
                MemorySegment.copy(source, sourceAt + before, model, at + before, transmitter.payload());
            }
        }

        /** Puts a control message under way, if there is one to send. */
        private void fillControl() {
            if (!session.pollTransmit().isEmpty()) {
                send();
            }
        }

        private void send() {
            underWay.add(new Message(out.memory().asSlice(0, out.length()).toArray(ValueLayout.JAVA_BYTE), out.protocol()));
            out.onSent();
        }

        /** Puts a whole tagged message under way. */
        private void write(int offset, int length) {
            tagged = true;
            octet = 1;
            at = offset;
            sourceAt = random.nextInt(UNTAGGED);
            transmitter.message().tagged(octet, Recorder.STAG, at);
            transmitter.message().source().wrap(source, sourceAt, length);
            transmitter.begin();
            while (transmitter.isInMessage()) {
                segment();
                send();
            }
        }

        /** Receives one of the messages under way, any of the first ones: the first is never held for ever. */
        private boolean receive(Side peer) {
            if (peer.underWay.isEmpty()) {
                return false;
            }
            int index = held > 25 ? 0 : random.nextInt(Math.min(20, peer.underWay.size()));
            held = index == 0 ? 0 : held + 1;
            Message message = peer.underWay.remove(index);
            assertEquals(TerminateCode.NONE, Chunks.feed(reader, message.bytes(), message.protocol()),
                    () -> session.state() == Session.State.FAILED ? session.failure() : "");
            if (session.state() == Session.State.REQUESTED) {
                ((PassiveSession) session).accept(new byte[] { 2 });
            }
            return true;
        }
    }

    /** Writes to the same place may overtake each other (RFC 5041, 5.3): what the region holds is the other test's. */
    @Test
    @Requirement("RFC5041-3-f")
    void shouldDeliverInTheOrderOfSubmission() {
        long seed = System.nanoTime();
        long ahead = 0;
        long kept = 0;
        for (int round = 0; round < 200; round++) {
            try (Arena arena = Arena.ofConfined()) {
                Random random = new Random(seed + round);
                Side active = new Side(true, random, arena, 1 + random.nextInt(60));
                Side passive = new Side(false, random, arena, 1 + random.nextInt(60));
                run(active, passive, random);
                ahead += active.reader.placedAhead() + passive.reader.placedAhead();
                kept += active.reader.waited() + passive.reader.waited();
            } catch (RuntimeException | Error e) {
                throw new AssertionError("round of seed " + (seed + round), e);
            }
        }
        assertTrue(ahead > 1000 && kept > 1000, ahead + " placed ahead, " + kept + " kept");
    }

    private static void run(Side active, Side passive, Random random) {
        int idle = 0;
        while (!(active.session.isOver() && passive.session.isOver()) && idle < 1000) {
            active.transmit();
            passive.transmit();
            boolean moved = random.nextBoolean() ? active.receive(passive) : passive.receive(active);
            idle = moved ? 0 : idle + 1;
            if (idle == 500) {
                // The program of a passive side that heard nothing knows after a while that its Accept has come.
                passive.session.onAcknowledged();
            }
        }
        check(active, passive);
        check(passive, active);
    }

    private static void check(Side sender, Side receiver) {
        assertEquals(Session.State.ENDED, sender.session.state());
        assertEquals(sender.expected, receiver.recorder.delivered);
        assertTrue(receiver.reader.isAtBoundary());
        assertEquals(0, sender.left);
    }

    /** The bytes: each write has a place of its own, and all are there at the end, whatever the order of arrival. */
    @Test
    @Requirement("RFC5041-3-f")
    void shouldPlaceEveryByteWhateverTheOrder() {
        long seed = System.nanoTime();
        for (int round = 0; round < 200; round++) {
            try (Arena arena = Arena.ofConfined()) {
                Random random = new Random(seed + round);
                Side active = new Side(true, random, arena, 0);
                Side passive = new Side(false, random, arena, 0);
                while (passive.session.state() != Session.State.ESTABLISHED || !active.session.isOpen()) {
                    active.fillControl();
                    passive.receive(active);
                    passive.fillControl();
                    active.receive(passive);
                }
                for (int i = 0; i < 8; i++) {
                    active.write(i * UNTAGGED, UNTAGGED);
                }
                while (passive.receive(active)) {
                    // The loop ends when nothing is under way.
                }
                assertEquals(-1, active.model.mismatch(passive.recorder.region()), "seed " + (seed + round));
                assertEquals(active.expected, passive.recorder.delivered);
            }
        }
    }
}
