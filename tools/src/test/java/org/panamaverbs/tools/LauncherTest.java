package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The launchers ({@code .mvn/launch}) in a clone that belongs to another user. The tests take the place of Maven: nothing is built. */
@EnabledOnOs(OS.LINUX)
class LauncherTest {
    private static final String NOBODY = "65534";

    @TempDir
    private Path clone;
    private Path classes;
    private Path jar;
    private Path list;

    @BeforeEach
    void build() throws IOException {
        Path project = Path.of("").toAbsolutePath().getParent();
        Files.createDirectories(clone.resolve(".mvn"));
        Files.createDirectories(clone.resolve("tools/target/lib"));
        classes = Files.createDirectories(clone.resolve("tools/target/classes"));
        Files.createDirectories(clone.resolve("tools/src/main"));
        Files.createDirectories(clone.resolve("target"));
        for (String script : List.of("launch", "jdk")) {
            Files.copy(project.resolve(".mvn").resolve(script), clone.resolve(".mvn").resolve(script));
        }
        Files.writeString(clone.resolve("pom.xml"), "");
        Files.writeString(clone.resolve("tools/pom.xml"), "");
        jar = Files.writeString(clone.resolve("tools/target/lib/a.jar"), "");
        list = Files.writeString(clone.resolve("tools/target/pverbs.classpath"), classes + "\n" + jar + "\n");
        setPermissions("r-xr-xr-x");
    }

    @AfterEach
    void letItBeDeleted() throws IOException {
        setPermissions("rwxr-xr-x");
    }

    private void setPermissions(String folders) throws IOException {
        try (var paths = Files.walk(clone)) {
            for (Path path : paths.filter(Files::isDirectory).toList()) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(folders));
            }
        }
    }

    @Test
    void shouldStartWhatAnotherUserBuilt() throws Exception {
        assertEquals("class path " + classes + ":" + jar, launched(0));
    }

    @Test
    void shouldNameTheJarThatCannotBeRead() throws Exception {
        Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("---------"));
        String said = launched(1);
        assertAll(() -> assertTrue(said.startsWith("pverbs: it must be built, as " + jar + " cannot be read, and "), said),
                () -> assertTrue(said.contains(" may not write into " + clone + ". Let its owner, "), said),
                () -> assertEquals(1, said.lines().count(), said));
    }

    @Test
    void shouldNameTheJarThatIsMissing() throws Exception {
        setPermissions("rwxr-xr-x");
        Files.delete(jar);
        setPermissions("r-xr-xr-x");
        String said = launched(1);
        assertTrue(said.startsWith("pverbs: it must be built, as " + jar + " is missing, and "), said);
    }

    @Test
    void shouldSayThatSourcesHaveChanged() throws Exception {
        Files.setLastModifiedTime(clone.resolve("tools/pom.xml"), FileTime.fromMillis(Files.getLastModifiedTime(list).toMillis() + 10_000));
        String said = launched(1);
        assertTrue(said.startsWith("pverbs: it must be built, as its sources have changed, and "), said);
    }

    /** The output of the launcher for a user who may read the clone, but not write into it. */
    private String launched(int status) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        if (Files.isWritable(clone)) {
            // Root writes everywhere.
            assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "root needs setpriv (package util-linux) to be another user");
            command.addAll(List.of("setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"));
        }
        command.addAll(
                List.of("bash", "-uc", "root=$1; . \"$root/.mvn/launch\"; launch_prepare pverbs tools && echo \"class path $class_path\"",
                        "bash", clone.toString()));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("HOME", "/nonexistent");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        process.getOutputStream().close();
        String said = new String(process.getInputStream().readAllBytes());
        assertTrue(process.waitFor(180, TimeUnit.SECONDS), said);
        assertEquals(status, process.exitValue(), said);
        return said.strip();
    }
}
