package org.panamaverbs.softiwarp.progress;

import java.util.concurrent.atomic.AtomicInteger;

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

    private final Thread progressThread;
    /** No {@code VarHandle}: the first call of one allocates at each place, and a leader that cannot cede since the heap is full leads for ever. */
    private final AtomicInteger word = new AtomicInteger();
    /** The thread that leads. Each thread only compares it with itself: it may see the changes of other threads late. */
    private Thread leader;

    Leadership(Thread progressThread) {
        this.progressThread = progressThread;
    }

    private static boolean hasFollowers(int seen) {
        return seen >= FOLLOWER;
    }

    /** Makes the calling thread, which polls or waits, the leader; {@code false} if a thread leads, others follow, or the word changes. */
    boolean tryLead() {
        int seen = word.get();
        return (seen & LED) == 0 && !hasFollowers(seen) && lead(seen, seen | LED);
    }

    /**
     * Makes the calling thread the leader, even if there are followers: for the progress thread, and for threads that only run tasks.
     *
     * @return {@code false} if another thread leads
     */
    boolean tryLeadForAll() {
        int bits = Thread.currentThread() == progressThread ? LED | BY_PROGRESS : LED;
        int seen = word.get();
        while ((seen & LED) == 0) {
            if (lead(seen, seen | bits)) {
                return true;
            }
            seen = word.get();
        }
        return false;
    }

    private boolean lead(int seen, int next) {
        if (!word.compareAndSet(seen, next)) {
            return false;
        }
        leader = Thread.currentThread();
        return true;
    }

    /** The leader stops leading; {@code true} if there are followers. */
    boolean cede() {
        leader = null;
        int bits = Thread.currentThread() == progressThread ? LED | BY_PROGRESS : LED;
        return hasFollowers(word.getAndAdd(-bits));
    }

    /** Whether the calling thread leads. */
    boolean isLeader() {
        return leader == Thread.currentThread();
    }

    /** Asks the progress thread to step back; {@code true} if it leads and was not asked before: then the caller must wake it. */
    boolean want() {
        int seen = word.get();
        return (seen & (LED | BY_PROGRESS | WANTED)) == (LED | BY_PROGRESS) && !hasFollowers(seen) && (getAndSet(WANTED) & WANTED) == 0;
    }

    private int getAndSet(int bit) {
        int seen = word.get();
        while (!word.compareAndSet(seen, seen | bit)) {
            seen = word.get();
        }
        return seen;
    }

    /** Whether the progress thread leads. */
    boolean isLedByProgress() {
        return (word.get() & BY_PROGRESS) != 0;
    }

    /** Whether the progress thread, which leads, must step back. It does not while there are followers: then it leads for all of them. */
    boolean stepsBack() {
        int seen = word.get();
        while ((seen & WANTED) != 0) {
            if (!hasFollowers(seen)) {
                return true;
            }
            if (word.compareAndSet(seen, seen & ~WANTED)) {
                return false;
            }
            seen = word.get();
        }
        return false;
    }

    /** Whether there are followers. */
    boolean hasFollowers() {
        return hasFollowers(word.get());
    }

    /** The calling thread waits while another leads; {@code true} if no thread leads: then the caller must hand back. */
    boolean follow() {
        return (word.getAndAdd(FOLLOWER) & LED) == 0;
    }

    /** The calling thread no longer waits. */
    void unfollow() {
        word.getAndAdd(-FOLLOWER);
    }

    /** Makes the progress thread lead at once, as soon as the caller has woken it. */
    void handBack() {
        getAndSet(HANDED_BACK);
    }

    /** Whether the progress thread must lead at once. */
    boolean isHandedBack() {
        return (word.get() & HANDED_BACK) != 0;
    }

    /**
     * Makes the progress thread the leader for good and clears all earlier requests to it. If another thread leads now, that thread hands
     * back when it cedes, if there are followers.
     *
     * @return {@code false} if another thread leads
     */
    boolean takeBack() {
        while (true) {
            int seen = word.get();
            int next = seen & ~(WANTED | HANDED_BACK);
            if ((seen & LED) == 0) {
                if (lead(seen, next | LED | BY_PROGRESS)) {
                    return true;
                }
            } else if (seen == next || word.compareAndSet(seen, next)) {
                return false;
            }
        }
    }
}
