package org.panamaverbs.rdmacore;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The layers of the provider for RDMA devices. */
class LayersTest {
    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("org.panamaverbs.rdmacore");
    }

    @Test
    void shouldExportOnlyTheProvider() {
        classes().that().arePublic().and().areTopLevelClasses().should().haveSimpleName("RdmaCoreProvider").check(classes);
    }

    @Test
    void shouldUseNoOtherProvider() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.softiwarp..").check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|Data|Info|(?<!Connection)Manager)").check(classes);
    }
}
