package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;

/** Objects that close with their owner. */
class ChildrenTest {
    private final Children children = new Children("the owner");
    private final List<String> closed = new ArrayList<>();

    @Test
    void shouldCloseTheYoungestFirst() {
        children.add(() -> closed.add("first"));
        children.add(() -> closed.add("second"));
        assertTrue(children.close());
        assertEquals(List.of("second", "first"), closed);
        assertFalse(children.close());
        assertEquals(List.of("second", "first"), closed);
    }

    @Test
    void shouldForgetAChildThatHasClosed() {
        AutoCloseable first = () -> closed.add("first");
        AutoCloseable second = () -> closed.add("second");
        children.add(first);
        children.add(second);
        assertEquals(List.of(first, second), children.open());
        assertTrue(children.remove(first));
        assertFalse(children.remove(first), "twice");
        assertEquals(List.of(second), children.open());
        children.close();
        assertEquals(List.of("second"), closed);
    }

    @Test
    void shouldCloseTheOthersIfOneCannotBeClosed() {
        Error failure = new NoClassDefFoundError("of the test");
        children.add(() -> closed.add("first"));
        children.add(() -> {
            throw failure;
        });
        children.add(() -> closed.add("third"));
        IllegalStateException thrown = assertThrows(IllegalStateException.class, children::close);
        assertSame(failure, thrown.getCause());
        assertTrue(thrown.getMessage().contains("the owner"), thrown.getMessage());
        assertEquals(List.of("third", "first"), closed);
    }

    @Test
    void shouldTryAgainWhatCouldNotBeClosed() {
        AtomicBoolean works = new AtomicBoolean();
        children.add(() -> {
            if (!works.get()) {
                throw new IllegalStateException("not yet");
            }
            closed.add("at last");
        });
        assertThrows(IllegalStateException.class, children::close);
        assertTrue(children.isClosed());
        works.set(true);
        assertTrue(children.close());
        assertEquals(List.of("at last"), closed);
        assertFalse(children.close());
    }

    @Test
    void shouldRefuseAllOnceItIsClosed() {
        children.check();
        assertFalse(children.isClosed());
        children.close();
        assertTrue(children.isClosed());
        ClosedException refusal = assertThrows(ClosedException.class, children::check);
        assertEquals("the owner is closed", refusal.getMessage());
        assertThrows(ClosedException.class, () -> children.add(() -> {
        }));
    }

    @Test
    void shouldCloseWhatItCannotAdopt() {
        AutoCloseable child = () -> closed.add("kept");
        assertSame(child, children.adopt(child));
        children.close();
        Exception failure = new Exception("of the test");
        ClosedException refusal = assertThrows(ClosedException.class, () -> children.adopt((AutoCloseable) () -> {
            closed.add("refused");
            throw failure;
        }));
        assertEquals(List.of("kept", "refused"), closed);
        assertSame(failure, refusal.getSuppressed()[0]);
    }

    /** As a queue pair and its connection do, which close each other. */
    @Test
    void shouldLetAChildCloseItsOwnerWhileItCloses() {
        children.add(() -> closed.add(children.close() ? "again" : "once"));
        assertTrue(children.close());
        assertEquals(List.of("once"), closed);
    }

    @Test
    void shouldLetAnotherThreadWaitUntilAllAreClosed() throws Exception {
        CountDownLatch closes = new CountDownLatch(1);
        CountDownLatch mayClose = new CountDownLatch(1);
        children.add(() -> {
            closes.countDown();
            mayClose.await();
            closed.add("child");
        });
        CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(children::close);
        assertTrue(closes.await(60, TimeUnit.SECONDS));
        // Adding and asking never wait for it.
        assertThrows(ClosedException.class, children::check);
        CompletableFuture<List<String>> second = new CompletableFuture<>();
        Thread other = Thread.ofPlatform().start(() -> second.complete(children.close() ? List.of("twice") : List.copyOf(closed)));
        while (other.getState() != Thread.State.WAITING && !second.isDone()) {
            Thread.onSpinWait();
        }
        assertFalse(second.isDone());
        mayClose.countDown();
        assertTrue(first.get(60, TimeUnit.SECONDS));
        assertEquals(List.of("child"), second.get(60, TimeUnit.SECONDS));
    }
}
