package org.panamaverbs.tools;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The commands stand beside each other, over what they share; and they are programs of the public API. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.tools";

    private static JavaClasses tools;

    @BeforeAll
    static void importClasses() {
        tools = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    }

    @Test
    void shouldUseThePublicInterfaceOnly() {
        classes().that().resideInAPackage(ROOT + "..").should().onlyDependOnClassesThat().resideInAnyPackage(ROOT + "..", "org.panamaverbs",
                "org.panamaverbs.cm", "org.panamaverbs.ddp", "org.panamaverbs.rpcrdma", "org.panamaverbs.nfs.client",
                "org.panamaverbs.nfs.server",
                "org.panamaverbs.nfs.xdr", "org.dcache.oncrpc4j..", "java..", "com.sun.management..", "picocli..", "org.HdrHistogram..",
                "me.tongfei.progressbar..",
                "com.fasterxml.jackson..")
                .check(tools);
    }

    @Test
    void shouldKeepCommandsApart() {
        slices().matching(ROOT + ".(perf|ping|copy|cast|nfs|capture|decode)..").should().notDependOnEachOther().check(tools);
    }

    @Test
    void shouldNotKnowFromBelowWhoShares() {
        noClasses().that().resideInAPackage(ROOT + ".shared").should().dependOnClassesThat()
                .resideInAnyPackage(ROOT, ROOT + ".perf..", ROOT + ".ping", ROOT + ".copy", ROOT + ".cast..", ROOT + ".nfs",
                        ROOT + ".capture", ROOT + ".decode",
                        ROOT + ".files")
                .check(tools);
        noClasses().that().resideInAPackage(ROOT + ".files").should().dependOnClassesThat()
                .resideInAnyPackage(ROOT, ROOT + ".perf..", ROOT + ".ping", ROOT + ".copy", ROOT + ".cast..", ROOT + ".nfs",
                        ROOT + ".capture", ROOT + ".decode")
                .check(tools);
        noClasses().that()
                .resideInAnyPackage(ROOT + ".perf", ROOT + ".ping", ROOT + ".copy", ROOT + ".cast", ROOT + ".nfs", ROOT + ".capture",
                        ROOT + ".decode")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT).check(tools);
        noClasses().that().resideInAPackage(ROOT + ".perf.idle").should().dependOnClassesThat().resideInAPackage(ROOT + ".perf")
                .check(tools);
    }
}
