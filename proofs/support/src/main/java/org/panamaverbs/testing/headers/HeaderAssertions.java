package org.panamaverbs.testing.headers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.GroupLayout;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.UnionLayout;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/** Layouts and constants of generated bindings, held against C headers by a compiler. */
// Tested by ArchitecturesTest, HeadersTest.
public final class HeaderAssertions {
    /** The compiler of this machine's processor. */
    public static final List<String> HERE = List.of("cc");
    /** The compiler for aarch64 on x86_64; headers that are the same for both are those of this machine. */
    public static final List<String> AARCH64 = List.of("aarch64-linux-gnu-gcc", "-idirafter", "/usr/include");

    private static final Pattern FAILED = Pattern.compile("static assertion failed: \"([^\"]*)\"");

    private HeaderAssertions() {
    }

    /** All public structs and constants of a package of the bindings as assertions in C. */
    public static List<String> assertions(Class<?> functions) {
        List<String> assertions = new ArrayList<>();
        for (Class<?> type : classes(functions)) {
            try {
                GroupLayout layout = (GroupLayout) type.getMethod("layout").invoke(null);
                addStruct(assertions, type.getSimpleName(), layout);
            } catch (NoSuchMethodException e) {
                // A class of functions and constants, or of a function pointer.
                addConstants(assertions, type);
            } catch (ReflectiveOperationException e) {
                throw new AssertionError(type.getName(), e);
            }
        }
        return assertions;
    }

    private static List<Class<?>> classes(Class<?> functions) {
        try {
            Path place = Path.of(functions.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (Files.isDirectory(place)) {
                return classes(functions, place);
            }
            try (FileSystem jar = FileSystems.newFileSystem(place)) {
                return classes(functions, jar.getPath("/"));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (ReflectiveOperationException | URISyntaxException e) {
            throw new AssertionError(e);
        }
    }

    private static List<Class<?>> classes(Class<?> functions, Path root) throws IOException, ReflectiveOperationException {
        try (Stream<Path> files = Files.list(root.resolve(functions.getPackageName().replace('.', '/')))) {
            List<Class<?>> classes = new ArrayList<>();
            for (Path file : files.sorted().toList()) {
                String name = file.getFileName().toString();
                if (name.endsWith(".class") && !name.contains("$")) {
                    Class<?> type = Class.forName(functions.getPackageName() + "." + name.replace(".class", ""));
                    if (Modifier.isPublic(type.getModifiers())) {
                        classes.add(type);
                    }
                }
            }
            return classes;
        }
    }

    private static void addStruct(List<String> assertions, String called, GroupLayout layout) {
        // One without a tag has the name of its type.
        if (called.startsWith("__")) {
            // The insides of pthread's types, which differ without harm.
            return;
        }
        String type = layout.name().orElseThrow().contains("$") ? called : (layout instanceof UnionLayout ? "union " : "struct ") + called;
        add(assertions, "sizeof(" + type + ")", layout.byteSize());
        for (MemoryLayout member : layout.memberLayouts()) {
            member.name().ifPresent(name -> {
                if (!name.contains("$")) {
                    add(assertions, "offsetof(" + type + ", " + name + ")", layout.byteOffset(PathElement.groupElement(name)));
                }
            });
        }
    }

    private static void addConstants(List<String> assertions, Class<?> type) {
        for (Method method : type.getMethods()) {
            boolean isConstant = Modifier.isStatic(method.getModifiers()) && method.getParameterCount() == 0
                    && (method.getReturnType() == int.class || method.getReturnType() == long.class) && !method.getName().contains("$")
                    && Arrays.stream(type.getMethods()).noneMatch(other -> other.getName().equals(method.getName() + "$descriptor"));
            if (isConstant) {
                try {
                    // As 32 bits: the headers have some as unsigned.
                    Number value = (Number) method.invoke(null);
                    String wide = method.getReturnType() == int.class ? "(int) " : "(long) ";
                    assertions.add(
                            "_Static_assert((" + wide + method.getName() + ") == (" + wide + value + "L), \"" + method.getName() + "\");");
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(method.getName(), e);
                }
            }
        }
    }

    /** Adds an assertion: what an expression in C is. */
    public static void add(List<String> assertions, String what, long value) {
        assertions.add("_Static_assert(" + what + " == " + value + ", \"" + what + "\");");
    }

    /**
     * The assertions that a compiler finds to be false. The test is aborted if there is no such compiler.
     *
     * @param command    starts the compiler
     * @param headers    the source's beginning
     * @param assertions in C
     */
    public static TreeSet<String> differences(List<String> command, String headers, List<String> assertions) {
        Path source = null;
        try {
            source = Files.createTempFile("layouts", ".c");
            Files.writeString(source, headers + String.join("\n", assertions) + "\n");
            List<String> all = new ArrayList<>(command);
            all.addAll(List.of("-std=gnu11", "-fsyntax-only", "-fmax-errors=0", "-Wno-overflow", source.toString()));
            Process compiler = new ProcessBuilder(all).redirectErrorStream(true).start();
            compiler.getOutputStream().close();
            String said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = compiler.waitFor();
            TreeSet<String> different = new TreeSet<>();
            for (String line : said.lines().filter(each -> each.contains("error:")).toList()) {
                Matcher failed = FAILED.matcher(line);
                assertTrue(failed.find(), "the compiler does not understand what was generated: " + line);
                different.add(failed.group(1));
            }
            assertEquals(different.isEmpty(), status == 0, said);
            return different;
        } catch (IOException e) {
            return Assumptions.abort("no compiler " + command.getFirst() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            delete(source);
        }
    }

    private static void delete(Path file) {
        try {
            if (file != null) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
