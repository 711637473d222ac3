package org.panamaverbs.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where a reader finds the test of a class: it has the name of the class in front ({@code XTest}, {@code XFaultsTest}) and lies in the
 * module of the class or in {@code stress}; or a line above the class names it:
 *
 * <pre>
 * // Tested by FooTest, BarContract.
 * </pre>
 */
final class FindableTests {
    /** A shorter file needs no test of its own. */
    static final int LINES = 150;
    private static final Pattern TESTED_BY = Pattern.compile("^// Tested by (.*)$", Pattern.MULTILINE);
    private static final Pattern NAMES = Pattern.compile("\\w+(?:Test|Contract)(?:, \\w+(?:Test|Contract))*\\.");
    private static final String STRESS = "stress";
    /** Made by jextract, and an example that the contract suite tests. */
    private static final Set<String> OTHERS = Set.of("bindings", "loopback-provider");
    private final Map<String, Set<String>> tests = new TreeMap<>();
    private final Map<String, List<Path>> classes = new TreeMap<>();

    /** Reads the names of all classes and tests of the modules in a folder and in its folders. */
    FindableTests(Path root) throws IOException {
        try (Stream<Path> folders = Files.walk(root, 2)) {
            for (Path module : folders.filter(folder -> Files.isDirectory(folder.resolve("src"))).sorted().toList()) {
                String name = module.getFileName().toString();
                tests.put(name, sources(module.resolve("src/test/java")).stream().map(FindableTests::className)
                        .collect(Collectors.toCollection(TreeSet::new)));
                if (!OTHERS.contains(name)) {
                    classes.put(name, sources(module.resolve("src/main/java")));
                }
            }
        }
    }

    private static List<Path> sources(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
        }
    }

    private static String className(Path source) {
        return source.getFileName().toString().replace(".java", "");
    }

    /** The classes without a test that a reader finds, and lines that name a test which does not exist. */
    List<String> faults() throws IOException {
        List<String> faults = new ArrayList<>();
        for (Map.Entry<String, List<Path>> module : classes.entrySet()) {
            Set<String> named = classesWithTests(module.getKey());
            for (Path source : module.getValue()) {
                String text = Files.readString(source);
                Matcher line = TESTED_BY.matcher(text);
                if (line.find()) {
                    fault(line.group(1)).ifPresent(fault -> faults.add(source + ": " + fault));
                } else if (text.lines().count() >= LINES && !named.contains(className(source))) {
                    faults.add(source + ": " + text.lines().count() + " lines, no " + className(source)
                            + "Test, and no line '// Tested by ...Test.' above the class");
                }
            }
        }
        return faults;
    }

    /** A test belongs to the class with the longest name that it begins with: StreamReaderTest is none of Stream, if there is a StreamReader. */
    private Set<String> classesWithTests(String module) {
        Set<String> own = new TreeSet<>(tests.get(module));
        own.addAll(tests.getOrDefault(STRESS, Set.of()));
        Set<String> names = classes.get(module).stream().map(FindableTests::className).collect(Collectors.toSet());
        return own
                .stream().filter(test -> test.endsWith("Test")).flatMap(test -> names.stream()
                        .filter(name -> test.matches(name + "(?:[A-Z0-9]\\w*)?Test")).max(Comparator.comparingInt(String::length)).stream())
                .collect(Collectors.toSet());
    }

    private Optional<String> fault(String listed) {
        if (!NAMES.matcher(listed).matches()) {
            return Optional.of("a line names tests as in '// Tested by FooTest, BarContract.', not: " + listed);
        }
        return Stream.of(listed.substring(0, listed.length() - 1).split(", "))
                .filter(name -> tests.values().stream().noneMatch(all -> all.contains(name))).findFirst()
                .map(name -> "there is no " + name);
    }
}
