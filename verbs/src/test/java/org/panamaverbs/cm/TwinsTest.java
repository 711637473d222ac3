package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TwinsTest {
    private static <T> T get(CompletableFuture<T> result) throws Exception {
        return result.get(60, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitOnAThreadThatNeedsNoCarrier() throws Exception {
        Thread waiting = get(Twins.of(Thread::currentThread).toCompletableFuture());
        assertNotSame(Thread.currentThread(), waiting);
        assertFalse(waiting.isVirtual());
    }

    @Test
    void shouldCompleteWithAnyFailure() {
        Error failure = new OutOfMemoryError("as a test wants");
        CompletableFuture<Object> result = Twins.of(() -> {
            throw failure;
        }).toCompletableFuture();
        assertSame(failure, assertThrows(ExecutionException.class, () -> get(result)).getCause());
        Throwable seen = assertThrows(ExecutionException.class, () -> get(result.handle((value, problem) -> {
            throw new CompletionException(problem);
        }))).getCause();
        assertSame(failure, seen instanceof CompletionException wrapped ? wrapped.getCause() : seen);
    }
}
