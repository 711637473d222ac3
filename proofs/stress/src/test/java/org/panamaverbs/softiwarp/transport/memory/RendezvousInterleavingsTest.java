package org.panamaverbs.softiwarp.transport.memory;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;

class RendezvousInterleavingsTest {
    private static final int SIZE = 4;
    private static final byte WRITERS_OWN = -1;

    /** A writer that offers the bytes 1 to 4, and a reader that has a place for twice as many. */
    private static final class Sides {
        private final Rendezvous rendezvous = new Rendezvous();
        private final byte[] source = { 1, 2, 3, 4 };
        private final RegisteredMemory registered = new RegisteredMemory(MemorySegment.ofArray(source), "domain", 0);
        private final byte[] sink = new byte[2 * SIZE];
        private int read;
        private long reported;

        /** A writer that has offered. */
        static Sides offered() {
            Sides sides = new Sides();
            sides.offer();
            return sides;
        }

        void offer() {
            IoVector vector = new IoVector(2);
            SgeCursor cursor = new SgeCursor();
            cursor.wrap(registered, 0, SIZE);
            cursor.describe(vector, SIZE);
            rendezvous.offer(vector);
        }

        void take(int most) {
            IoVector vector = new IoVector(2);
            vector.add(MemorySegment.ofArray(sink), read, Math.min(most, sink.length - read));
            read += (int) rendezvous.take(vector);
        }

        /** Takes the offer back. After that the memory is the writer's own. */
        void revoke() {
            reported += rendezvous.revoke();
            require(rendezvous.isNone(), "it is not taken back");
            overwrite();
        }

        void overwrite() {
            for (int i = 0; i < SIZE; i++) {
                source[i] = WRITERS_OWN;
            }
        }

        void awaitTaken() {
            long taken = rendezvous.reclaim();
            while (taken < 0) {
                Thread.onSpinWait();
                taken = rendezvous.reclaim();
            }
            reported += taken;
        }

        /** The bytes that the reader has are those that the writer is told of, each in its place. */
        void requireEachTakenOnce() {
            for (byte value : sink) {
                require(value != WRITERS_OWN, "the reader touches memory that is the writer's own");
            }
            require(rendezvous.isNone(), "there is something left to take back");
            require(read == reported, "the writer is told of other bytes than were taken");
            for (int i = 0; i < sink.length; i++) {
                require(sink[i] == (i < read ? i % SIZE + 1 : 0), "a byte is not in its place");
            }
        }
    }

    @Test
    void shouldNotTouchMemoryThatWasTakenBack() {
        Interleavings.of(Sides::offered).thread(Sides::revoke).thread(sides -> sides.take(SIZE)).check(sides -> {
            sides.take(SIZE);
            sides.requireEachTakenOnce();
        });
    }

    @Test
    void shouldTakeEachByteOnceInPieces() {
        Interleavings.of(Sides::offered).thread(Sides::revoke).thread(sides -> {
            sides.take(3);
            sides.take(3);
        }).check(Sides::requireEachTakenOnce);
    }

    @Test
    void shouldTakeEachByteOfTwoOffersOnce() {
        Interleavings.of(Sides::offered).thread(sides -> {
            sides.awaitTaken();
            sides.offer();
            sides.revoke();
        }).thread(sides -> {
            sides.take(3);
            sides.take(SIZE);
            sides.take(SIZE);
        }).check(Sides::requireEachTakenOnce);
    }

    /** A deregistration waits for no peer, and no peer touches the memory after it. */
    @Test
    void shouldNotTouchMemoryThatIsRetired() {
        Interleavings.of(Sides::offered).thread(sides -> {
            require(sides.registered.retire(), "it is retired already");
            sides.overwrite();
        }).thread(sides -> sides.take(SIZE)).check(sides -> {
            sides.reported = sides.rendezvous.revoke();
            sides.requireEachTakenOnce();
        });
    }
}
