package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

class ClassLayersTest {
    private final ClassLayers layers = new ClassLayers("a.b").layer("the bottom", "A", "B").layer("the top", "C");
    private final FileGraph files = new FileGraph().add("A").add("B", "A").add("C", "A", "B");

    @Test
    void shouldAcceptArrowsThatPointDown() {
        assertEquals(List.of(), layers.upward(files));
    }

    @Test
    void shouldFindArrowsThatPointUp() {
        files.add("A", "B", "C");
        assertEquals(List.of("A -> B (the bottom -> the bottom)", "A -> C (the bottom -> the top)"), layers.upward(files));
    }

    @Test
    void shouldListTheClassesFromTheTopToTheBottom() {
        assertEquals("""
                | content | classes: each uses those behind it alone |
                |---|---|
                | the top | `C` |
                | the bottom | `B`, `A` |
                """, layers.table());
    }

    @Test
    void shouldRefuseAClassTwice() {
        assertThrows(IllegalArgumentException.class, () -> layers.layer("again", "A"));
    }
}
