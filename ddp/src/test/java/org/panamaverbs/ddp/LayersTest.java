package org.panamaverbs.ddp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.Linker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.softiwarp.ProtocolRules;

/** The layers: an import only ever points down, also to the packages of soft-iwarp. The interface for programs knows nothing below it. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.ddp";
    private static final String SOFT_IWARP = "org.panamaverbs.softiwarp";
    private static final String WIRE = "softiwarp.wire";

    /** Every arrow that there may be: each package, and what it may touch, here and in soft-iwarp. The interface for programs is "". */
    private static final Map<String, Set<String>> ARROWS = arrows();

    private static Map<String, Set<String>> arrows() {
        Map<String, Set<String>> arrows = new LinkedHashMap<>();
        arrows.put("socket",
                Set.of("", "socket.protocol", "buffers", "ddpp", "sctp", "transport.sctp", "softiwarp", "softiwarp.cm",
                        "softiwarp.progress", "softiwarp.transport", "softiwarp.transport.kind", "softiwarp.transport.nio",
                        "softiwarp.mpa", "softiwarp.ddp", "softiwarp.memory", WIRE));
        arrows.put("socket.protocol", Set.of("", "buffers", "ddpp", "softiwarp.mpa", "softiwarp.ddp", "softiwarp.memory", WIRE));
        arrows.put("buffers", Set.of("", "softiwarp.ddp", "softiwarp.memory", WIRE));
        arrows.put("ddpp", Set.of("softiwarp.ddp", "softiwarp.memory", WIRE));
        arrows.put("sctp", Set.of("softiwarp.ddp", "softiwarp.memory", WIRE));
        arrows.put("transport.sctp", Set.of("softiwarp.transport", "softiwarp.transport.nio"));
        arrows.put("", Set.of());
        return arrows;
    }

    private static final String[] PROTOCOL = { name("socket.protocol"), name("buffers"), name("ddpp"), name("sctp") };

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    }

    @Test
    void shouldNameEachPackageOnce() {
        Set<String> found = new TreeSet<>();
        classes.forEach(type -> found.add(type.getPackageName()));
        assertEquals(ARROWS.keySet().stream().map(LayersTest::name).collect(Collectors.toCollection(TreeSet::new)), found);
    }

    @Test
    void shouldPointDownOnly() {
        List<String> order = List.copyOf(ARROWS.keySet());
        ARROWS.forEach((layer, below) -> below.stream().filter(order::contains)
                .forEach(other -> assertTrue(order.indexOf(layer) < order.indexOf(other), () -> layer + " stands above " + other)));
    }

    @ParameterizedTest
    @MethodSource("packages")
    void shouldTouchOnlyWhatItMay(String layer) {
        Set<String> allowed = ARROWS.get(layer).stream().map(LayersTest::name).collect(Collectors.toCollection(TreeSet::new));
        allowed.add(name(layer));
        Set<String> forbidden = touched(layer).stream().filter(other -> !allowed.contains(other)).collect(Collectors.toSet());
        assertEquals(Set.of(), forbidden, () -> layer + " touches");
    }

    /** An arrow that nobody needs is one that somebody will use. */
    @ParameterizedTest
    @MethodSource("packages")
    void shouldUseEveryArrow(String layer) {
        Set<String> touched = touched(layer);
        // Of the constants of wire the compiler leaves no trace.
        ARROWS.get(layer).stream().filter(below -> !below.equals(WIRE))
                .forEach(below -> assertTrue(touched.contains(name(below)), () -> layer + " does not touch " + below));
    }

    /** The packages of this module and of soft-iwarp that the classes of a package name. */
    private static Set<String> touched(String layer) {
        return classes.stream().filter(type -> type.getPackageName().equals(name(layer)))
                .flatMap(type -> type.getDirectDependenciesFromSelf().stream()).map(arrow -> arrow.getTargetClass().getBaseComponentType())
                .map(JavaClass::getPackageName).filter(name -> name.startsWith(ROOT) || name.startsWith(SOFT_IWARP))
                .collect(Collectors.toCollection(TreeSet::new));
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
                .resideInAnyPackage("java.nio.channels..", "com.sun.nio.sctp..", "org.panamaverbs.bindings..")
                .orShould().dependOnClassesThat().areAssignableTo(Linker.class)
                .check(classes);
    }

    @Test
    void shouldHaveNoCycleOfPackages() {
        slices().matching(ROOT + ".(**)").should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|Data|Info|Manager)").check(classes);
    }

    private static String name(String layer) {
        if (layer.startsWith("softiwarp")) {
            return "org.panamaverbs." + layer;
        }
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }
}
