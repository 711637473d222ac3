package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** A source that is one hole, on a tmpfs that is full: the kernel has no page for it, and each access gets SIGBUS. */
@Execution(ExecutionMode.CONCURRENT)
@Tag(Proofs.TAG)
class UnreadableSourceTest {
    private static final String WORDS = "sparse: cannot be read: its disk has an error, or is full";
    private static final String TMPFS = "mount -t tmpfs -o size=64k none \"$0\" && truncate -s 1M \"$0/sparse\" "
            + "&& { ! dd if=/dev/zero of=\"$0/fill\" bs=4k 2>/dev/null; } && exec \"$@\"";

    @TempDir
    private Path folder;
    private Path full;

    @BeforeEach
    void prepare() throws Exception {
        full = Files.createDirectory(folder.resolve("full"));
        List<String> words = new ArrayList<>(words());
        words.add("true");
        assumeTrue(new ProcessBuilder(words).start().waitFor() == 0, "a tmpfs in a mount namespace needs unshare(1) and root");
    }

    /** Before a command: it has the tmpfs in the folder, and no other process has. */
    private List<String> words() {
        return List.of("unshare", "--mount", "sh", "-c", TMPFS, full.toString());
    }

    private void assertSaysWhy(String... arguments) throws IOException, InterruptedException {
        Process process = Program.startBehind(words(), arguments);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertAll(() -> assertEquals(1, process.waitFor(), said), () -> assertTrue(said.contains(WORDS), said));
    }

    @ParameterizedTest
    @ValueSource(strings = { "--quiet", "--repair" })
    void shouldSayWhyItCannotBeCast(String option) throws Exception {
        assertSaysWhy("cast", full.resolve("sparse").toString(), "udp://127.0.0.1:7176", "--stag", "0x1234", "--notify", "7", option);
    }

    @Test
    void shouldSayWhyItCannotBeCopied() throws Exception {
        try (Program.Server server = new Program.Server("serve", folder.toString(), "--listen", "127.0.0.1:0", "--writable")) {
            assertSaysWhy("copy", full.resolve("sparse").toString(), server.address() + "/name");
        }
    }

    /** Neither end hears of a wrong key. */
    @Test
    void shouldSayWhyItIsNotServed() throws Exception {
        try (Program.Server server = new Program.Server(words(), "serve", full.toString(), "--listen", "127.0.0.1:0")) {
            // A CRC reads the bytes before the frame leaves. Without one the stream ends within a frame, and neither end hears why.
            Program.Outcome outcome = Program.run("copy", server.address() + "/sparse", folder.resolve("name").toString(), "--set",
                    "panamaverbs.softiwarp.crc=on");
            assertAll(() -> assertEquals(1, outcome.status()),
                    () -> assertTrue(outcome.errors().contains("was its file cut short"), outcome.errors()),
                    () -> assertTrue(server.await("GET sparse: ").contains("was its file cut short"), server.said()));
        }
    }
}
