package org.panamaverbs.testing.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** The reports of the build's tests: they name those that ran and passed. */
final class SurefireReports {
    private static final Pattern METHOD = Pattern.compile("^[\\w$]+");
    private final Path folder;
    private final Path classes;
    private final Instant begun;
    private final Map<Class<?>, Optional<Set<String>>> passed = new HashMap<>();

    /** The reports of the tests that ran after {@code begun}. */
    SurefireReports(Path module, Instant begun) {
        this.begun = begun;
        folder = module.resolve("target/surefire-reports");
        classes = module.resolve("target/test-classes");
    }

    /** Why a test does not count as one that ran; empty if it does. */
    Optional<String> fault(Method test) {
        String name = AnnotatedTests.name(test);
        Optional<Set<String>> ran = passed.computeIfAbsent(test.getDeclaringClass(), this::read);
        if (ran.isEmpty()) {
            return Optional.of(name + ": its class did not run in this build, or was compiled after that");
        }
        return ran.get().contains(test.getName()) ? Optional.empty() : Optional.of(name + " did not run, was skipped or failed");
    }

    private Optional<Set<String>> read(Class<?> type) {
        Path report = folder.resolve("TEST-" + type.getName() + ".xml");
        Path compiled = classes.resolve(type.getName().replace('.', '/') + ".class");
        try {
            if (!Files.exists(report)) {
                return Optional.empty();
            }
            FileTime ran = Files.getLastModifiedTime(report);
            if (ran.compareTo(Files.getLastModifiedTime(compiled)) < 0 || ran.toInstant().isBefore(begun)) {
                return Optional.empty();
            }
            try (InputStream in = Files.newInputStream(report)) {
                return Optional.of(passed(XMLInputFactory.newDefaultFactory().createXMLStreamReader(in)));
            }
        } catch (IOException | XMLStreamException e) {
            throw new IllegalStateException(report + " cannot be read", e);
        }
    }

    /** The methods with one case that passed, at least, and none that did not. */
    private static Set<String> passed(XMLStreamReader xml) throws XMLStreamException {
        Set<String> good = new HashSet<>();
        Set<String> bad = new HashSet<>();
        String method = "";
        while (xml.hasNext()) {
            if (xml.next() == XMLStreamConstants.START_ELEMENT) {
                switch (xml.getLocalName()) {
                    case "testcase" -> {
                        Matcher name = METHOD.matcher(xml.getAttributeValue(null, "name"));
                        method = name.find() ? name.group() : "";
                        good.add(method);
                    }
                    case "skipped", "failure", "error" -> bad.add(method);
                    default -> {
                        // Output and properties.
                    }
                }
            }
        }
        good.removeAll(bad);
        return good;
    }
}
