package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Which thread leads an event loop, and which others have an interest in that: one word.
 *
 * <pre>
 * LED            a thread leads
 * BY_PROGRESS    with LED: the progress thread leads
 * WANTED         a thread that polls or waits wants to lead: the progress thread steps back
 * HANDED_BACK    the progress thread is to lead at once
 * the rest       the number of followers: threads that wait for what another thread brings
 *
 * event                                    changes the word                caused by that
 * tryLead() of a poller or waiter          LED, if not LED, no follower
 * tryLeadForAll()                          LED, by the progress thread also BY_PROGRESS, if not LED
 * want()                                   WANTED, if LED BY_PROGRESS,     true if it was not WANTED before: the caller wakes the
 *                                          no follower                     progress thread
 * stepsBack() of the progress thread       not WANTED, if followers        true if WANTED and no follower: it cedes
 * cede()                                   not LED, not BY_PROGRESS        true if there are followers: hand back
 * follow()                                 one follower more               true if no thread led: hand back
 * unfollow()                               one follower less
 * handBack()                               HANDED_BACK                     the caller wakes the progress thread
 * takeBack() of the progress thread        not WANTED, not HANDED_BACK; and LED, BY_PROGRESS, if no thread led
 * </pre>
 *
 * <p>Each change is one atomic instruction, whose result tells what was there before it: a thread that follows just when another one cedes
 * either finds that nobody leads, or is found by the thread that cedes. So one of the two hands back, and no waiter is left alone.
 *
 * <p>{@link #want()} looks at the word before it changes it. If the progress thread cedes in between, WANTED stays until that thread takes
 * back: it does no harm, since the progress thread does not sleep before.
 */
final class Leadership {
    private static final int LED = 1;
    private static final int BY_PROGRESS = 1 << 1;
    private static final int WANTED = 1 << 2;
    private static final int HANDED_BACK = 1 << 3;
    private static final int FOLLOWER = 1 << 4;
    private static final VarHandle WORD = Fields.of(MethodHandles.lookup(), "word", int.class);
    private static final VarHandle LEADER = Fields.of(MethodHandles.lookup(), "leader", Thread.class);

    private final Thread progressThread;
    private volatile int word;
    /** The thread that leads, for its own question whether it does: another thread may see it late. */
    @SuppressWarnings("unused") // by the handle
    private Thread leader;

    Leadership(Thread progressThread) {
        this.progressThread = progressThread;
    }

    private static boolean hasFollowers(int seen) {
        return seen >= FOLLOWER;
    }

    /** Makes the calling thread, which polls or waits, the leader; {@code false} if a thread leads, others wait, or the word changes. */
    boolean tryLead() {
        int seen = word;
        return (seen & LED) == 0 && !hasFollowers(seen) && lead(seen, seen | LED);
    }

    /** Makes the progress thread, or one that runs tasks only, the leader; {@code false} if a thread leads. */
    boolean tryLeadForAll() {
        int bits = Thread.currentThread() == progressThread ? LED | BY_PROGRESS : LED;
        int seen = word;
        while ((seen & LED) == 0) {
            if (lead(seen, seen | bits)) {
                return true;
            }
            seen = word;
        }
        return false;
    }

    private boolean lead(int seen, int next) {
        if (!WORD.compareAndSet(this, seen, next)) {
            return false;
        }
        LEADER.setOpaque(this, Thread.currentThread());
        return true;
    }

    /** The leader stops; {@code true} if threads wait that do not lead. */
    boolean cede() {
        LEADER.setOpaque(this, null);
        int bits = Thread.currentThread() == progressThread ? LED | BY_PROGRESS : LED;
        return hasFollowers((int) WORD.getAndAdd(this, -bits));
    }

    /** Whether the calling thread leads. */
    boolean isLeader() {
        return (Thread) LEADER.getOpaque(this) == Thread.currentThread();
    }

    /** Asks the progress thread to step back; {@code true} if it leads and was not asked before: then it is to be woken. */
    boolean want() {
        int seen = word;
        return (seen & (LED | BY_PROGRESS | WANTED)) == (LED | BY_PROGRESS) && !hasFollowers(seen)
                && ((int) WORD.getAndBitwiseOr(this, WANTED) & WANTED) == 0;
    }

    /** Whether the progress thread leads. */
    boolean isLedByProgress() {
        return (word & BY_PROGRESS) != 0;
    }

    /** Whether the progress thread, which leads, is to step back. Not while threads wait: then it leads for all. */
    boolean stepsBack() {
        int seen = word;
        if ((seen & WANTED) == 0) {
            return false;
        }
        if (hasFollowers(seen)) {
            WORD.getAndBitwiseAnd(this, ~WANTED);
            return false;
        }
        return true;
    }

    /** Whether threads wait that do not lead. */
    boolean hasFollowers() {
        return hasFollowers(word);
    }

    /** The calling thread waits for what a leader brings; {@code true} if there may be none that goes on: then hand back. */
    boolean follow() {
        int before = (int) WORD.getAndAdd(this, FOLLOWER);
        return (before & LED) == 0;
    }

    /** The calling thread waits no more. */
    void unfollow() {
        WORD.getAndAdd(this, -FOLLOWER);
    }

    /** The progress thread is to lead at once. */
    void handBack() {
        WORD.getAndBitwiseOr(this, HANDED_BACK);
    }

    /** Whether the progress thread is to lead at once. */
    boolean isHandedBack() {
        return (word & HANDED_BACK) != 0;
    }

    /**
     * Makes the progress thread the leader for good; what was asked of it before is done. If another thread leads just now, that one hands
     * back when it cedes and threads wait.
     *
     * @return {@code false} if another thread leads
     */
    boolean takeBack() {
        while (true) {
            int seen = word;
            int next = seen & ~(WANTED | HANDED_BACK);
            if ((seen & LED) == 0) {
                if (lead(seen, next | LED | BY_PROGRESS)) {
                    return true;
                }
            } else if (seen == next || WORD.compareAndSet(this, seen, next)) {
                return false;
            }
        }
    }
}
