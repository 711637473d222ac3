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
 * <p>A task gets an idle thread, or else a new one, so a task that blocks holds up no other. There is no limit but that of the system. A
 * thread leaves after a tenth of a second without a task; one stays, for tasks that must not be lost.
 */
public final class Workers {
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final Complaints.Message FAILED = new Complaints(Workers.class).message("a task of {} failed");

    private static final ReentrantLock LOCK = new ReentrantLock();
    // Guarded by the lock.
    /** Tasks that no thread has yet, the oldest first. */
    private static volatile @Nullable Task first;
    private static @Nullable Task last;
    /** The threads without a task, the last one first: those that are not needed stay idle, and leave. */
    private static @Nullable Worker idle;
    private static long started;
    private static volatile int running;
    /** A thread begins: it starts the next one if more tasks wait then. So short tasks that come at once need few threads. */
    private static volatile boolean starting;

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
                require(startWorker());
            }
        }

        /** Has a thread run it, unless it was submitted and no thread has begun with it. */
        public void submit() {
            if (!passToIdle(this)) {
                startWorker();
            }
        }

        private void run() {
            lock();
            submitted = false;
            LOCK.unlock();
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
     * @throws ResourceException if no thread is idle, and the system has no further one
     */
    public static void execute(Runnable task) {
        Task added = new Task(task);
        if (passToIdle(added)) {
            return;
        }
        OutOfMemoryError failure = startWorker();
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

    /** {@return whether an idle thread has taken it, or it waits already} Otherwise it waits from now on. */
    private static boolean passToIdle(Task task) {
        Worker worker;
        lock();
        try {
            if (task.submitted) {
                return true;
            }
            task.submitted = true;
            worker = idle;
            if (worker == null) {
                append(task);
                return false;
            }
            idle = worker.below;
            worker.task = task;
        } finally {
            LOCK.unlock();
        }
        LockSupport.unpark(worker.thread);
        return true;
    }

    private static void append(Task task) {
        task.next = null;
        Task before = last;
        if (before == null) {
            first = task;
        } else {
            before.next = task;
        }
        last = task;
    }

    private static @Nullable Task poll() {
        Task task = first;
        if (task != null) {
            first = task.next;
            if (last == task) {
                last = null;
            }
        }
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
                    return true;
                }
                before = each;
            }
            return false;
        } finally {
            LOCK.unlock();
        }
    }

    /** {@return why the system has no further thread; {@code null} if there is one} */
    private static @Nullable OutOfMemoryError startWorker() {
        try {
            Worker worker = new Worker();
            long number;
            lock();
            try {
                if (starting) {
                    return null;
                }
                starting = true;
                number = ++started;
            } finally {
                LOCK.unlock();
            }
            start("panama-verbs-" + number, worker);
            return null;
        } catch (ResourceException e) {
            starting = false;
            return (OutOfMemoryError) e.getCause();
        } catch (OutOfMemoryError e) {
            starting = false;
            return e;
        }
    }

    private static final class Worker implements Runnable {
        private @Nullable Thread thread;
        /** Of the thread in {@link #idle}: its task, once another thread has passed it one. */
        private volatile @Nullable Task task;
        private @Nullable Worker below;

        @Override
        public void run() {
            thread = Thread.currentThread();
            lock();
            try {
                running = running + 1;
                starting = false;
            } finally {
                LOCK.unlock();
            }
            for (Task next = take(); next != null; next = take()) {
                if (first != null) {
                    startWorker();
                }
                next.run();
                // An interrupt was meant for the task.
                Thread.interrupted();
            }
        }

        /** Takes the next task, and waits for it; {@code null} if the thread has been idle for long enough. */
        private @Nullable Task take() {
            lock();
            try {
                Task waiting = poll();
                if (waiting != null) {
                    return waiting;
                }
                task = null;
                below = idle;
                idle = this;
            } finally {
                LOCK.unlock();
            }
            long begin = System.nanoTime();
            while (task == null) {
                long left = IDLE_NANOS - (System.nanoTime() - begin);
                if (left > 0) {
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

        /** {@return whether the thread ends: it has no task, and is not the only one} */
        private boolean leave() {
            lock();
            try {
                if (task != null || running == 1) {
                    return false;
                }
                running = running - 1;
                Worker above = null;
                for (Worker each = idle; each != null && each != this; each = each.below) {
                    above = each;
                }
                if (above == null) {
                    idle = below;
                } else {
                    above.below = below;
                }
                return true;
            } finally {
                LOCK.unlock();
            }
        }
    }
}
