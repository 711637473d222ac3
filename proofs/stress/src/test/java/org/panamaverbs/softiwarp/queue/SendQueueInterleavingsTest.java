package org.panamaverbs.softiwarp.queue;

import static org.panamaverbs.CompletionStatus.FLUSHED;
import static org.panamaverbs.CompletionStatus.SUCCESS;
import static org.panamaverbs.softiwarp.Interleavings.require;

import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.Interleavings;
import org.panamaverbs.spi.SendWorkRequest;

class SendQueueInterleavingsTest {
    /** A queue of two slots. The requests 100 and 101 are posted, with the sequence numbers 0 and 1. */
    private static final class Posted {
        private final Completed completed = new Completed(4);
        private final SendQueue queue = new SendQueue(2, 1, 0, null, true, completed.ring, Origin.of(7));
        private boolean third;

        Posted() {
            this(SendQueue.Operation.SEND);
        }

        Posted(SendQueue.Operation first) {
            post(first, 100, 0);
            post(101, 0);
        }

        /** Posts a request if a slot is free. */
        boolean post(long id, int flags) {
            return post(SendQueue.Operation.SEND, id, flags);
        }

        private boolean post(SendQueue.Operation operation, long id, int flags) {
            long sequence = queue.claim(id);
            if (sequence < 0) {
                return false;
            }
            queue.describe(sequence, operation, 0, 0, 0, flags);
            queue.publish(sequence);
            return true;
        }

        void postThird() {
            third = post(102, 0);
        }

        /** The transmitting thread has sent a request. */
        void send(long sequence) {
            queue.described(sequence, sequence + 1);
            require(queue.sent(sequence + 1), "the completion queue overran");
        }

        void complete(long sequence, CompletionStatus status) {
            queue.done(sequence, status, 0);
            require(queue.retireDone(), "the completion queue overran");
        }

        void completeBoth() {
            complete(0, SUCCESS);
            complete(1, SUCCESS);
            completed.requireNext(100, SUCCESS.value(), 101, SUCCESS.value());
        }
    }

    @Test
    void shouldCompleteEachRequestOnceAndInOrder() {
        Interleavings.of(Posted::new).thread(posted -> posted.complete(0, SUCCESS)).thread(posted -> posted.complete(1, FLUSHED))
                .check(posted -> posted.completed.requireNext(100, SUCCESS.value(), 101, FLUSHED.value()));
    }

    /** The receiving thread completes a Read, the transmitting thread the Send behind it. */
    @Test
    void shouldCompleteInOrderWhatIsAnsweredAndWhatIsSent() {
        Interleavings.of(() -> new Posted(SendQueue.Operation.READ)).thread(posted -> posted.complete(0, SUCCESS))
                .thread(posted -> posted.send(1)).thread(Posted::postThird).check(posted -> {
                    posted.completed.requireNext(100, SUCCESS.value(), 101, SUCCESS.value());
                    require(posted.queue.retired() == 2, "the third request is done");
                    if (posted.third) {
                        posted.send(2);
                        posted.completed.requireNext(102, SUCCESS.value());
                    }
                });
    }

    /** The third request takes the slot of the first one as soon as that completes. */
    @Test
    void shouldCompleteWithTheRightNumberWhileItsSlotIsTakenAgain() {
        Interleavings.of(Posted::new).thread(posted -> posted.complete(0, SUCCESS)).thread(posted -> posted.complete(1, FLUSHED))
                .thread(Posted::postThird).check(posted -> {
                    posted.completed.requireNext(100, SUCCESS.value(), 101, FLUSHED.value());
                    require(posted.queue.retired() == 2, "the third request is done");
                });
    }

    @Test
    void shouldLeaveTheNextRequestOfASlotAloneWhenALateOutcomeComes() {
        Interleavings.of(Posted::new).thread(posted -> posted.complete(0, SUCCESS)).thread(posted -> posted.complete(0, SUCCESS))
                .thread(Posted::postThird).check(posted -> {
                    posted.complete(1, SUCCESS);
                    posted.completed.requireNext(100, SUCCESS.value(), 101, SUCCESS.value());
                    if (posted.third) {
                        posted.complete(2, FLUSHED);
                        posted.completed.requireNext(102, FLUSHED.value());
                    }
                });
    }

    /** The two outcomes may be a flush and the end of a Read. */
    @Test
    void shouldCompleteOnceWithOneOfTwoOutcomes() {
        Interleavings.of(Posted::new).thread(posted -> posted.complete(0, SUCCESS)).thread(posted -> posted.complete(0, FLUSHED))
                .check(posted -> {
                    long[] polled = posted.completed.poll(4);
                    require(polled.length == 1 && polled[0] == 100, "it does not complete once");
                });
    }

    /** A program that polls a completion may post the next request at once. */
    @Test
    void shouldHaveAFreeSlotAsSoonAsACompletionIsThere() {
        Interleavings.of(Posted::new).thread(posted -> posted.complete(0, SUCCESS)).thread(posted -> {
            if (posted.completed.poll(1).length > 0) {
                require(posted.post(102, 0), "a completed request keeps its slot");
            }
        }).check(posted -> require(posted.queue.retired() == 1, "the first request is not done"));
    }

    @Test
    void shouldGiveEachOfTwoPostersASlot() {
        Interleavings.of(() -> {
            Posted posted = new Posted();
            posted.completeBoth();
            return posted;
        }).thread(posted -> require(posted.post(102, 0), "a slot is lost")).thread(posted -> require(posted.post(103, 0), "a slot is lost"))
                .check(posted -> {
                    require(!posted.post(104, 0), "two requests share a slot");
                    require(posted.queue.id(2) + posted.queue.id(3) == 205, "a request has another number");
                });
    }

    @Test
    void shouldNotTakeBackTheDoorbell() {
        Interleavings.of(() -> {
            Posted posted = new Posted();
            posted.completeBoth();
            return posted;
        }).thread(posted -> {
            posted.post(102, SendWorkRequest.MORE);
            posted.queue.ringDoorbell();
        }).thread(posted -> posted.post(103, 0)).check(posted -> require(posted.queue.doorbell() == 4, "a request would wait forever"));
    }
}
