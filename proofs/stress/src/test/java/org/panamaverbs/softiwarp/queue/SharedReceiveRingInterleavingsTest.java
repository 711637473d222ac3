package org.panamaverbs.softiwarp.queue;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.Interleavings;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;

class SharedReceiveRingInterleavingsTest {
    /** A ring and two streams that take from it. The receives have the numbers 1, 2 and so on, and as many bytes. */
    private static final class Shared {
        private final RegisteredMemory memory = new RegisteredMemory(MemorySegment.ofArray(new byte[8]), "domain", 0);
        private final Completed completed = new Completed(2);
        private final AtomicInteger told = new AtomicInteger();
        private final SharedReceiveRing ring;
        private final Stream one;
        private final Stream other;

        /** A ring that is full. */
        Shared(int depth) {
            ring = new SharedReceiveRing(depth, 1, told::incrementAndGet);
            one = new Stream(this);
            other = new Stream(this);
            for (int id = 1; id <= depth; id++) {
                post(id);
            }
        }

        /** Posts a receive if there is a place for it. */
        void post(int id) {
            long sequence = ring.claim(id);
            if (sequence >= 0) {
                ring.element(sequence, memory, 0, id);
                ring.publish(sequence);
            }
        }

        void requireToldOnce() {
            require(told.get() > 0, "a program is not told");
            require(told.get() < 2, "it is told twice");
        }
    }

    private static final class Stream {
        private final Completed completed;
        private final Receives receives;
        private final SgeCursor memory = new SgeCursor();
        private boolean taken;

        Stream(Shared shared) {
            completed = shared.completed;
            receives = shared.ring.forStream(completed.ring, Origin.of(7));
        }

        void take() {
            taken = receives.take(memory);
        }

        /** Completes the receive that it has taken; returns its number. */
        long complete() {
            require(taken, "a receive is lost");
            receives.complete(CompletionStatus.SUCCESS, 0, 0, false, false, 0);
            long id = completed.poll(1)[0];
            require(memory.remaining() == id, "a receive has the memory of another one");
            return id;
        }
    }

    @Test
    void shouldGiveEachReceiveToOneStream() {
        Interleavings.of(() -> new Shared(2)).thread(shared -> shared.one.take()).thread(shared -> shared.other.take())
                .check(shared -> require(shared.one.complete() + shared.other.complete() == 3, "two streams take one receive"));
    }

    @Test
    void shouldTakeAReceiveWholeWhileItsPlaceIsPostedAgain() {
        Interleavings.of(() -> new Shared(2)).thread(shared -> shared.one.take()).thread(shared -> shared.post(3))
                .check(shared -> require(shared.one.complete() == 1, "a receive is overwritten"));
    }

    @Test
    void shouldTakeAReceiveAsSoonAsItIsPosted() {
        Interleavings.of(() -> {
            Shared shared = new Shared(1);
            shared.one.take();
            return shared;
        }).thread(shared -> shared.other.take()).thread(shared -> shared.post(2)).check(shared -> {
            if (!shared.other.taken) {
                shared.other.take();
            }
            require(shared.one.complete() == 1 && shared.other.complete() == 2, "a receive is lost");
        });
    }

    @Test
    void shouldTellOnceThatTwoStreamsLeaveTooFew() {
        Interleavings.of(() -> {
            Shared shared = new Shared(2);
            shared.ring.armLimit(2);
            return shared;
        }).thread(shared -> shared.one.take()).thread(shared -> shared.other.take()).check(Shared::requireToldOnce);
    }

    @Test
    void shouldTellOnceThatThereAreTooFewWhenTheLimitIsSet() {
        Interleavings.of(() -> new Shared(1)).thread(shared -> shared.ring.armLimit(1)).thread(shared -> shared.one.take())
                .check(Shared::requireToldOnce);
    }

    @Test
    void shouldNotForgetALimitThatIsSetWhileTheOneBeforeIsReached() {
        Interleavings.of(() -> {
            Shared shared = new Shared(2);
            shared.ring.armLimit(2);
            return shared;
        }).thread(shared -> shared.one.take()).thread(shared -> shared.ring.armLimit(1)).check(shared -> {
            int before = shared.told.get();
            shared.other.take();
            require(shared.told.get() == before + 1, "the second limit is forgotten");
        });
    }
}
