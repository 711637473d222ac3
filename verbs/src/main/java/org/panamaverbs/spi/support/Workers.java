package org.panamaverbs.spi.support;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.ResourceException;

/**
 * The threads of panama-verbs for work that may wait, and for code of the program: they open and close connections, and complete stages. They
 * are daemon platform threads. A virtual thread would wait for a carrier, and the virtual threads of a program can keep all carriers.
 *
 * <p>As many threads as there are processors, two at least, run tasks at the same time; other tasks wait for the end of one. If none has
 * ended for a millisecond, those threads count as blocked, and one more thread gets a task: so a task that blocks holds up others for a
 * moment only, and thousands of short tasks do not start thousands of threads. There is no limit but that of the system. A thread leaves
 * after a tenth of a second without a task; one stays, for tasks that must not be lost.
 */
public final class Workers {
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long BLOCKED_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int PROCESSORS = Math.max(2, Runtime.getRuntime().availableProcessors());
    private static final Complaints.Message FAILED = new Complaints(Workers.class).message("a task of {} failed");

    private static final ReentrantLock LOCK = new ReentrantLock();
    // Guarded by the lock.
    /** Tasks that no thread has yet, the oldest first. */
    private static @Nullable Task first;
    private static @Nullable Task last;
    /** How many tasks have got a thread so far. */
    private static long taken;
    /**
     * How many threads have a task now, and how many may have one: more than there are processors after tasks have blocked, until they end and
     * none waits.
     */
    private static int busy;
    private static int limit = PROCESSORS;
    /** The threads without a task, the last one first: those that are not needed stay idle, and leave. */
    private static @Nullable Worker idle;
    /** The idle thread that watches the tasks that wait. */
    private static @Nullable Worker watcher;
    /** A thread begins. */
    private static boolean starting;
    private static long started;
    private static volatile int running;

    private Workers() {
    }

    /**
     * A task that must not be lost, for example one that ends something. It exists before it is needed: {@link #submit} allocates nothing if a
     * thread is idle. If the system has no memory or no thread for it, the next thread that becomes idle runs it.
     */
    public static final class Task {
        private final Runnable action;
        // Guarded by the lock.
        private @Nullable Task next;
        private boolean submitted;

        /**
         * Makes one.
         *
         * @param action may wait
         * @throws ResourceException if this process has no worker yet, and the system has no thread for one
         */
        public Task(Runnable action) {
            this.action = action;
            if (running == 0) {
                require(startIfFirst());
            }
        }

        /** Has a thread run it, unless it was submitted and no thread has it yet. */
        public void submit() {
            distribute(this);
        }

        private void run() {
            try {
                action.run();
            } catch (RuntimeException | Error e) {
                FAILED.error(Thread.currentThread().getName(), e);
            }
        }
    }

    /**
     * Has a thread run a task.
     *
     * @param task may wait
     * @throws ResourceException if it needs a further thread, and the system has none
     */
    public static void execute(Runnable task) {
        Task added = new Task(task);
        OutOfMemoryError failure = distribute(added);
        if (failure != null && remove(added)) {
            require(failure);
        }
    }

    /**
     * Starts a thread for a task that lasts, for example one that takes the requests of a listener.
     *
     * @param name its name
     * @param task what it does
     * @return a daemon platform thread
     * @throws ResourceException if the system has no further thread
     */
    public static Thread start(String name, Runnable task) {
        try {
            return Thread.ofPlatform().daemon().name(name).priority(Thread.NORM_PRIORITY).inheritInheritableThreadLocals(false).start(task);
        } catch (OutOfMemoryError e) {
            throw noThread(e);
        }
    }

    /** {@return how many threads may have a task now} */
    static int limit() {
        lock();
        try {
            return limit;
        } finally {
            LOCK.unlock();
        }
    }

    private static void require(@Nullable OutOfMemoryError failure) {
        if (failure != null) {
            throw noThread(failure);
        }
    }

    private static ResourceException noThread(OutOfMemoryError failure) {
        return new ResourceException("no thread could be started: " + failure.getMessage()
                + "; raise the limits of threads (ulimit -u, pids.max of the cgroup) and of memory", failure);
    }

    /**
     * Takes the lock without its queue: a thread behind a virtual one in the queue would wait until that one has a carrier. The holder never
     * waits.
     */
    private static void lock() {
        while (!LOCK.tryLock()) {
            Thread.yield();
        }
    }

    /**
     * Gives the tasks that wait to idle threads, as many as may have one; a further thread watches those that are left. A thread is started
     * if none is idle.
     *
     * @param added waits from now on, unless it does already
     * @return why the system has no further thread; {@code null} if there is one, or none is needed
     */
    private static @Nullable OutOfMemoryError distribute(@Nullable Task added) {
        Task adding = added;
        while (true) {
            Worker woken;
            lock();
            try {
                if (adding != null) {
                    append(adding);
                    adding = null;
                }
                if (first == null || busy >= limit && watcher != null) {
                    return null;
                }
                woken = idle;
                if (woken == null && starting) {
                    // It goes on with this when it begins.
                    return null;
                }
                if (woken == null) {
                    starting = true;
                } else if (busy < limit) {
                    woken.remove();
                    woken.task = poll();
                } else {
                    woken.watch();
                }
            } finally {
                LOCK.unlock();
            }
            if (woken == null) {
                return startWorker();
            }
            LockSupport.unpark(woken.thread);
        }
    }

