package org.panamaverbs.tools.capture;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * A program that runs on the terminal of this process. Ctrl-C ends both. A signal to this process alone ends the program as well: this
 * process waits for it, and only then ends itself.
 */
final class Child {
    /** The time that the program has to end after a signal; closing a capture takes 2 s at most. */
    private static final long END_SECONDS = 10;
    private static final int FAILED = 1;

    private final ProcessBuilder builder;
    private final Runnable end;
    // Guarded by this.
    private Process process;
    private boolean ending;

    /** @param end runs once, when the program has ended, also if this process is ending because of a signal */
    Child(ProcessBuilder builder, Runnable end) {
        this.builder = builder;
        this.end = end;
    }

    /**
     * Runs the program.
     *
     * @return its exit status
     * @throws IOException if it cannot be started
     */
    int run() throws IOException, InterruptedException {
        Thread hook = new Thread(this::onShutdown);
        // Before the program: a signal that comes right after its start finds the hook.
        if (!add(hook)) {
            return FAILED;
        }
        Process started;
        try {
            started = start();
        } catch (IOException e) {
            remove(hook);
            throw e;
        }
        if (started == null) {
            return FAILED;
        }
        int status = started.waitFor();
        if (remove(hook)) {
            end.run();
        }
        return status;
    }

    /** Starts the program; {@code null} if this process is ending. */
    private synchronized Process start() throws IOException {
        if (!ending) {
            process = builder.start();
        }
        return process;
    }

    private void onShutdown() {
        Process running;
        synchronized (this) {
            ending = true;
            running = process;
        }
        if (running == null) {
            return;
        }
        running.destroy();
        try {
            running.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            // No code interrupts the thread of a hook.
            Thread.currentThread().interrupt();
        }
        end.run();
    }

    private static boolean add(Thread hook) {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            return true;
        } catch (IllegalStateException e) {
            // This process is ending.
            return false;
        }
    }

    /** {@code false} if this process is ending: then the hook runs. */
    private static boolean remove(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }
}
