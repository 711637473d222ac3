package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Program;
import org.panamaverbs.testing.Proofs;

/**
 * Every block of Java code in README.md, docs/*.md and examples/*.md compiles, without a warning and for JDK 22, and runs. A program runs
 * over each transport in a process of its own and must end with status 0; a fragment runs with the names of {@link Surroundings}.
 * docs/reference/proofs.md has the comments by which a page says more. {@code -Ddocuments.page=docs/memory.md} runs the blocks of one page.
 */
class CodeBlocksTest {
    private static final Path ROOT = Path.of("..", "..");
    private static final String NATIVE_MODULES = "org.panamaverbs,org.panamaverbs.bindings,org.panamaverbs.posix";

    @TempDir
    private static Path fragments;
    @TempDir
    Path folder;

    /** All fragments at once: most of the time of a compiler is its start. */
    @BeforeAll
    static void compileFragments() throws IOException {
        List<Path> sources = new ArrayList<>();
        for (JavaBlock block : blocks(block -> !block.isProgram())) {
            sources.add(write(block, fragments));
        }
        if (!sources.isEmpty()) {
            Program.compile(sources, fragments);
        }
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource
    void shouldCompile(JavaBlock block) throws IOException {
        Program.compile(write(block, folder), folder);
    }

    static List<JavaBlock> shouldCompile() throws IOException {
        return blocks(block -> !block.isRun() && block.isProgram());
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource
    void shouldRunTheFragment(JavaBlock block, String transport) throws Exception {
        run(block, transport);
    }

    static List<Arguments> shouldRunTheFragment() throws IOException {
        List<Arguments> runs = new ArrayList<>();
        for (JavaBlock block : blocks(block -> block.isRun() && !block.isProgram())) {
            for (String transport : Proofs.cases("auto", "nio")) {
                runs.add(Arguments.of(block, transport));
            }
        }
        return runs;
    }

    @ParameterizedTest(allowZeroInvocations = true)
    @MethodSource
    void shouldRunTheProgram(JavaBlock block, String transport, String arguments) throws Exception {
        Path output = folder.resolve("output");
        Program program = Program.compile(write(block, folder), folder);
        String said = Program.finished(program.start(transport, output, arguments.isEmpty() ? new String[0] : arguments.split(" ")),
                output);
        assertTrue(said.contains(block.notes().getOrDefault(JavaBlock.PRINTS, "")), () -> block + " prints\n" + said);
    }

    static List<Arguments> shouldRunTheProgram() throws IOException {
        List<Arguments> runs = new ArrayList<>();
        for (JavaBlock block : blocks(block -> block.isRun() && block.isProgram())) {
            String arguments = block.notes().get(JavaBlock.ARGUMENTS);
            if (arguments == null) {
                Proofs.cases("epoll", "nio").forEach(transport -> runs.add(Arguments.of(block, transport, "")));
            } else {
                Stream.of(arguments.split(",")).forEach(line -> runs.add(Arguments.of(block, "auto", line.strip())));
            }
        }
        return runs;
    }

    /** With our modules and slf4j on the module path, and native access for those that the page names. */
    @Test
    void shouldRunTheFirstProgramAsAModule() throws Exception {
        JavaBlock block = JavaBlock.of(ROOT, "docs/getting-started.md").stream().filter(JavaBlock::isProgram).findFirst().orElseThrow();
        Path sources = Files.createDirectories(folder.resolve("sources").resolve("sample"));
        Path source = sources.resolve(block.className() + ".java");
        Files.writeString(source, "package sample; " + block.source());
        Path descriptor = folder.resolve("sources").resolve("module-info.java");
        Files.writeString(descriptor, "module sample {\n    requires org.panamaverbs;\n}\n");
        String modules = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> entry.matches(".*/(verbs|bindings|posix|soft-iwarp)/target/classes"
                        + "|.*/panama-verbs(-bindings|-posix|-soft-iwarp)?-\\d[^/]*(?<!-tests)\\.jar|.*/slf4j-[^/]*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
        Path classes = folder.resolve("classes");
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = ToolProvider.getSystemJavaCompiler().run(null, messages, messages, "-Xlint:all,-path", "-Werror", "-proc:none",
                "--module-path", modules, "-d", classes.toString(), descriptor.toString(), source.toString());
        assertEquals(0, result, messages::toString);
        Path output = folder.resolve("output");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=" + NATIVE_MODULES, "-Dpanamaverbs.provider=soft-iwarp", "--module-path",
                modules + File.pathSeparator + classes, "--module", "sample/sample." + block.className()).redirectErrorStream(true)
                .redirectOutput(output.toFile()).start();
        String said = Program.finished(process, output);
        assertTrue(said.contains(block.notes().getOrDefault(JavaBlock.PRINTS, "")), said);
        assertFalse(said.contains("WARNING"), said);
    }

    private static List<JavaBlock> blocks(Predicate<JavaBlock> wanted) throws IOException {
        List<JavaBlock> blocks = new ArrayList<>();
        for (String page : pages()) {
            JavaBlock.of(ROOT, page).stream().filter(wanted).forEach(blocks::add);
        }
        return blocks;
    }

    private static List<String> pages() throws IOException {
        String page = System.getProperty("documents.page");
        if (page != null) {
            return List.of(page);
        }
        List<String> pages = new ArrayList<>(List.of("README.md"));
        for (String directory : List.of("docs", "examples")) {
            try (Stream<Path> files = Files.list(ROOT.resolve(directory))) {
                files.filter(file -> file.toString().endsWith(".md")).map(ROOT::relativize).map(Path::toString).sorted()
                        .forEach(pages::add);
            }
        }
        return pages;
    }

    /** A message of the compiler has the page and its line: {@code .../docs/memory.md/Fragment_docs_memory_md_50.java:57}. */
    private static Path write(JavaBlock block, Path folder) throws IOException {
        Path source = Files.createDirectories(folder.resolve(block.page())).resolve(block.className() + ".java");
        return Files.writeString(source, block.source());
    }

    private void run(JavaBlock block, String transport) throws Exception {
        try (URLClassLoader loader = new URLClassLoader(new URL[] { fragments.toUri().toURL() }, getClass().getClassLoader())) {
            ((Surroundings) loader.loadClass(block.className()).getConstructor().newInstance()).runOver(transport);
        }
    }
}
