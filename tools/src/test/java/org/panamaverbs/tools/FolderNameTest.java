package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The launchers in a clone whose folder has an unusual name. */
@EnabledOnOs({ OS.LINUX, OS.MAC })
class FolderNameTest {
    private static final Path PROJECT = Path.of("").toAbsolutePath().getParent();

    @TempDir
    private Path folder;

    private Path copy(Path clone, String file) throws IOException {
        Path copied = clone.resolve(file);
        Files.createDirectories(copied.getParent());
        return Files.copy(PROJECT.resolve(file), copied);
    }

    @ParameterizedTest
    @ValueSource(strings = { "pverbs", "benchmarks/run", "benchmarks/compare", "examples/run Greeting", "examples/spark/run",
            "proofs/engines-nio/speed", "proofs/engines-nio/lab", "proofs/lab/check" })
    void shouldSayThatNoClassPathCanHaveAColon(String command) throws Exception {
        Path clone = folder.resolve("a:b");
        for (String file : List.of(".mvn/launch", ".mvn/jdk", "examples/Greeting.java", command.split(" ")[0])) {
            copy(clone, file);
        }
        List<String> words = new ArrayList<>(List.of(command.split(" ")));
        words.set(0, clone.resolve(words.get(0)).toString());
        String said = run(1, words);
        assertEquals("the name of the folder " + clone.toRealPath() + " has a colon, and no class path can: rename the folder", said);
    }

    @ParameterizedTest
    @ValueSource(strings = { "a b", "it's", "say \"hello\"", "[x]*?", "$HOME", "a\\b", "-e", "ä" })
    void shouldTakeAnyOtherName(String name) throws Exception {
        Path clone = folder.resolve(name);
        copy(clone, ".mvn/launch");
        copy(clone, ".mvn/jdk");
        Files.createDirectories(clone.resolve("tools/src/main"));
        Files.writeString(clone.resolve("pom.xml"), "");
        Files.writeString(clone.resolve("tools/pom.xml"), "");
        Path jar = Files.createDirectories(clone.resolve("tools/target")).resolve("a.jar");
        Files.writeString(jar, "");
        Files.writeString(clone.resolve("tools/target/pverbs.classpath"), jar + "\n");
        assertEquals(jar.toString(), run(0, List.of("bash", "-uc",
                "root=$1; . \"$root/.mvn/launch\"; launch_prepare pverbs tools && echo \"$class_path\"", "bash", clone.toString())));
    }

    private String run(int status, List<String> command) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(180, TimeUnit.SECONDS), said);
        assertEquals(status, process.exitValue(), said);
        return said.strip();
    }
}
