package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.files.NewFile;
import org.panamaverbs.tools.files.Unnamed;

/** SIGKILL in the middle of a transfer: the folder of the file is as before. */
@Execution(ExecutionMode.CONCURRENT)
@Tag(Proofs.TAG)
class KilledCopyTest {
    @TempDir
    private Path here;
    @TempDir
    private Path there;

    @BeforeEach
    void checkFileSystem() {
        NewFile file = NewFile.unnamed(here.resolve("name"));
        assumeTrue(file != null, "the file system has no files without a name");
        file.close();
    }

    private static Map<String, String> content(Path folder) throws IOException {
        Map<String, String> content = new TreeMap<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                content.put(file.getFileName().toString(), Files.readString(file));
            }
        }
        return content;
    }

    @Test
    void shouldLeaveNothingOfAServerThatWasKilled() throws Exception {
        Files.writeString(there.resolve("stalled"), "old");
        Map<String, String> before = content(there);
        try (Program.Server server = new Program.Server("serve", there.toString(), "--listen", "127.0.0.1:0", "--writable", "--replace",
                "--keep-free", "0"); StalledPut put = new StalledPut(server.address(), 100 << 20)) {
            Unnamed.awaitOneIn(there, server.pid());
            assertEquals(before, content(there), "while it is written");
            server.kill();
            put.awaitEnd();
        }
        assertEquals(before, content(there));
    }

    @Test
    void shouldLeaveNothingOfAClientThatWasKilled() throws Exception {
        Files.writeString(here.resolve("name"), "old");
        Map<String, String> before = content(here);
        try (StalledGrant server = new StalledGrant()) {
            Process copy = Program.start("copy", server.address() + "/name", here.toString(), "--replace");
            try {
                server.awaitDone();
                Unnamed.awaitOneIn(here, copy.pid());
                assertEquals(before, content(here), "while it is written");
            } finally {
                copy.destroyForcibly();
            }
            assertTrue(copy.waitFor(180, TimeUnit.SECONDS));
            assertEquals(137, copy.exitValue());
        }
        assertEquals(before, content(here));
    }
}
