package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What holds for the layers of a module with one package: an arrow only ever points down, so no classes depend on each other in a circle. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ClassLayersTestCase {
    private final ClassLayers layers;
    private final String page;
    private final JavaClasses classes;
    private final FileGraph files;

    /**
     * Reads the classes of a module, without those of its tests.
     *
     * @param layers of the module
     * @param page   the file with the table, from the folder of the whole project
     */
    protected ClassLayersTestCase(ClassLayers layers, String page) {
        this.layers = layers;
        this.page = page;
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(layers.root());
        files = FileGraph.of(classes, layers.root());
    }

    @Test
    void shouldNameEachClass() {
        assertEquals(layers.names(), List.copyOf(files.files()));
    }

    @Test
    void shouldPointDownOnly() {
        assertEquals(List.of(), layers.upward(files));
    }

    @Test
    void shouldUseOfTheSpiItsSupportAlone() {
        SpiRule.check(classes);
    }

    @Test
    void shouldHaveATableThatIsUpToDate() throws IOException {
        LayersPage.check(page, layers.table());
    }
}
