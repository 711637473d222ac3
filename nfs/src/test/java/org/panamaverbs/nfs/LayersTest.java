package org.panamaverbs.nfs;

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

/** The layers: an import only ever points down. The client and the server share {@code xdr} and do not know each other. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.nfs.";

    /** Every arrow that there may be within the module: each package, with the packages that it may touch. No package stands in a circle of them. */
    private static final Map<String, Set<String>> ARROWS = Map.of("client", Set.of("xdr"), "server",
            Set.of("server.file", "server.session", "server.compound", "server.state", "server.export", "xdr"), "server.file",
            Set.of("server.compound", "server.state", "server.export", "xdr"), "server.session",
            Set.of("server.compound", "server.state", "server.export", "xdr"), "server.compound",
            Set.of("server.state", "server.export", "xdr"),
            "server.state", Set.of("server.export", "xdr"), "server.export", Set.of(), "xdr", Set.of());

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.panamaverbs.nfs");
    }

    static Set<String> packages() {
        return ARROWS.keySet();
    }

    @Test
    void shouldNameEachPackage() {
        Set<String> named = new TreeSet<>();
        ARROWS.keySet().forEach(layer -> named.add(ROOT + layer));
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
                forbidden.add(ROOT + other);
            }
        }
        noClasses().that().resideInAPackage(ROOT + layer).should().dependOnClassesThat()
                .resideInAnyPackage(forbidden.toArray(String[]::new)).check(classes);
    }

    @Test
    void shouldKnowNeitherNfsNorRpcWhereFilesAreFound() {
        classes().that().resideInAPackage(ROOT + "server.export").should().onlyDependOnClassesThat()
                .resideInAnyPackage(ROOT + "server.export", "java..").check(classes);
    }

    @Test
    void shouldKnowNoTransportInTheTypes() {
        classes().that().resideInAPackage(ROOT + "xdr").should().onlyDependOnClassesThat()
                .resideInAnyPackage(ROOT + "xdr", "java..", "org.dcache.oncrpc4j..", "org.glassfish.grizzly..").check(classes);
    }
}
