package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.panamaverbs.testing.TestClasses;

/**
 * The oldest versions of Netty and of SLF4J that programs may bring. The other tests have the newest. Maven copies the jars to
 * target/oldest.
 */
class OldestVersionsTest {
    /** The class path of the tests, with the oldest versions of the two libraries in place of the newest. */
    private static List<Path> classPath() throws IOException {
        List<Path> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (!name.startsWith("netty-") && !name.startsWith("slf4j-")) {
                path.add(Path.of(entry));
            }
        }
        try (Stream<Path> jars = Files.list(TestClasses.module().resolve("target/oldest"))) {
            path.addAll(jars.toList());
        }
        return path;
    }

    @Test
    void shouldExchange() throws Exception {
        List<String> paths = classPath().stream().map(Path::toString).toList();
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                String.join(File.pathSeparator, paths), CoreExchange.class.getName()).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("exchanged by 4.2.0.Final"), output);
    }

    /** A method that only newer versions have shows itself when it is called, maybe much later. */
    @Test
    void shouldHaveEachMethodThatIsCalled() throws IOException {
        List<Path> classPath = classPath();
        List<URL> urls = new ArrayList<>();
        for (Path path : classPath) {
            urls.add(path.toUri().toURL());
        }
        TreeSet<String> missing = new TreeSet<>();
        int calls = 0;
        try (URLClassLoader oldest = new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
            for (JavaClass type : ourClasses(classPath)) {
                for (JavaCodeUnitAccess<?> call : type.getCodeUnitAccessesFromSelf()) {
                    if (!call.getTargetOwner().getName().startsWith("java.") && !call.getTargetOwner().isArray()) {
                        calls++;
                        if (!exists(oldest, call)) {
                            missing.add(type.getName() + " calls " + call.getTarget().getFullName());
                        }
                    }
                }
            }
        }
        assertEquals(new TreeSet<>(), missing);
        assertTrue(calls > 1000, calls + " calls");
    }

    /** A build that packages has our modules as jars. */
    private static Location location(Path path) {
        return path.toString().endsWith(".jar") ? Location.of(URI.create("jar:" + path.toUri() + "!/")) : Location.of(path);
    }

    /** Those of our modules, but for the bindings, which call neither library. */
    private static JavaClasses ourClasses(List<Path> classPath) {
        List<Location> modules = classPath.stream()
                .filter(path -> path.endsWith("target/classes") || path.getFileName().toString().matches("panama-verbs-.*(?<!tests)\\.jar"))
                .filter(path -> !path.toString().contains("bindings")).map(OldestVersionsTest::location).toList();
        return ArchConfiguration.withThreadLocalScope(configuration -> {
            configuration.setResolveMissingDependenciesFromClassPath(false);
            return new ClassFileImporter().importLocations(modules);
        });
    }

    private static boolean exists(ClassLoader loader, JavaCodeUnitAccess<?> call) {
        try {
            Class<?> owner = Class.forName(call.getTargetOwner().getName(), false, loader);
            List<String> parameters = call.getTarget().getRawParameterTypes().stream().map(JavaClass::getName).toList();
            return call.getTarget().getName().equals("<init>")
                    ? Stream.of(owner.getDeclaredConstructors()).anyMatch(each -> names(each.getParameterTypes()).equals(parameters))
                    : hasMethod(owner, call.getTarget().getName(), parameters);
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    private static boolean hasMethod(Class<?> owner, String name, List<String> parameters) {
        if (owner == null) {
            return false;
        }
        return Stream.of(owner.getDeclaredMethods())
                .anyMatch(each -> each.getName().equals(name) && names(each.getParameterTypes()).equals(parameters))
                || hasMethod(owner.isInterface() ? Object.class : owner.getSuperclass(), name, parameters)
                || Stream.of(owner.getInterfaces()).anyMatch(above -> hasMethod(above, name, parameters));
    }

    private static List<String> names(Class<?>[] types) {
        return Arrays.stream(types).map(Class::getName).toList();
    }
}
