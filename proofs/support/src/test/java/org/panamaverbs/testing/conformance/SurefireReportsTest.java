package org.panamaverbs.testing.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SurefireReportsTest {
    private static final String REPORT = """
            <testsuite name="x"><properties/>
              <testcase name="shouldPass" classname="x"/>
              <testcase name="shouldPassAll(int)[1]" classname="x"/>
              <testcase name="shouldPassAll(int)[2]" classname="x"><system-out>failure</system-out></testcase>
              <testcase name="shouldFail(int)[1]" classname="x"/>
              <testcase name="shouldFail(int)[2]" classname="x"><failure/></testcase>
              <testcase name="shouldErr" classname="x"><error/></testcase>
              <testcase name="shouldBeSkipped" classname="x"><skipped/></testcase>
            </testsuite>
            """;

    /** Names of tests, in a report of this class. */
    @SuppressWarnings("unused")
    private static final class Sample {
        void shouldPass() {
        }

        void shouldPassAll() {
        }

        void shouldFail() {
        }

        void shouldErr() {
        }

        void shouldBeSkipped() {
        }

        void shouldBeMissing() {
        }
    }

    @TempDir
    Path module;
    private Path report;
    private Path compiled;

    @BeforeEach
    void write() throws IOException {
        compiled = module.resolve("target/test-classes/" + Sample.class.getName().replace('.', '/') + ".class");
        Files.createDirectories(compiled.getParent());
        Files.writeString(compiled, "");
        report = Files.createDirectories(module.resolve("target/surefire-reports")).resolve("TEST-" + Sample.class.getName() + ".xml");
        Files.writeString(report, REPORT);
        Files.setLastModifiedTime(compiled, FileTime.fromMillis(1000));
    }

    private Optional<String> fault(String method) throws ReflectiveOperationException {
        Method test = Sample.class.getDeclaredMethod(method);
        return new SurefireReports(module, Instant.EPOCH).fault(test);
    }

    @Test
    void shouldCountTestsThatPassed() throws ReflectiveOperationException {
        assertEquals(Optional.empty(), fault("shouldPass"));
        assertEquals(Optional.empty(), fault("shouldPassAll"));
    }

    @Test
    void shouldNotCountTestsThatFailedOrDidNotRun() throws ReflectiveOperationException {
        for (String method : new String[] { "shouldFail", "shouldErr", "shouldBeSkipped", "shouldBeMissing" }) {
            assertEquals(Optional.of("Sample#" + method + " did not run, was skipped or failed"), fault(method));
        }
    }

    @Test
    void shouldNotCountAReportThatIsOlderThanTheTest() throws Exception {
        Files.setLastModifiedTime(report, FileTime.fromMillis(500));
        assertEquals(Optional.of("Sample#shouldPass: its class did not run in this build, or was compiled after that"),
                fault("shouldPass"));
        Files.setLastModifiedTime(report, FileTime.fromMillis(1500));
        assertEquals(Optional.empty(), fault("shouldPass"));
        Files.delete(report);
        assertEquals(Optional.of("Sample#shouldPass: its class did not run in this build, or was compiled after that"),
                fault("shouldPass"));
    }

    @Test
    void shouldNotCountAReportOfAnEarlierBuild() throws Exception {
        Method test = Sample.class.getDeclaredMethod("shouldPass");
        Files.setLastModifiedTime(report, FileTime.fromMillis(2000));
        assertEquals(Optional.empty(), new SurefireReports(module, Instant.ofEpochMilli(2000)).fault(test));
        assertEquals(Optional.of("Sample#shouldPass: its class did not run in this build, or was compiled after that"),
                new SurefireReports(module, Instant.ofEpochMilli(2001)).fault(test));
    }
}
