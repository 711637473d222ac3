package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class LayersTest {
    private final Layers layers = new Layers("a.b").beside("other", "c.d").layer("", "the top", "x", "other.y").layer("x", "the bottom");

    @Test
    void shouldWriteATable() {
        assertEquals("""
                | package | content | may use |
                |---|---|---|
                | (root) | the top | `x`, `other.y` |
                | `x` | the bottom | nothing |
                """, layers.table());
    }

    @Test
    void shouldFindThePackageOfALayer() {
        assertEquals("a.b", layers.packageOf(""));
        assertEquals("a.b.x", layers.packageOf("x"));
        assertEquals("c.d", layers.packageOf("other"));
        assertEquals("c.d.y", layers.packageOf("other.y"));
        assertEquals("a.b.others", layers.packageOf("others"));
    }

    @Test
    void shouldCountPackagesOfNeighboursOnly() {
        assertTrue(layers.has("a.b.x"));
        assertTrue(layers.has("c.d.y.z"));
        assertFalse(layers.has("a.bc"));
        assertFalse(layers.has("java.util"));
    }

    @Test
    void shouldFindArrowsThatPointUpOrNowhere() {
        assertEquals(List.of(), layers.wrongArrows());
        layers.layer("y", "points up", "x").layer("z", "points nowhere", "w");
        assertEquals(List.of("y -> x", "z -> w"), layers.wrongArrows());
    }

    @Test
    void shouldRefuseALayerTwice() {
        assertThrows(IllegalArgumentException.class, () -> layers.layer("x", "again"));
    }
}
