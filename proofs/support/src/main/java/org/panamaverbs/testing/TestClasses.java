package org.panamaverbs.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** The classes and folders of the module whose tests run. */
public final class TestClasses {
    private static final String SUFFIX = ".class";

    private TestClasses() {
    }

    /** The module's folder; surefire names it. */
    public static Path module() {
        return Path.of(System.getProperty("basedir", "")).toAbsolutePath();
    }

    /** The project's folder, which has the folder {@code .mvn}. */
    public static Path project() {
        Path folder = module();
        while (!Files.isDirectory(folder.resolve(".mvn"))) {
            folder = Objects.requireNonNull(folder.getParent(), "no folder above " + module() + " has a folder .mvn");
        }
        return folder;
    }

    /** All classes of the module's tests, not initialized. */
    public static List<Class<?>> all() {
        return names("target/test-classes").stream().<Class<?>>map(TestClasses::load).toList();
    }

    /** The binary names of all classes below a folder of the module. */
    public static List<String> names(String folder) {
        Path root = module().resolve(folder);
        try (Stream<Path> files = Files.walk(root)) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(SUFFIX) && !file.endsWith("-info.class"))
                    .map(file -> file.substring(0, file.length() - SUFFIX.length()).replace('/', '.')).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException("the classes in " + root + " cannot be listed: compile the module first", e);
        }
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(name, false, TestClasses.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(name + " lies in target/test-classes, and is not on the class path", e);
        }
    }
}
