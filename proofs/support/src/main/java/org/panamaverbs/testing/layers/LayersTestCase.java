package org.panamaverbs.testing.layers;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * What holds for the layers of every module: an import only ever points down, so there is no circle of packages, and the table in the
 * documents shows the layers of this test. With {@code -Dlayers.write=true} it writes the table anew.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class LayersTestCase {
    /** The classes of the module, without those of its tests. */
    protected final JavaClasses classes;
    private final Layers layers;
    private final String page;

    /**
     * Reads the classes of a module.
     *
     * @param layers of the module
     * @param page   the file with the table, from the folder of the whole project
     */
    protected LayersTestCase(Layers layers, String page) {
        this.layers = layers;
        this.page = page;
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(layers.root());
    }

    /** The package of a layer. */
    protected final String name(String layer) {
        return layers.packageOf(layer);
    }

    /** The packages of some layers. */
    protected final String[] names(String... named) {
        return Stream.of(named).map(this::name).toArray(String[]::new);
    }

    @Test
    void shouldNameEachPackageOnce() {
        Set<String> found = new TreeSet<>();
        classes.forEach(type -> found.add(type.getPackageName()));
        assertEquals(layers.packagesOf(layers.names()), found);
    }

    @Test
    void shouldPointDownOnly() {
        assertEquals(List.of(), layers.wrongArrows());
    }

    @Test
    void shouldTouchOnlyWhatItMay() {
        List<String> forbidden = new ArrayList<>();
        for (String layer : layers.names()) {
            Set<String> allowed = layers.packagesOf(layers.below(layer));
            allowed.add(name(layer));
            arrows(layer).filter(arrow -> layers.has(target(arrow)) && !allowed.contains(target(arrow)))
                    .forEach(arrow -> forbidden.add(arrow.getDescription()));
        }
        assertEquals(List.of(), forbidden);
    }

    /** An arrow that nobody needs is one that somebody will use. */
    @Test
    void shouldUseEveryArrow() {
        // Of the constants of wire the compiler leaves no trace.
        Predicate<String> shows = layer -> !layer.equals("wire") && !layer.endsWith(".wire");
        List<String> unused = new ArrayList<>();
        for (String layer : layers.names()) {
            Set<String> touched = arrows(layer).map(LayersTestCase::target).collect(Collectors.toSet());
            layers.below(layer).stream().filter(shows).filter(below -> !touched.contains(name(below)))
                    .forEach(below -> unused.add(layer + " -> " + below));
        }
        assertEquals(List.of(), unused);
    }

    /** A new circle fails, one that grew, and a listed one that is gone. */
    @Test
    void shouldHaveNoCirclesOfFilesButThoseListed() {
        List<List<String>> circles = FileGraph.of(classes, layers.root()).circles();
        assertAll(
                () -> assertEquals(List.of(), circles.stream().filter(circle -> !layers.circles().contains(circle)).toList(), "not listed"),
                () -> assertEquals(List.of(), layers.circles().stream().filter(circle -> !circles.contains(circle)).toList(), "gone"));
    }

    @Test
    void shouldUseOfTheSpiItsSupportAlone() {
        SpiRule.check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        // The exceptions are terms of the field: a connection manager, private data, and change info of NFS.
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|(?<!Private)Data|(?<!Change)Info|(?<!Connection)Manager)")
                .check(classes);
    }

    @Test
    void shouldHaveATableThatIsUpToDate() throws IOException {
        LayersPage.check(page, layers.table());
    }

    private Stream<Dependency> arrows(String layer) {
        return classes.stream().filter(type -> type.getPackageName().equals(name(layer)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream());
    }

    private static String target(Dependency arrow) {
        return arrow.getTargetClass().getBaseComponentType().getPackageName();
    }
}
