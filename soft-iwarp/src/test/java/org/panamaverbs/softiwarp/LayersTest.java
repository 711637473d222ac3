package org.panamaverbs.softiwarp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.Linker;
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

/** The layers: an import only ever points down, and the protocol knows no socket, clock, thread or random source. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.softiwarp";

    /** Every arrow that there may be: each package, and what it may touch. Packages stand above those that they touch, so no arrow points up. */
    private static final Map<String, Set<String>> ARROWS = arrows();

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        arrows.put("",
                Set.of("cm", "progress", "transport", "transport.capture", "transport.kind", "qp", "rdmap", "mpa", "queue",
                        "jfr",
                        "memory", "wire"));
        arrows.put("cm", Set.of("progress", "transport", "mpa", "memory"));
        arrows.put("progress", Set.of("transport", "qp", "jfr", "memory", "wire"));
        arrows.put("transport.kind", Set.of("transport", "transport.epoll", "transport.nio", "transport.memory"));
        arrows.put("transport.capture", Set.of("transport", "memory"));
        arrows.put("transport.epoll", Set.of("transport", "memory"));
        arrows.put("transport.nio", Set.of("transport", "memory"));
        arrows.put("transport.memory", Set.of("transport", "memory"));
        arrows.put("transport", Set.of("memory"));
        arrows.put("qp", Set.of("rdmap", "mpa", "ddp", "queue", "memory", "wire"));
        arrows.put("rdmap", Set.of("ddp", "queue", "memory", "wire"));
        arrows.put("mpa", Set.of("ddp", "memory", "wire"));
        arrows.put("ddp", Set.of("memory", "wire"));
        arrows.put("queue", Set.of("memory"));
        arrows.put("jfr", Set.of("wire"));
        arrows.put("memory", Set.of());
        arrows.put("wire", Set.of());
        return arrows;
    }

    private static final String[] PROTOCOL = packages("wire", "memory", "queue", "mpa", "ddp", "rdmap", "qp");

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
                    .should().dependOnClassesThat().resideInAnyPackage(packages(forbidden.toArray(String[]::new)))
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
        // Of the constants of wire the compiler leaves no trace.
        ARROWS.get(layer).stream().filter(below -> !below.equals("wire"))
                .forEach(below -> assertTrue(used.contains(name(below)), () -> layer + " does not touch " + below));
    }

    private static Stream<String> packages() {
        return ARROWS.keySet().stream();
    }

    @Test
    void shouldKeepTheProtocolFreeOfInputAndOutput() {
        ProtocolRules.freeOfInputAndOutput(PROTOCOL).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfThreads() {
        ProtocolRules.freeOfThreads(PROTOCOL).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfClocks() {
        ProtocolRules.freeOfClocks(PROTOCOL).check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfRandomSources() {
        ProtocolRules.freeOfRandomSources(PROTOCOL).check(classes);
    }

    @Test
    void shouldTouchTheSystemOnlyInTransport() {
        noClasses().that().resideOutsideOfPackage(name("transport.."))
                .should().dependOnClassesThat()
                .resideInAnyPackage("java.nio.channels..", "org.panamaverbs.bindings.libc..", "org.panamaverbs.posix..")
                .orShould().dependOnClassesThat().areAssignableTo(Linker.class)
                .check(classes);
    }

    @Test
    void shouldNotKnowDevices() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.bindings.rdma..").check(classes);
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        // The one exception is the field's own term: any connection manager.
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|Data|Info|(?<!Connection)Manager)").check(classes);
    }

    private static String name(String layer) {
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }

    private static String[] packages(String... layers) {
        String[] names = new String[layers.length];
        for (int i = 0; i < layers.length; i++) {
            names[i] = name(layers[i]);
        }
        return names;
    }
}
