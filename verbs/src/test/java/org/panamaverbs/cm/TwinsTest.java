package org.panamaverbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class TwinsTest {
    private static <T> T get(CompletableFuture<T> result) throws Exception {
        return result.get(10, TimeUnit.SECONDS);
    }

    @Test
    void shouldWaitOnAVirtualThread() throws Exception {
        Thread waiting = get(Twins.of("a wait", Thread::currentThread).toCompletableFuture());
        assertTrue(waiting.isVirtual());
        assertEquals("a wait", waiting.getName());
    }

    @Test
    void shouldCompleteWithAnyFailure() {
        Error failure = new OutOfMemoryError("as a test wants");
        CompletableFuture<Object> result = Twins.of("a wait", () -> {
            throw failure;
        }).toCompletableFuture();
        assertSame(failure, assertThrows(ExecutionException.class, () -> get(result)).getCause());
        Throwable seen = assertThrows(ExecutionException.class, () -> get(result.handle((value, problem) -> {
            throw new CompletionException(problem);
        }))).getCause();
        assertSame(failure, seen instanceof CompletionException wrapped ? wrapped.getCause() : seen);
    }
}
