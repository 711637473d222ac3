package org.panamaverbs.rpcrdma;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The layers: an import only ever points down, and the protocol knows no device, thread or clock. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.rpcrdma";

    /** Every arrow that there may be within the module: each package, with the packages that it may touch. */
    private static final Map<String, Set<String>> ARROWS = Map.of("", Set.of("link", "endpoint", "message"), "link",
            Set.of("endpoint", "wire"),
            "endpoint", Set.of("message", "wire"), "message", Set.of(), "wire", Set.of());

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    }

    static Set<String> packages() {
        return ARROWS.keySet();
    }

    @Test
    void shouldNameEachPackage() {
        Set<String> named = new TreeSet<>();
        ARROWS.keySet().forEach(layer -> named.add(name(layer)));
        Set<String> there = new TreeSet<>();
        classes.forEach(each -> there.add(each.getPackageName()));
        assertEquals(named, there);
    }

    @ParameterizedTest
    @MethodSource("packages")
    void shouldTouchOnlyWhatIsBelow(String layer) {
        List<String> forbidden = new ArrayList<>();
        for (String other : ARROWS.keySet()) {
            if (!other.equals(layer) && !ARROWS.get(layer).contains(other)) {
                forbidden.add(name(other));
            }
        }
        noClasses().that().resideInAPackage(name(layer)).should().dependOnClassesThat().resideInAnyPackage(forbidden.toArray(String[]::new))
                .check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfDevicesThreadsAndClocks() {
        classes().that().resideInAnyPackage(name("wire"), name("message"), name("endpoint")).should().onlyDependOnClassesThat()
                .resideInAnyPackage(ROOT + "..", "java.lang", "java.lang.foreign", "java.lang.invoke", "java.lang.runtime", "java.io",
                        "java.nio",
                        "java.util", "java.util.function", "java.util.stream", "java.util.concurrent", "java.util.concurrent.atomic",
                        "java.util.concurrent.locks", "org.dcache.oncrpc4j..", "org.glassfish.grizzly..")
                .check(classes);
        noClasses().that().resideInAnyPackage(name("wire"), name("message"), name("endpoint")).should().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis").orShould().dependOnClassesThat().areAssignableTo(Thread.class)
                .check(classes);
    }

    private static String name(String layer) {
        return layer.isEmpty() ? ROOT : ROOT + "." + layer;
    }
}
