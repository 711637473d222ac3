package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.files.Unnamed;

/** A server that is stopped: its connections stay, and nothing comes. */
@Execution(ExecutionMode.CONCURRENT)
@Tag(Proofs.TAG)
class SilentPeerTest {
    @TempDir
    private Path here;
    @TempDir
    private Path there;

    private Program.Server serve() throws Exception {
        return new Program.Server("serve", there.toString(), "--listen", "127.0.0.1:0", "--writable", "--keep-free", "0");
    }

    private static void assertGivesUp(Process copy, String address) throws Exception {
        String said = new String(copy.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(copy.waitFor(180, TimeUnit.SECONDS));
        assertAll(() -> assertEquals(1, copy.exitValue(), said), () -> assertEquals(1, said.lines().count(), said),
                () -> assertTrue(said.contains(address) && said.contains("4 s"), said));
    }

    @Test
    void shouldNotWaitForAServerThatDoesNotAcceptIt() throws Exception {
        Files.writeString(here.resolve("source"), "text");
        try (Program.Server server = serve()) {
            server.freeze();
            Program.Outcome outcome = Program.run("copy", here.resolve("source").toString(), server.address() + "/name", "--timeout", "2");
            assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                    () -> assertTrue(outcome.errors().contains(server.address()), outcome.errors()));
        }
    }

    @Test
    void shouldNotWaitForAServerThatStopsInAPut() throws Exception {
        Path source = here.resolve("source");
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.setLength(4L << 30);
        }
        try (Program.Server server = serve()) {
            Process copy = Program.start("copy", source.toString(), server.address() + "/name", "--timeout", "4");
            Unnamed.awaitOneIn(there, server.pid());
            server.freeze();
            assertGivesUp(copy, server.address());
        }
    }

    @Test
    void shouldNotWaitForAServerThatStopsInAGet() throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(there.resolve("name").toFile(), "rw")) {
            file.setLength(4L << 30);
        }
        try (Program.Server server = serve()) {
            Process copy = Program.start("copy", server.address() + "/name", here.resolve("back").toString(), "--timeout", "4");
            Unnamed.awaitOneIn(here, copy.pid());
            server.freeze();
            assertGivesUp(copy, server.address());
        }
    }

    @Test
    void shouldNotLetAServersWordsSteerTheTerminal() throws Exception {
        String words = "no\u001B]0;title\u0007\u009B2J\u202E\uD800\u2028";
        for (String option : List.of("--quiet", "--json")) {
            try (StalledGrant server = new StalledGrant(words)) {
                Program.Outcome outcome = Program.run("copy", server.address() + "/name", here.resolve("back").toString(), option);
                String all = outcome.out() + outcome.errors();
                assertAll(() -> assertEquals(1, outcome.status()),
                        // A half of a surrogate pair becomes a question mark on the way, in UTF-8.
                        () -> assertTrue(outcome.errors().contains("refuses: no\\u{1b}]0;title\\u{7}\\u{9b}2J\\u{202e}?\\u{2028}"), all),
                        () -> assertTrue(all.chars().allMatch(each -> each == '\n' || each >= ' ' && each < 0x7f), all));
            }
        }
    }
}
