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
        assertEquals(List.of(), layers.unlisted(files));
        assertEquals(List.of(), layers.gone(files));
    }

    @Test
    void shouldFindArrowsThatPointUp() {
        files.add("A", "B", "C");
        assertEquals(List.of("A -> B (the bottom -> the bottom)", "A -> C (the bottom -> the top)"), layers.unlisted(files));
        layers.upward("A -> C", "planted");
        assertEquals(List.of("A -> B (the bottom -> the bottom)"), layers.unlisted(files));
    }

    @Test
    void shouldFindListedArrowsThatAreGoneOrPointDown() {
        layers.upward("A -> C", "is not there").upward("C -> B", "points down");
        assertEquals(List.of("A -> C", "C -> B"), layers.gone(files));
        files.add("A", "C");
        assertEquals(List.of("C -> B"), layers.gone(files));
    }

    @Test
    void shouldRefuseAClassOrAnArrowTwice() {
        assertThrows(IllegalArgumentException.class, () -> layers.layer("again", "A"));
        layers.upward("A -> B", "once");
        assertThrows(IllegalArgumentException.class, () -> layers.upward("A -> B", "again"));
    }
}
