package org.panamaverbs;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.panamaverbs.spi.AbstractMemoryRegion;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.spi.VerbsProvider;
import org.panamaverbs.spi.WorkRequest;

/** The layers of the API and the SPI. That neither knows a provider follows from the module, which needs slf4j-api alone. */
class LayersTest {
    private static final String API = "org.panamaverbs";
    private static final String CM = "org.panamaverbs.cm..";
    private static final String DEVICE = "org.panamaverbs.device..";
    private static final String STATISTICS = "org.panamaverbs.statistics..";
    private static final String SPI = "org.panamaverbs.spi";
    private static final String SUPPORT = "org.panamaverbs.spi.support";

    /**
     * Objects of verbs, and what their verbs take and give: each makes its children, and each names its parent. A request is described in the
     * API and read in the SPI.
     */
    private static final Set<Class<?>> OBJECTS = Set.of(Device.class, Capability.class, ProtectionDomain.class, MemoryRegion.class,
            RegistrationAttributes.class, MemoryWindow.class, AddressHandle.class, QueuePair.class, SendRequest.class, ReceiveRequest.class,
            WorkRequest.class, SendWorkRequest.class, ReceiveWorkRequest.class, AbstractMemoryRegion.class, SendOperation.class,
            CompletionQueue.class, CompletionChannel.class, CompletionQueueAttributes.class, ReceiveQueue.class, SharedReceiveQueue.class,
            ScatterGatherList.class, QueuePairAttributes.class, QueriedAttributes.class, DatagramQueuePair.class, AddressedQueuePair.class,
            AsynchronousEvent.class, AsynchronousEvents.class);

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(API);
    }

    @Test
    void shouldKeepTheVerbsFreeOfConnections() {
        noClasses().that().resideInAPackage(API).should().dependOnClassesThat().resideInAPackage(CM).check(classes);
    }

    @Test
    void shouldKeepTheValuesOfDevicesFreeOfVerbs() {
        noClasses().that().resideInAnyPackage(DEVICE, STATISTICS).should()
                .dependOnClassesThat(resideInAnyPackage(API, CM).and(not(equivalentTo(Incubating.class)))).check(classes);
    }

    /** Modules that are no provider use it alone. */
    @Test
    void shouldKeepTheSupportFreeOfTheSpi() {
        noClasses().that().resideInAPackage(SUPPORT).should().dependOnClassesThat().resideInAPackage(SPI).check(classes);
    }

    @Test
    void shouldHaveNoCircles() {
        slices().assignedFrom(new Families()).should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        // The one exception is the field's own term: a connection manager.
        classes().should().haveNameNotMatching(".*(Impl|Utils?|Helper|Data|Info|(?<!Connection)Manager)").check(classes);
    }

    /** Every file by itself, except that the files of three families, which cannot do without each other, count as one. */
    private static final class Families implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            JavaClass top = type;
            while (top.getEnclosingClass().isPresent()) {
                top = top.getEnclosingClass().get();
            }
            if (OBJECTS.stream().anyMatch(top::isEquivalentTo)) {
                return SliceIdentifier.of("objects of verbs");
            }
            // Sealed: it lists its subclasses.
            if (top.isAssignableTo(VerbsException.class)) {
                return SliceIdentifier.of("exceptions");
            }
            // As everywhere in the JDK: the API looks up the SPI, whose methods take and give types of the API.
            if (top.isEquivalentTo(Configuration.class) || top.isEquivalentTo(Providers.class) || top.isEquivalentTo(VerbsProvider.class)) {
                return SliceIdentifier.of("configuration and providers");
            }
            return SliceIdentifier.of(top.getName());
        }

        @Override
        public String getDescription() {
            return "classes, those of one family as one";
        }
    }
}
