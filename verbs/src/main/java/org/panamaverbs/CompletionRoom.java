package org.panamaverbs;

/**
 * The room in a completion queue that several queue pairs share. A queue that overruns breaks, and all its queue pairs with it. So each queue
 * pair takes as many entries as it can have completions outstanding, before it is created, and gives them back after it was closed.
 *
 * {@snippet :
 * CompletionRoom room = CompletionRoom.growing(queue);
 * int entries = sendDepth + receiveDepth;
 * if (!room.tryTake(entries)) {
 *     throw new IllegalStateException("too many connections");
 * }
 * QueuePair pair = create(queue, sendDepth, receiveDepth);
 * // The thread that takes completions, after each poll:
 * room.polled(queue.poll(completions) < batch);
 * // In the end, on any thread:
 * pair.close();
 * room.giveBack(entries);
 * }
 *
 * <p>The last completions of a queue pair may still be in the queue when it is closed. Its entries are free once a poll that began later has
 * emptied the queue, so that thread has to call {@link #polled}. All other methods may be called by any thread. No method waits, and only one
 * that resizes the queue allocates.
 */
// Tested by CompletionRoomTest, StreamLoopTest.
public final class CompletionRoom {
    /** The queue becomes smaller if less than this part of it is taken. */
    private static final int SPARSE = 4;

    private final CompletionQueue queue;
    /** The most entries, if the queue keeps its size. */
    private final int most;
    private final boolean grows;
    /** The queue never becomes smaller than this. */
    private final int least;

    // Guarded by this object.
    private int taken;
    /** Entries that were given back after the last poll, or during it. */
    private int leaving;
    /** Entries that were given back before the last poll. */
    private int gone;
    /** Whether there are any of either kind; the thread that polls asks without the lock. */
    private volatile boolean isLeaving;

    private CompletionRoom(CompletionQueue queue, int most, boolean grows) {
        this.queue = queue;
        this.most = most;
        this.grows = grows;
        least = queue.capacity();
    }

    /**
     * The room of a queue that keeps its size.
     *
     * @param queue   of the program
     * @param entries how many of its entries there are to take, at most: 0 to {@link CompletionQueue#capacity()}
     * @return the room, of which nothing is taken
     * @throws IllegalArgumentException for a number beyond the capacity
     */
    public static CompletionRoom of(CompletionQueue queue, int entries) {
        if (entries < 0 || entries > queue.capacity()) {
            throw new IllegalArgumentException("the queue has " + queue.capacity() + " entries, not " + entries);
        }
        return new CompletionRoom(queue, entries, false);
    }

    /**
     * The room of a queue that becomes larger when it is needed, up to the limit of the device, and then smaller again, but not smaller than
     * it is now. On a device without {@link Capability#RESIZE_COMPLETION_QUEUE} it keeps its size.
     *
     * @param queue of the program; nobody else resizes it
     * @return the room, of which nothing is taken
     */
    public static CompletionRoom growing(CompletionQueue queue) {
        return new CompletionRoom(queue, queue.capacity(), queue.device().supports(Capability.RESIZE_COMPLETION_QUEUE));
    }

    /**
     * Takes entries for a queue pair.
     *
     * @param entries as many completions as it can have outstanding: the sum of its depths. 0 or more
     * @return {@code false} if there are not so many: nothing is taken
     * @throws IllegalArgumentException for a negative number
     * @throws ResourceException        if memory runs out for a larger queue: nothing is taken
     * @throws SystemException          if the device refuses to resize the queue: nothing is taken
     * @throws ClosedException          if the queue is to be resized, and is closed
     */
    public synchronized boolean tryTake(int entries) {
        checkCount(entries);
        if (entries > (grows ? queue.capacity() : most) - taken && !grow((long) taken + entries)) {
            return false;
        }
        taken += entries;
        return true;
    }

    private boolean grow(long needed) {
        if (!grows || needed > queue.device().attributes().maximumCompletionQueueEntries()) {
            return false;
        }
        queue.resize((int) Math.min(queue.device().attributes().maximumCompletionQueueEntries(), Math.max(needed, 2L * queue.capacity())));
        return true;
    }

    /**
     * Gives entries back.
     *
     * @param entries those of a queue pair that is closed, or was never created
     * @throws IllegalArgumentException if there are more than were taken
     */
    public synchronized void giveBack(int entries) {
        checkCount(entries);
        if (entries > taken - gone - leaving) {
            throw new IllegalArgumentException((taken - gone - leaving) + " entries are taken, less than " + entries);
        }
        leaving += entries;
        isLeaving = true;
    }

    /**
     * A poll has ended; called by the thread that polls, after each one.
     *
     * @param drained whether it has emptied the queue: it brought fewer completions than it could take
     * @throws SystemException if the device refuses to resize the queue
     * @throws ClosedException if the queue is to be resized, and is closed
     */
    public void polled(boolean drained) {
        if (isLeaving) {
            free(drained);
        }
    }

    private synchronized void free(boolean drained) {
        int freed = drained ? gone : 0;
        taken -= freed;
        gone += leaving - freed;
        leaving = 0;
        isLeaving = gone > 0;
        if (grows && freed > 0) {
            shrink();
        }
    }

    /** Gives back memory of a queue that has grown. A device may round sizes up: the half counts. */
    private void shrink() {
        int entries = queue.capacity();
        while (entries / 2 >= least && taken < entries / SPARSE) {
            entries /= 2;
        }
        if (entries < queue.capacity()) {
            try {
                queue.resize(entries);
            } catch (ResourceException e) {
                // There is no memory for a smaller one beside it: it stays as it is.
            }
        }
    }

    /**
     * How many entries are not free.
     *
     * @return those that were taken, but for those of closed queue pairs whose completions are all polled
     */
    public synchronized int taken() {
        return taken;
    }

    private static void checkCount(int entries) {
        if (entries < 0) {
            throw new IllegalArgumentException("a number of entries is 0 or more, not " + entries);
        }
    }
}
