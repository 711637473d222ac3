package org.panamaverbs.testing.conformance;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Disabled;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.TestClasses;

/** The tests of a module that name a requirement. */
final class AnnotatedTests {
    private static final List<String> TESTS = List.of("Test", "ParameterizedTest", "TestFactory", "RepeatedTest");
    private final Map<String, Set<Method>> byRequirement = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    private AnnotatedTests() {
    }

    static AnnotatedTests ofModule() {
        AnnotatedTests tests = new AnnotatedTests();
        Map<String, Class<?>> named = new TreeMap<>();
        for (Class<?> type : TestClasses.all()) {
            for (Method method : type.getDeclaredMethods()) {
                Requirement requirement = method.getAnnotation(Requirement.class);
                if (requirement != null) {
                    if (named.computeIfAbsent(type.getSimpleName(), each -> type) != type) {
                        tests.faults.add(name(method) + " is the name of tests in two packages: a page could not tell them apart");
                    }
                    tests.check(method);
                    tests.add(method, requirement);
                }
            }
        }
        return tests;
    }

    private void add(Method method, Requirement requirement) {
        for (String text : requirement.value()) {
            try {
                Row.numbers(text).forEach(number -> byRequirement
                        .computeIfAbsent(number, key -> new TreeSet<>((a, b) -> name(a).compareTo(name(b)))).add(method));
            } catch (IllegalArgumentException e) {
                faults.add(name(method) + ": " + e.getMessage());
            }
        }
    }

    private void check(Method method) {
        Class<?> type = method.getDeclaringClass();
        if (Arrays.stream(method.getAnnotations()).map(Annotation::annotationType).map(Class::getSimpleName).noneMatch(TESTS::contains)) {
            faults.add(name(method) + " names a requirement, and is no test");
        }
        if (Modifier.isAbstract(type.getModifiers()) || !type.getName().endsWith("Test")) {
            faults.add(name(method) + " names a requirement, and surefire does not run its class by itself");
        }
        if (method.isAnnotationPresent(Disabled.class) || type.isAnnotationPresent(Disabled.class)) {
            faults.add(name(method) + " names a requirement, and is disabled");
        }
    }

    static String name(Method method) {
        return method.getDeclaringClass().getSimpleName() + "#" + method.getName();
    }

    /** Faults of the annotations themselves. */
    List<String> faults() {
        return faults;
    }

    Map<String, Set<Method>> byRequirement() {
        return byRequirement;
    }

    Map<String, Set<String>> names() {
        Map<String, Set<String>> names = new TreeMap<>();
        byRequirement.forEach((number, methods) -> {
            Set<String> texts = new TreeSet<>();
            methods.forEach(method -> texts.add("`" + name(method) + "`" + (Proofs.contain(method) ? " (profile `proofs`)" : "")));
            names.put(number, texts);
        });
        return names;
    }
}
