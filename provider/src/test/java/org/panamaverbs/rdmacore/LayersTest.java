package org.panamaverbs.rdmacore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Linker;
import java.lang.module.ModuleDescriptor;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The layers of the provider for RDMA devices: an import only ever points down. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.rdmacore";

    /** Every arrow that there may be: each package, and what it may touch. Packages stand above those that they touch, so no arrow points up. */
    private static final Map<String, Set<String>> ARROWS = arrows();

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        arrows.put("", Set.of("cm", "event", "post", "probe", "queue", "memory", "lifecycle", "ffi"));
        arrows.put("cm", Set.of("event", "lifecycle", "ffi"));
        arrows.put("event", Set.of("lifecycle", "ffi"));
        arrows.put("post", Set.of("probe", "queue", "memory", "lifecycle", "ffi"));
        arrows.put("probe", Set.of("queue", "ffi"));
        arrows.put("queue", Set.of("ffi"));
        arrows.put("memory", Set.of("ffi"));
        arrows.put("lifecycle", Set.of());
        arrows.put("ffi", Set.of());
        return arrows;
    }

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    }

    @Test
    void shouldNameEachPackageOnce() {
        Set<String> named = new TreeSet<>();
        ARROWS.keySet().forEach(layer -> named.add(name(layer)));
        Set<String> found = new TreeSet<>();
        classes.forEach(type -> found.add(type.getPackageName()));
        assertEquals(named, found);
    }

    @Test
    void shouldPointDownOnly() {
        List<String> order = List.copyOf(ARROWS.keySet());
        ARROWS.forEach((layer, below) -> below
                .forEach(other -> assertTrue(order.indexOf(layer) < order.indexOf(other), () -> layer + " stands above " + other)));
    }

    @ParameterizedTest
    @MethodSource("packages")
    void shouldTouchOnlyWhatItMay(String layer) {
        Set<String> allowed = new TreeSet<>(ARROWS.get(layer));
        allowed.add(layer);
        List<String> forbidden = ARROWS.keySet().stream().filter(other -> !allowed.contains(other)).toList();
        if (!forbidden.isEmpty()) {
            noClasses().that().resideInAPackage(name(layer))
                    .should().dependOnClassesThat()
                    .resideInAnyPackage(forbidden.stream().map(LayersTest::name).toArray(String[]::new))
                    .check(classes);
        }
    }

    /** An arrow that nobody needs is one that somebody will use. */
    @ParameterizedTest
    @MethodSource("packages")
    void shouldUseEveryArrow(String layer) {
        Set<String> used = new TreeSet<>();
        classes.stream().filter(type -> type.getPackageName().equals(name(layer)))
                .forEach(type -> type.getDirectDependenciesFromSelf().forEach(arrow -> used.add(arrow.getTargetClass().getPackageName())));
        ARROWS.get(layer).forEach(below -> assertTrue(used.contains(name(below)), () -> layer + " does not touch " + below));
    }

    private static Stream<String> packages() {
        return ARROWS.keySet().stream();
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldLinkNativeFunctionsOnlyInFfi() {
        noClasses().that().resideOutsideOfPackage(name("ffi"))
                .should().dependOnClassesThat().areAssignableTo(Linker.class)
                .check(classes);
    }

    @Test
    void shouldExportNothing() throws IOException, URISyntaxException {
        Path folder = Path.of(RdmaCoreProvider.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (InputStream module = Files.newInputStream(folder.resolve("module-info.class"))) {
            Set<ModuleDescriptor.Exports> exports = ModuleDescriptor.read(module).exports();
            assertEquals(Set.of(), exports);
        }
        classes().that().resideInAPackage(ROOT).and().arePublic().and().areTopLevelClasses()
                .should().haveSimpleName("RdmaCoreProvider").check(classes);
    }

    @Test
    void shouldUseNoOtherProvider() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.softiwarp..").check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|Data|Info|(?<!Connection)Manager)").check(classes);
    }

    private static String name(String layer) {
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }
}
