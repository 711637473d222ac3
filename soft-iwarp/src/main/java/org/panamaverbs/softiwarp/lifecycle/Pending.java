package org.panamaverbs.softiwarp.lifecycle;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;
import org.panamaverbs.spi.Waits;

/**
 * An object that an event loop makes while a thread waits for it.
 *
 * @param <T> the kind of the object
 */
public final class Pending<T> {
    private final String what;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    /** Makes one; {@code what} continues the messages "could not" and "closed while trying to". */
    public Pending(String what) {
        this.what = what;
    }

    /** The object is made; {@code false} if no thread waits for it any more. */
    public boolean complete(T object) {
        return result.complete(object);
    }

    /** The object cannot be made. */
    public void fail(VerbsException reason) {
        result.completeExceptionally(reason);
    }

    /** Makes the waiting thread stop. */
    public void close() {
        result.completeExceptionally(new ClosedException("closed while trying to " + what));
    }

    /** Waits for the object; {@code waitsFor} says after a timeout which event did not come. */
    public T await(Duration timeout, Supplier<String> waitsFor) {
        try {
            return result.get(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            VerbsTimeoutException late = new VerbsTimeoutException(
                    "could not " + what + " within " + Waits.describe(timeout) + ": " + waitsFor.get(), e);
            if (result.completeExceptionally(late)) {
                throw late;
            }
            return known();
        } catch (ExecutionException e) {
            throw (VerbsException) e.getCause();
        } catch (InterruptedException e) {
            WaitInterruptedException stopped = Waits.interrupted(e);
            if (result.completeExceptionally(stopped)) {
                throw stopped;
            }
            return known();
        }
    }

    /** The result that came at the last moment: the maker counts on it that a thread takes it. */
    private T known() {
        try {
            return result.join();
        } catch (CompletionException e) {
            throw (VerbsException) e.getCause();
        }
    }
}
