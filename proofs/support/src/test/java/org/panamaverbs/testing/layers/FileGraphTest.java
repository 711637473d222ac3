package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.util.List;
import org.junit.jupiter.api.Test;

class FileGraphTest {
    @Test
    void shouldFindNoCircleInATree() {
        assertEquals(List.of(), new FileGraph().add("a", "b", "c").add("b", "c").add("c").circles());
    }

    @Test
    void shouldFindEachCircleWhole() {
        FileGraph graph = new FileGraph().add("a", "b").add("b", "c", "d").add("c", "a", "x").add("d", "b").add("x", "y").add("y", "x")
                .add("z", "a");
        assertEquals(List.of(List.of("a", "b", "c", "d"), List.of("x", "y")), graph.circles());
    }

    @Test
    void shouldCountAFileAsItsTopLevelClass() {
        FileGraph graph = FileGraph.of(new ClassFileImporter().importClasses(Upper.class, Lower.class), "org.panamaverbs.testing.layers");
        assertEquals(List.of("FileGraphTest"), List.copyOf(graph.files()));
        assertEquals(List.of(), graph.circles());
    }

    @Test
    void shouldReadClasses() {
        FileGraph graph = FileGraph.of(new ClassFileImporter().importPackages("org.panamaverbs.testing.layers"), "org.panamaverbs.testing");
        assertTrue(graph.usedBy("layers.ClassLayers").contains("layers.FileGraph"));
        assertEquals(List.of(), graph.circles());
    }

    private static final class Upper {
        private Lower lower;
    }

    private static final class Lower {
        private Upper upper;
    }
}
