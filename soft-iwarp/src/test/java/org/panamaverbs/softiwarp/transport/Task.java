package org.panamaverbs.softiwarp.transport;

/** A thread of a test; {@link #join} throws what the thread throws. */
public final class Task {
    /** The body of the thread. */
    public interface Body {
        void run() throws Exception;
    }

    private final Thread thread;
    private volatile Throwable failure;

    private Task(Body body) {
        thread = new Thread(() -> {
            try {
                body.run();
            } catch (Throwable e) {
                failure = e;
            }
        }, "test-task");
        thread.setDaemon(true);
    }

    public static Task start(Body body) {
        Task task = new Task(body);
        task.thread.start();
        return task;
    }

    public boolean isAlive() {
        return thread.isAlive();
    }

    public void join() throws InterruptedException {
        thread.join();
        check();
    }

    /** Throws what the thread has thrown, if it has. */
    public void check() {
        if (failure != null) {
            throw new AssertionError("a thread of the test failed", failure);
        }
    }
}