    private static void append(Task task) {
        if (task.submitted) {
            return;
        }
        task.submitted = true;
        Task before = last;
        if (before == null) {
            first = task;
        } else {
            before.next = task;
        }
        last = task;
    }

    /** {@return the first task that waits; {@code null} if there is none, or no further thread may have one} */
    private static @Nullable Task poll() {
        Task task = first;
        if (task == null || busy >= limit) {
            return null;
        }
        first = task.next;
        if (last == task) {
            last = null;
        }
        // A task that somebody keeps would keep all that waited behind it.
        task.next = null;
        task.submitted = false;
        busy++;
        taken++;
        return task;
    }

    /** {@return whether no thread had taken it} */
    private static boolean remove(Task task) {
        lock();
        try {
            Task before = null;
            for (Task each = first; each != null; each = each.next) {
                if (each == task) {
                    if (before == null) {
                        first = each.next;
                    } else {
                        before.next = each.next;
                    }
                    last = last == each ? before : last;
                    each.next = null;
                    return true;
                }
                before = each;
            }
            return false;
        } finally {
            LOCK.unlock();
        }
    }

    private static @Nullable OutOfMemoryError startIfFirst() {
        lock();
        try {
            if (running > 0 || starting) {
                return null;
            }
            starting = true;
        } finally {
            LOCK.unlock();
        }
        return startWorker();
    }

    /** {@return why the system has no further thread; {@code null} if there is one} The caller has set {@link #starting}. */
    private static @Nullable OutOfMemoryError startWorker() {
        OutOfMemoryError failure;
        try {
            Worker worker = new Worker();
            lock();
            long number;
            try {
                number = ++started;
            } finally {
                LOCK.unlock();
            }
            start("panama-verbs-" + number, worker);
            return null;
        } catch (ResourceException e) {
            failure = (OutOfMemoryError) e.getCause();
        } catch (OutOfMemoryError e) {
            failure = e;
        }
        lock();
        starting = false;
        LOCK.unlock();
        return failure;
    }

    private static final class Worker implements Runnable {
        private @Nullable Thread thread;
        /** Of the thread in {@link #idle}: its task, once it has got one. */
        private volatile @Nullable Task task;
        private @Nullable Worker below;
        // Of the watcher: how many tasks had got a thread when it looked first, and when that was.
        private long seen;
        private long since;

        @Override
        public void run() {
            thread = Thread.currentThread();
            lock();
            running = running + 1;
            starting = false;
            LOCK.unlock();
            int ended = 0;
            while (runNext(ended)) {
                ended = 1;
            }
        }

        /** Runs the next task, and keeps nothing of it; {@code false} if there was none for long enough. The parameter is that of {@link #take}. */
        private boolean runNext(int ended) {
            Task next = take(ended);
            task = null;
            if (next == null) {
                return false;
            }
            distribute(null);
            next.run();
            // An interrupt was meant for the task.
            Thread.interrupted();
            return true;
        }

        /**
         * Takes the next task, and waits for it; {@code null} if the thread has been idle for long enough.
         *
         * @param ended how many tasks of this thread have ended since the last call
         */
        private @Nullable Task take(int ended) {
            lock();
            try {
                busy -= ended;
                limit = Math.max(PROCESSORS, Math.min(limit, busy + 1));
                Task waiting = poll();
                if (waiting != null) {
                    return waiting;
                }
                below = idle;
                idle = this;
            } finally {
                LOCK.unlock();
            }
            long begin = System.nanoTime();
            while (task == null) {
                long watching = watchNanos();
                long left = watching > 0 ? watching : IDLE_NANOS - (System.nanoTime() - begin);
                if (task != null) {
                    // It has watched for long enough.
                    break;
                } else if (left > 0) {
                    LockSupport.parkNanos(Workers.class, left);
                } else if (leave()) {
                    return null;
                } else {
                    LockSupport.park(Workers.class);
                }
                Thread.interrupted();
            }
            return task;
        }

        /** It is the watcher from now on. The caller has the lock. */
        private void watch() {
            watcher = this;
            seen = taken;
            since = System.nanoTime();
        }

        /**
         * Watches the tasks that wait, unless another thread does. It takes the first one if no task has got a thread for long.
         *
         * @return until when, in nanoseconds from now; 0 if it does not watch
         */
        private long watchNanos() {
            lock();
            try {
                if (task != null || watcher != null && watcher != this) {
                    return 0;
                }
                if (first == null) {
                    watcher = null;
                    return 0;
                }
                if (watcher == null || seen != taken) {
                    watch();
                }
                long left = BLOCKED_NANOS - (System.nanoTime() - since);
                if (left <= 0) {
                    limit++;
                    remove();
                    task = poll();
                }
                return Math.max(left, 0);
            } finally {
                LOCK.unlock();
            }
        }

        /** It is idle no more. The caller has the lock. */
        private void remove() {
            if (watcher == this) {
                watcher = null;
            }
            Worker above = null;
            for (Worker each = idle; each != null && each != this; each = each.below) {
                above = each;
            }
            if (above == null) {
                idle = below;
            } else {
                above.below = below;
            }
        }

        /** {@return whether the thread ends: it has nothing to do, and is not the only one} */
        private boolean leave() {
            lock();
            try {
                if (task != null || watcher == this || running == 1) {
                    return false;
                }
                running = running - 1;
                remove();
                return true;
            } finally {
                LOCK.unlock();
            }
        }
    }
}
