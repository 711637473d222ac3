package org.panamaverbs.softiwarp.lifecycle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

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
}
