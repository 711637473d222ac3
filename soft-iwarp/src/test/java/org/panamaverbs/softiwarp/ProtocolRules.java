package org.panamaverbs.softiwarp;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.function.Predicate;

/** What a protocol must not know, for the tests of layers of this module and of ddp. Each method takes the names of packages. */
public final class ProtocolRules {
    private ProtocolRules() {
    }

    // @formatter:off
    /** No sockets, streams or files. */
    public static ArchRule freeOfInputAndOutput(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().dependOnClassesThat()
                .resideInAnyPackage("java.net..", "java.io..", "java.nio.channels..", "java.nio.file..");
    }

    /** No threads, locks or waits. */
    public static ArchRule freeOfThreads(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().dependOnClassesThat().resideInAPackage("java.util.concurrent.locks..")
                .orShould().dependOnClassesThat().haveNameMatching("java\\.util\\.concurrent\\.(?!atomic\\.|TimeUnit$).*")
                .orShould().dependOnClassesThat(describe("are threads, except for hints to the scheduler", ProtocolRules::isThread))
                .orShould()
                .callMethodWhere(
                        describe("it is of Thread, and neither a hint to the scheduler nor holdsLock", ProtocolRules::isThreadCall));
    }

    /** No clocks. */
    public static ArchRule freeOfClocks(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().callMethod(System.class, "nanoTime")
                .orShould().callMethod(System.class, "currentTimeMillis")
                .orShould().dependOnClassesThat().resideInAPackage("java.time..");
    }

    /** No random numbers of their own. */
    public static ArchRule freeOfRandomSources(String... packages) {
        return noClasses().that().resideInAnyPackage(packages)
                .should().dependOnClassesThat().areAssignableTo("java.util.random.RandomGenerator")
                .orShould().dependOnClassesThat().haveFullyQualifiedName("java.util.UUID")
                .orShould().callMethod(Math.class, "random");
    }
    // @formatter:on

    private static <T> DescribedPredicate<T> describe(String description, Predicate<T> predicate) {
        return DescribedPredicate.describe(description, predicate);
    }

    /** Types that wait, wake or are a thread by another name; {@link Thread} itself is judged by its calls. */
    private static boolean isThread(JavaClass type) {
        return type.isAssignableTo(ThreadLocal.class) || type.isAssignableTo("java.util.Timer") || type.isAssignableTo(ThreadGroup.class);
    }

    /** All but the hints that a spin lock gives, and {@code holdsLock}, which stops nothing: it makes the JVM report faults in mapped files. */
    private static boolean isThreadCall(JavaMethodCall call) {
        String method = call.getTarget().getName();
        return call.getTargetOwner().isAssignableTo(Thread.class) && !Set.of("onSpinWait", "yield", "holdsLock").contains(method)
                || call.getTargetOwner().isEquivalentTo(Object.class) && (method.equals("wait") || method.startsWith("notify"));
    }
}
