package org.panamaverbs.softiwarp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.lang.foreign.Linker;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The layers: an import only ever points down, and the protocol knows no socket, clock, thread or random source. */
class LayersTest {
    private static final String ROOT = "org.panamaverbs.softiwarp";

    /** From the top down; those in one row do not know each other. */
    private static final List<List<String>> LAYERS = List.of(List.of(""), List.of("cm"), List.of("progress"),
            List.of("qp", "transport.epoll", "transport.nio", "transport.memory"), List.of("transport"), List.of("rdmap"), List.of("ddp"),
            List.of("queue", "memory", "mpa"), List.of("wire"));

    private static final String[] KINDS = packages("transport.epoll", "transport.nio", "transport.memory");

    private static final String[] PROTOCOL = packages("wire", "memory", "queue", "mpa", "ddp", "rdmap", "qp");

    private static JavaClasses classes;

    @BeforeAll
    static void importClasses() {
        classes = new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(ROOT);
    }

    @Test
    void shouldHaveALayerForEachPackage() {
        Set<String> layers = new TreeSet<>();
        LAYERS.forEach(row -> row.forEach(layer -> layers.add(name(layer))));
        Set<String> found = new TreeSet<>();
        classes.forEach(type -> found.add(type.getPackageName()));
        assertEquals(layers, found);
    }

    @Test
    void shouldImportOnlyDownward() {
        for (int i = 0; i < LAYERS.size(); i++) {
            for (String layer : LAYERS.get(i)) {
                List<String> forbidden = new ArrayList<>();
                LAYERS.subList(0, i + 1).forEach(forbidden::addAll);
                forbidden.remove(layer);
                if (layer.equals("queue")) {
                    // Its requests name registered memory.
                    forbidden.remove("memory");
                }
                if (!forbidden.isEmpty()) {
                    noClasses().that().resideInAPackage(name(layer))
                            .should().dependOnClassesThat().resideInAnyPackage(packages(forbidden.toArray(String[]::new)))
                            .check(classes);
                }
            }
        }
    }

    /** The rows alone would allow more. */
    @Test
    void shouldKeepTransportsApartFromTheProtocol() {
        noClasses().that().resideInAPackage(name("transport.."))
                .should().dependOnClassesThat().resideInAnyPackage(packages("wire", "queue", "mpa", "ddp", "rdmap", "qp"))
                .check(classes);
        noClasses().that().resideInAnyPackage(PROTOCOL).should().dependOnClassesThat().resideInAPackage(name("transport.."))
                .check(classes);
    }

    @Test
    void shouldKnowTheKindsOfTransportAtTheTopOnly() {
        noClasses().that().resideInAnyPackage(packages("cm", "progress", "transport"))
                .should().dependOnClassesThat().resideInAnyPackage(KINDS)
                .check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfInputAndOutput() {
        noClasses().that().resideInAnyPackage(PROTOCOL)
                .should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.nio.channels..", "java.nio.file..")
                .check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfThreads() {
        noClasses().that().resideInAnyPackage(PROTOCOL)
                .should().dependOnClassesThat().resideInAPackage("java.util.concurrent.locks..")
                .orShould().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.(?!atomic\\.|TimeUnit$).*")
                .orShould().dependOnClassesThat(describe("are threads, except for hints to the scheduler", LayersTest::isThread))
                .orShould().callMethodWhere(describe("it is of Thread and no hint to the scheduler", LayersTest::isThreadCall))
                .check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfClocks() {
        noClasses().that().resideInAnyPackage(PROTOCOL)
                .should().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis")
                .orShould().dependOnClassesThat().resideInAPackage("java.time..")
                .check(classes);
    }

    @Test
    void shouldKeepTheProtocolFreeOfRandomSources() {
        noClasses().that().resideInAnyPackage(PROTOCOL)
                .should().dependOnClassesThat().areAssignableTo("java.util.random.RandomGenerator")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.UUID")
                .orShould().callMethod(Math.class, "random")
                .check(classes);
    }

    @Test
    void shouldTouchTheSystemOnlyInTransport() {
        noClasses().that().resideOutsideOfPackage(name("transport.."))
                .should().dependOnClassesThat().resideInAnyPackage("java.nio.channels..", "org.panamaverbs.bindings.libc..")
                .orShould().dependOnClassesThat().areAssignableTo(Linker.class)
                .check(classes);
    }

    @Test
    void shouldNotKnowDevices() {
        noClasses().should().dependOnClassesThat().resideInAPackage("org.panamaverbs.bindings.rdma..").check(classes);
    }

    @Test
    void shouldHaveNoCircles() {
        slices().assignedFrom(new Families()).should().beFreeOfCycles().check(classes);
    }

    @Test
    void shouldNameClassesByWhatTheyAre() {
        // The one exception is the field's own term: whatever is a connection manager.
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

    private static <T> DescribedPredicate<T> describe(String description, Predicate<T> predicate) {
        return DescribedPredicate.describe(description, predicate);
    }

    /** Whatever waits, wakes or is a thread by another name; {@link Thread} itself is judged by its calls. */
    private static boolean isThread(JavaClass type) {
        return type.isAssignableTo(ThreadLocal.class) || type.isAssignableTo("java.util.Timer") || type.isAssignableTo(ThreadGroup.class);
    }

    /** All but what a spin lock needs. */
    private static boolean isThreadCall(JavaMethodCall call) {
        String method = call.getTarget().getName();
        return call.getTargetOwner().isAssignableTo(Thread.class) && !method.equals("onSpinWait") && !method.equals("yield")
                || call.getTargetOwner().isEquivalentTo(Object.class)
                        && (method.equals("wait") || method.startsWith("notify"));
    }

    /** Every class by itself, with its nested ones, except that those which cannot do without each other count as one. */
    private static final class Families implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            JavaClass top = type;
            while (top.getEnclosingClass().isPresent()) {
                top = top.getEnclosingClass().get();
            }
            String simple = top.getSimpleName();
            if (top.getPackageName().equals(ROOT) && (simple.startsWith("Soft") || simple.equals("PendingConnection"))) {
                return SliceIdentifier.of("objects of verbs"); // each makes its children, and each names its parent
            }
            for (String prefix : List.of("Epoll", "Nio", "Memory")) {
                if (top.getPackageName().equals(name("transport." + prefix.toLowerCase(Locale.ROOT))) && simple.startsWith(prefix)) {
                    return SliceIdentifier.of("transport " + prefix); // streams, and who waits for them
                }
            }
            if (top.getPackageName().equals(name("progress")) && List.of("EventLoop", "StreamDriver", "DirectReads").contains(simple)) {
                return SliceIdentifier.of("the loop and its drivers");
            }
            return SliceIdentifier.of(top.getName());
        }

        @Override
        public String getDescription() {
            return "classes, those of one family as one";
        }
    }
}
