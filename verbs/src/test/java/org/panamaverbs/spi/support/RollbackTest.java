package org.panamaverbs.spi.support;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RollbackTest {
    private final List<String> undone = new ArrayList<>();

    private Runnable undoes(String step) {
        return () -> undone.add(step);
    }

    private Runnable fails(RuntimeException failure) {
        return () -> {
            throw failure;
        };
    }

    @Test
    void shouldUndoTheLastStepFirst() {
        OutOfMemoryError failure = new OutOfMemoryError("as a test wants");
        Error thrown = assertThrows(Error.class, () -> {
            try (Rollback undo = new Rollback()) {
                undo.add(undoes("first"));
                undo.add(undoes("second"));
                throw failure;
            }
        });
        assertSame(failure, thrown);
        assertEquals(List.of("second", "first"), undone);
    }

    @Test
    void shouldUndoNothingOfWhatIsComplete() {
        try (Rollback undo = new Rollback()) {
            undo.add(undoes("first"));
            undo.commit();
        }
        assertEquals(List.of(), undone);
    }

    @Test
    void shouldUndoWhatCameAfterTheCommit() {
        try (Rollback undo = new Rollback()) {
            undo.add(undoes("first"));
            undo.commit();
            undo.add(undoes("second"));
        }
        assertEquals(List.of("second"), undone);
    }

    @Test
    void shouldTakeAnObjectApartByTheStepsOfItsConstruction() {
        Rollback steps;
        try (Rollback undo = new Rollback()) {
            undo.add(undoes("first"));
            undo.add(undoes("second"));
            steps = undo.commit();
        }
        steps.close();
        steps.close();
        assertEquals(List.of("second", "first"), undone);
    }

    @Test
    void shouldUndoAllStepsThoughSomeFail() {
        RuntimeException one = new IllegalStateException("one");
        RuntimeException other = new IllegalStateException("other");
        Rollback undo = new Rollback();
        undo.add(undoes("first"));
        undo.add(fails(other));
        undo.add(undoes("second"));
        undo.add(fails(one));
        assertSame(one, assertThrows(RuntimeException.class, undo::close));
        assertArrayEquals(new Throwable[] { other }, one.getSuppressed());
        assertEquals(List.of("second", "first"), undone);
    }

    @Test
    void shouldReportTheFailureThatCameFirst() {
        RuntimeException cause = new IllegalStateException("cause");
        RuntimeException other = new IllegalStateException("other");
        RuntimeException thrown = assertThrows(RuntimeException.class, () -> {
            try (Rollback undo = new Rollback()) {
                undo.add(fails(other));
                throw cause;
            }
        });
        assertSame(cause, thrown);
        assertArrayEquals(new Throwable[] { other }, cause.getSuppressed());
    }
}
