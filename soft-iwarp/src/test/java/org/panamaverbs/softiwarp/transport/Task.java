package org.panamaverbs.softiwarp.transport;

/** A thread of a test; what it throws, {@link #join} throws. */
final class Task {
    /** What it does. */
    interface Body {
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

    static Task start(Body body) {
        Task task = new Task(body);
        task.thread.start();
        return task;
    }

    boolean isAlive() {
        return thread.isAlive();
    }

    void join() throws InterruptedException {
        thread.join();
        check();
    }

    /** Throws what the thread has thrown, if it has. */
    void check() {
        if (failure != null) {
            throw new AssertionError("a thread of the test failed", failure);
        }
    }
}
