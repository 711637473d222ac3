package org.panamaverbs.testing.layers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What holds for the layers of a module with one package: an arrow only ever points down, except for those that are listed, and the list has
 * no others. So a circle of classes has a listed arrow.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class ClassLayersTestCase {
    private final ClassLayers layers;
    private final JavaClasses classes;
    private final FileGraph files;

    /**
     * Reads the classes of a module, without those of its tests.
     *
     * @param layers of the module
     */
    protected ClassLayersTestCase(ClassLayers layers) {
        this.layers = layers;
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(layers.root());
        files = FileGraph.of(classes, layers.root());
    }

    @Test
    void shouldNameEachClass() {
        assertEquals(layers.names(), List.copyOf(files.files()));
    }

    @Test
    void shouldPointDownOnly() {
        assertEquals(List.of(), layers.unlisted(files));
    }

    @Test
    void shouldListNoArrowThatIsGone() {
        assertEquals(List.of(), layers.gone(files));
    }

    @Test
    void shouldUseOfTheSpiItsSupportAlone() {
        SpiRule.check(classes);
    }
}
