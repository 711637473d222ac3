package org.panamaverbs.compare;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nothing is installed that the user did not want. */
class PackagesTest {
    @Test
    void shouldNameThePackagesOfProgramsThatAreMissing() {
        assertEquals(List.of("iperf3", "ucx-utils"), Packages.missing(program -> null));
        assertEquals(List.of("ucx-utils"), Packages.missing(program -> program.equals("iperf3") ? "/usr/bin/iperf3" : null));
        assertEquals(List.of(), Packages.missing(program -> program));
    }

    @ParameterizedTest
    @CsvSource({ "y, true", "Yes, true", "' yes ', true", "'', false", "n, false", "yesterday, false", ", false" })
    void shouldAsk(String answer, boolean wanted) {
        List<String> questions = new ArrayList<>();
        assertEquals(wanted, Packages.areWanted(List.of("iperf3", "ucx-utils"), false, question -> {
            questions.add(question);
            return answer;
        }));
        assertEquals(List.of("Install iperf3 and ucx-utils by apt-get? Lines that need what is missing are not measured. [y/N] "),
                questions);
    }

    /** A machine that has an apt-get and nothing else; the user is root, and pverbs does not start. */
    @ParameterizedTest
    @CsvSource({ "--quick, false", "--install, true" })
    void shouldInstallWithoutATerminalOnlyIfTheOptionSaysSo(String option, boolean installs, @TempDir Path folder) throws Exception {
        Path calls = folder.resolve("calls");
        Path apt = Files.writeString(folder.resolve("apt-get"), "#!/bin/sh\necho \"$@\" >>" + calls + "\n");
        assertTrue(apt.toFile().setExecutable(true));
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Duser.name=root",
                "-Dcompare.root=" + folder, "-cp", System.getProperty("java.class.path"), Compare.class.getName(), option)
                .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().put("PATH", folder.toString());
        Process process = builder.start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        if (installs) {
            assertEquals(List.of("install -y -qq --no-install-recommends iperf3", "install -y -qq --no-install-recommends ucx-utils"),
                    Files.readAllLines(calls), output::toString);
        } else {
            assertFalse(Files.exists(calls), output::toString);
        }
    }
}
