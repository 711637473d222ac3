package org.panamaverbs.rdmacore.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
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
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_context;
import org.panamaverbs.bindings.rdma.ibv_cq_ex;
import org.panamaverbs.bindings.rdma.ibv_qp_ex;
import org.panamaverbs.bindings.rdma.pthread_mutex_t;
import org.panamaverbs.bindings.rdma.verbs_context;

/**
 * The layouts and constants of the bindings, held against the C headers of this machine by a compiler: that of x86_64, for which the bindings
 * were generated, and that of aarch64. The headers of rdma-core are the same files for both.
 */
class ArchitecturesTest {
    private static final Pattern FAILED = Pattern.compile("static assertion failed: \"([^\"]*)\"");

    /** All public structs and constants of a package of the bindings as assertions in C. */
    private static List<String> assertions(Class<?> functions) {
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
                    assertions.add("_Static_assert((" + wide + method.getName() + ") == (" + wide + value + "L), \"" + method.getName()
                            + "\");");
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(method.getName(), e);
                }
            }
        }
    }

    private static void add(List<String> assertions, String what, long value) {
        assertions.add("_Static_assert(" + what + " == " + value + ", \"" + what + "\");");
    }

    /** The assertions that a compiler finds to be false. */
    private static TreeSet<String> differences(List<String> command, String headers, List<String> assertions) {
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

    private static final List<String> X86_64 = List.of("cc");
    private static final List<String> AARCH64 = List.of("aarch64-linux-gnu-gcc", "-idirafter", "/usr/include");
    private static final String RDMA_HEADERS = """
            #include <stddef.h>
            #include <infiniband/verbs.h>
            #include <infiniband/sa.h>
            #include <rdma/rdma_cma.h>
            """;

    @BeforeAll
    static void needsLibraries() {
        String missing = Libraries.missing();
        Assumptions.assumeTrue(missing == null, missing);
        Assumptions.assumeTrue("amd64".equals(System.getProperty("os.arch")), "cc is asked for x86_64");
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/include/infiniband/verbs.h")) && Files.exists(Path.of(
                "/usr/include/rdma/rdma_cma.h")), "the headers are missing: install libibverbs-dev and librdmacm-dev");
    }

    private static String libcHeaders() {
        Path basedir = Path.of(System.getProperty("basedir", "."));
        try {
            return "#include <stddef.h>\n" + Files.readString(basedir.resolve("../bindings/src/main/jextract/libc.h"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> differences(List<String> compiler) {
        List<String> all = new ArrayList<>(differences(compiler, libcHeaders(), assertions(Libc.class)));
        all.addAll(differences(compiler, RDMA_HEADERS, assertions(Rdma.class)));
        return all;
    }

    @Test
    void shouldHaveBindingsOfTheHeadersOfX86() {
        assertEquals(List.of(), differences(X86_64));
    }

    @Test
    void shouldKnowAllThatDiffersOnAarch64() throws IOException {
        List<String> known;
        try (InputStream file = ArchitecturesTest.class.getResourceAsStream("aarch64-differences")) {
            known = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("#")).toList();
        }
        assertEquals(String.join("\n", known), String.join("\n", differences(AARCH64)));
    }

    /** Of the structs with a mutex that this provider looks into: as {@link Layouts} has it. */
    @Test
    void shouldFindTheFieldsBehindAMutexOnAarch64() {
        long longer = Layouts.longerMutex("aarch64");
        List<String> assertions = new ArrayList<>();
        add(assertions, "sizeof(pthread_mutex_t)", pthread_mutex_t.sizeof() + longer);
        add(assertions, "sizeof(struct verbs_context)", verbs_context.sizeof() + longer);
        add(assertions, "offsetof(struct verbs_context, context)", verbs_context.context$offset());
        addBehind(assertions, ibv_context.layout(), "mutex", longer);
        addBehind(assertions, ibv_cq_ex.layout(), "mutex", longer);
        addBehind(assertions, ibv_qp_ex.layout(), "qp_base", longer);
        assertTrue(assertions.size() > 50, "there are such fields");
        assertEquals(Set.of(), differences(AARCH64, RDMA_HEADERS, assertions));
        assertEquals(0, Layouts.longerMutex("amd64"));
    }

    private static void addBehind(List<String> assertions, GroupLayout layout, String mutex, long longer) {
        String type = "struct " + layout.name().orElseThrow();
        long behind = layout.byteOffset(PathElement.groupElement(mutex));
        add(assertions, "sizeof(" + type + ")", layout.byteSize() + longer);
        for (MemoryLayout member : layout.memberLayouts()) {
            String name = member.name().orElse("$");
            if (!name.contains("$")) {
                long offset = layout.byteOffset(PathElement.groupElement(name));
                add(assertions, "offsetof(" + type + ", " + name + ")", offset + (offset > behind ? longer : 0));
            }
        }
    }

    /** The numbers that {@code Syscalls} of soft-iwarp and {@code Libc} of tools choose by the processor. */
    @ParameterizedTest
    @CsvSource({ "false, 12, 4, 45, 44, 19, 20, 0x10000, 0x410000", "true, 16, 8, 207, 206, 65, 66, 0x4000, 0x404000" })
    void shouldHaveTheNumbersThatAreChosenByTheProcessor(boolean isAarch64, int event, int data, int recvfrom, int sendto, int readv,
            int writev, String directory, String unnamed) {
        List<String> assertions = new ArrayList<>();
        add(assertions, "sizeof(struct epoll_event)", event);
        add(assertions, "offsetof(struct epoll_event, data)", data);
        add(assertions, "SYS_recvfrom", recvfrom);
        add(assertions, "SYS_sendto", sendto);
        add(assertions, "SYS_readv", readv);
        add(assertions, "SYS_writev", writev);
        add(assertions, "O_DIRECTORY", Integer.decode(directory));
        add(assertions, "O_TMPFILE", Integer.decode(unnamed));
        add(assertions, "O_RDWR", 2);
        add(assertions, "O_CLOEXEC", 0x80000);
        add(assertions, "AT_FDCWD", -100);
        add(assertions, "AT_SYMLINK_FOLLOW", 0x400);
        assertEquals(Set.of(), differences(isAarch64 ? AARCH64 : X86_64,
                "#define _GNU_SOURCE\n#include <fcntl.h>\n#include <stddef.h>\n#include <sys/epoll.h>\n#include <sys/syscall.h>\n",
                assertions));
    }

    @Test
    void shouldCautionOnProcessorsThatNothingHasRunOn() {
        assertTrue(Libraries.caution("aarch64").contains("untested on aarch64"));
        assertNull(Libraries.caution("amd64"));
    }
}
