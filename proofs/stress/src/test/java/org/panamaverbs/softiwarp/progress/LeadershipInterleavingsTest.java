package org.panamaverbs.softiwarp.progress;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;

class LeadershipInterleavingsTest {
    /** Uses its leadership as {@link EventLoop} does. The thread that makes this is the progress thread. */
    private static final class Loop {
        private final Leadership leadership = new Leadership(Thread.currentThread());
        private final AtomicBoolean led = new AtomicBoolean();
        /** A thread has woken the progress thread. */
        private final AtomicBoolean woken = new AtomicBoolean();

        private void turn() {
            require(led.compareAndSet(false, true), "two threads lead");
            require(leadership.isLeader(), "the leader does not know that it leads");
            led.set(false);
        }

        private void cede() {
            boolean followed = leadership.cede();
            require(!leadership.isLeader(), "a thread that has ceded takes itself for the leader");
            if (followed) {
                handBack();
            }
        }

        private void handBack() {
            leadership.handBack();
            woken.set(true);
        }

        /** Does as {@code drive()} does; returns whether it led. */
        boolean drive() {
            if (leadership.tryLead()) {
                turn();
                cede();
                return true;
            }
            if (leadership.want()) {
                woken.set(true);
            }
            return false;
        }

        /** Does as {@code call} does while its task has not run. */
        void call() {
            if (leadership.tryLeadForAll()) {
                turn();
                cede();
            }
        }

        /** Does as a thread does before it waits. */
        void follow() {
            if (leadership.follow()) {
                handBack();
            }
        }

        /** Does as the progress thread's {@code run()} does, until that leads for good or sleeps. */
        void progress() {
            boolean again = true;
            while (again) {
                again = round();
            }
        }

        private boolean round() {
            if (leadership.takeBack()) {
                turn();
                if (!leadership.stepsBack()) {
                    return false;
                }
                if (leadership.cede()) {
                    return true;
                }
            }
            // As watch() does.
            if (!leadership.isHandedBack() && leadership.tryLeadForAll()) {
                turn();
                if (leadership.cede()) {
                    return true;
                }
            }
            return leadership.isHandedBack();
        }

        /** A waiting thread relies on the progress thread. So that thread leads, or another one has told it to lead. */
        void requireNobodyAlone() {
            require(leadership.hasFollowers(), "a follower is not counted");
            require(leadership.isLedByProgress() || leadership.isHandedBack() && woken.get(), "a thread that waits is left alone");
        }
    }

    @Test
    void shouldLeaveNoFollowerAloneWhenAPollerCedes() {
        Interleavings.of(Loop::new).thread(Loop::follow).thread(Loop::drive).check(Loop::requireNobodyAlone);
    }

    @Test
    void shouldLeaveNoFollowerAloneWhenTheProgressThreadStepsBack() {
        Interleavings.of(Loop::new).thread(Loop::progress).thread(Loop::follow).thread(Loop::drive).check(Loop::requireNobodyAlone);
    }

    @Test
    void shouldLeaveNoFollowerAloneWhenAThreadRanItsOwnTask() {
        Interleavings.of(Loop::new).thread(Loop::progress).thread(Loop::follow).thread(Loop::call).check(Loop::requireNobodyAlone);
    }

    @Test
    void shouldLeaveNoFollowerAloneWhenAnotherOneGoes() {
        Interleavings.of(() -> {
            Loop loop = new Loop();
            loop.follow();
            return loop;
        }).thread(Loop::progress).thread(Loop::follow).thread(loop -> {
            loop.leadership.unfollow();
            loop.drive();
        }).check(Loop::requireNobodyAlone);
    }

    @Test
    void shouldHaveOneLeader() {
        Interleavings.of(Loop::new).thread(Loop::progress).thread(Loop::drive).thread(Loop::call)
                .check(loop -> require(!loop.leadership.hasFollowers(), "a follower that is gone is still counted"));
    }

    @Test
    void shouldKnowItselfAsLeaderAsSoonAsAnotherOneCedes() {
        Interleavings.of(Loop::new).thread(Loop::drive).thread(Loop::drive).check(loop -> require(loop.drive(), "a thread still leads"));
    }

    /** A follower that is not counted is left alone. One that is counted too often keeps pollers from leading forever. */
    @Test
    void shouldCountFollowersWhileTheyHandBack() {
        Interleavings.of(() -> {
            Loop loop = new Loop();
            loop.follow();
            return loop;
        }).thread(loop -> loop.leadership.unfollow()).thread(loop -> {
            loop.follow();
            loop.leadership.unfollow();
        }).check(loop -> require(!loop.leadership.hasFollowers(), "a follower that is gone is still counted"));
    }

    @Test
    void shouldCountFollowersWhileTheProgressThreadCannotTakeBack() {
        Interleavings.of(() -> {
            Loop loop = new Loop();
            require(loop.leadership.tryLead(), "a thread leads already");
            loop.handBack();
            return loop;
        }).thread(loop -> require(!loop.leadership.takeBack(), "two threads lead")).thread(Loop::follow).check(loop -> {
            require(loop.leadership.hasFollowers(), "a follower is not counted");
            loop.leadership.unfollow();
            require(!loop.leadership.hasFollowers(), "a follower that is gone is still counted");
        });
    }

    /** A progress thread that leads sleeps in epoll. If nobody woke it, a poller would poll in vain forever. */
    @Test
    void shouldStepBackForAPoller() {
        Interleavings.of(() -> {
            Loop loop = new Loop();
            require(loop.leadership.takeBack(), "a thread leads already");
            return loop;
        }).thread(loop -> {
            while (!loop.leadership.stepsBack()) {
                while (!loop.woken.getAndSet(false)) {
                    Thread.onSpinWait();
                }
            }
            loop.cede();
        }).thread(loop -> {
            while (!loop.drive()) {
                Thread.onSpinWait();
            }
        }).check(loop -> require(!loop.leadership.isHandedBack(), "the loop is handed back for nobody"));
    }
}
