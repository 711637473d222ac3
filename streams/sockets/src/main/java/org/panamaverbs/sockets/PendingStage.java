package org.panamaverbs.sockets;

import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A stage that a thread of the sockets completes. The program can withdraw it until it has an outcome: by cancel, by a time-out, or by a
 * result of the program's own. So an outcome that has happened, such as bytes that were read, always reaches the program.
 */
// Tested by SocketStagesTest.
abstract class PendingStage<T> extends CompletableFuture<T> {
    /** The pause before the next attempt, if there is no memory to complete the stage. */
    private static final long REST_NANOS = 1_000_000;

    /**
     * Makes the stage one that waits for nothing. Any thread may call it.
     *
     * @return {@code false} if the stage has an outcome, or was withdrawn before
     */
    abstract boolean withdraw();

    /** {@return the result; called when there is one} A stage without a value has {@code null}. */
    abstract @Nullable T result();

    /**
     * Completes the stage, which cannot be withdrawn any more.
     *
     * @param failure {@code null} if it has a result
     */
    final void finish(@Nullable Throwable failure) {
        // A stage that is not completed would keep its program waiting for ever.
        while (!tryFinish(failure)) {
            LockSupport.parkNanos(REST_NANOS);
        }
    }

    private boolean tryFinish(@Nullable Throwable failure) {
        try {
            if (failure == null) {
                super.complete(result());
            } else {
                super.completeExceptionally(failure);
            }
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    @Override
    public boolean complete(T value) {
        return withdraw() && super.complete(value);
    }

    @Override
    public boolean completeExceptionally(Throwable failure) {
        Objects.requireNonNull(failure);
        boolean withdrawn = withdraw();
        if (withdrawn) {
            finish(failure);
        }
        return withdrawn;
    }

    @Override
    public boolean cancel(boolean mayInterrupt) {
        return completeExceptionally(new CancellationException()) || isCancelled();
    }

    // These three would complete the stage, and the outcome be lost.

    @Override
    public CompletableFuture<T> completeAsync(Supplier<? extends T> supplier, Executor executor) {
        throw new UnsupportedOperationException("the sockets complete the stage");
    }

    @Override
    public void obtrudeValue(T value) {
        throw new UnsupportedOperationException("the sockets complete the stage");
    }

    @Override
    public void obtrudeException(Throwable failure) {
        throw new UnsupportedOperationException("the sockets complete the stage");
    }
}
