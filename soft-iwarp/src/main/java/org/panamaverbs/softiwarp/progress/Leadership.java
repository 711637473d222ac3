package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Says which thread leads an event loop, which threads want to lead and how many wait for the leader. One word holds all of that:
 *
 * <pre>
 * LED            a thread leads
 * BY_PROGRESS    with LED: the progress thread leads
 * WANTED         a polling or waiting thread wants to lead: the progress thread steps back
 * HANDED_BACK    the progress thread must lead at once
 * the rest       the number of followers: threads that wait while another thread leads
 *
 * event                                    change of the word              result
 * tryLead() of a poller or waiter          LED, if not LED, no follower    true: the caller leads
 * tryLeadForAll()                          LED, if not LED                 true: the caller leads; BY_PROGRESS if it is that thread
 * want()                                   WANTED, if LED, BY_PROGRESS     true if it was not WANTED before: the caller wakes the
 *                                          and no follower                 progress thread
 * stepsBack() of the progress thread       not WANTED, if followers        true if WANTED and no follower: it cedes
 * cede()                                   not LED, not BY_PROGRESS        true if there are followers: hand back
 * follow()                                 one follower more               true if no thread led: hand back
 * unfollow()                               one follower less
 * handBack()                               HANDED_BACK                     the caller wakes the progress thread
 * takeBack() of the progress thread        not WANTED, not HANDED_BACK;    true: the progress thread leads
 *                                          LED, BY_PROGRESS, if not LED
 * </pre>
 *
 * <p>Each change is one atomic instruction, whose result is the word before the change. If one thread follows while another cedes, either
 * the follower sees that no thread leads, or the ceding thread sees the follower. So one of the two hands back, and no waiting thread is
 * left without a leader.
 *
 * <p>{@link #want()} reads the word before it changes it. If the progress thread cedes in between, WANTED stays until that thread takes
 * back. That does no harm, since the progress thread does not sleep before it has taken back.
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
    /** The thread that leads. Each thread only compares it with itself: it may see the changes of other threads late. */
    @SuppressWarnings("unused") // by the handle
    private Thread leader;

    Leadership(Thread progressThread) {
        this.progressThread = progressThread;
    }

    private static boolean hasFollowers(int seen) {
        return seen >= FOLLOWER;
    }

    /** Makes the calling thread, which polls or waits, the leader; {@code false} if a thread leads, others follow, or the word changes. */
    boolean tryLead() {
        int seen = word;
        return (seen & LED) == 0 && !hasFollowers(seen) && lead(seen, seen | LED);
    }

    /**
     * Makes the calling thread the leader, even if there are followers: for the progress thread, and for threads that only run tasks.
     *
     * @return {@code false} if another thread leads
     */
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

    /** The leader stops leading; {@code true} if there are followers. */
    boolean cede() {
        LEADER.setOpaque(this, null);
        int bits = Thread.currentThread() == progressThread ? LED | BY_PROGRESS : LED;
        return hasFollowers((int) WORD.getAndAdd(this, -bits));
    }

    /** Whether the calling thread leads. */
    boolean isLeader() {
        return (Thread) LEADER.getOpaque(this) == Thread.currentThread();
    }

    /** Asks the progress thread to step back; {@code true} if it leads and was not asked before: then the caller must wake it. */
    boolean want() {
        int seen = word;
        return (seen & (LED | BY_PROGRESS | WANTED)) == (LED | BY_PROGRESS) && !hasFollowers(seen)
                && ((int) WORD.getAndBitwiseOr(this, WANTED) & WANTED) == 0;
    }

    /** Whether the progress thread leads. */
    boolean isLedByProgress() {
        return (word & BY_PROGRESS) != 0;
    }

    /** Whether the progress thread, which leads, must step back. It does not while there are followers: then it leads for all of them. */
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

    /** Whether there are followers. */
    boolean hasFollowers() {
        return hasFollowers(word);
    }

    /** The calling thread waits while another leads; {@code true} if no thread leads: then the caller must hand back. */
    boolean follow() {
        int before = (int) WORD.getAndAdd(this, FOLLOWER);
        return (before & LED) == 0;
    }

    /** The calling thread no longer waits. */
    void unfollow() {
        WORD.getAndAdd(this, -FOLLOWER);
    }

    /** Makes the progress thread lead at once, as soon as the caller has woken it. */
    void handBack() {
        WORD.getAndBitwiseOr(this, HANDED_BACK);
    }

    /** Whether the progress thread must lead at once. */
    boolean isHandedBack() {
        return (word & HANDED_BACK) != 0;
    }

    /**
     * Makes the progress thread the leader for good and clears all earlier requests to it. If another thread leads now, that thread hands
     * back when it cedes, if there are followers.
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
