package org.panamaverbs.testing.layers;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.simpleName;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.lang.ArchRule;

/** The SPI is for providers. Every other module uses its support alone. */
final class SpiRule {
    private static final String[] PROVIDERS = { "org.panamaverbs.rdmacore..", "org.panamaverbs.softiwarp.." };
    /** The one exception: a module that is no provider names its settings by this service. */
    private static final String SETTINGS = "DeclaredSettings";
    private static final ArchRule RULE = noClasses().that().resideOutsideOfPackages(PROVIDERS).should()
            .dependOnClassesThat(resideInAPackage("org.panamaverbs.spi").and(not(simpleName(SETTINGS)))).allowEmptyShould(true);

    private SpiRule() {
    }

    static void check(JavaClasses classes) {
        RULE.check(classes);
    }
}
