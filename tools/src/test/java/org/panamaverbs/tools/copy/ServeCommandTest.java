package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.files.Unnamed;

/** Requests that a server refuses, and its message to the client's user. */
@Execution(ExecutionMode.CONCURRENT)
class ServeCommandTest {
    @TempDir
    private Path here;
    @TempDir
    private Path there;

    private Program.Server serve(String... options) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("serve", there.toString(), "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options));
        return new Program.Server(arguments.toArray(String[]::new));
    }

    private Path source(int size) throws IOException {
        return Files.write(here.resolve("source"), new byte[size]);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(there)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void assertRefused(Program.Outcome outcome, String words) {
        assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals(1, outcome.errors().lines().count(), outcome.errors()),
                () -> assertTrue(outcome.errors().contains(words), outcome.errors()));
    }

    @Test
    void shouldServeReadsOnlyAtFirst() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        try (Program.Server server = serve("--keep-free", "0")) {
            assertRefused(Program.run("copy", source(1).toString(), server.address() + "/new"), "start serve with --writable");
            assertEquals(0, Program.run("copy", server.address() + "/name", here.resolve("back").toString()).status());
        }
        assertAll(() -> assertEquals(List.of("name"), names()), () -> assertEquals("text", Files.readString(here.resolve("back"))));
    }

    @Test
    void shouldReplaceNothingUnlessAsked() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        try (Program.Server server = serve("--writable", "--keep-free", "0")) {
            String source = source(1).toString();
            assertRefused(Program.run("copy", source, server.address() + "/name"),
                    "another name, or --replace, which serve must have, too");
            assertRefused(Program.run("copy", source, server.address() + "/name", "--replace"), "start serve with --writable --replace");
            assertEquals(0, Program.run("copy", source, server.address() + "/new").status());
            assertRefused(Program.run("copy", source, server.address() + "/new"), "there is a file of that name");
        }
        assertAll(() -> assertEquals(List.of("name", "new"), names()), () -> assertEquals("text", Files.readString(there.resolve("name"))));
    }

    @ParameterizedTest
    @CsvSource({ ".bashrc, true", ".ssh, false" })
    void shouldTakeNoNameWithADotAtItsStart(String name, boolean put) throws IOException {
        Path hidden = Files.writeString(there.resolve(name), "secret");
        try (Program.Server server = serve("--writable", "--replace", "--keep-free", "0")) {
            String remote = server.address() + "/" + name;
            assertRefused(
                    put ? Program.run("copy", source(1).toString(), remote) : Program.run("copy", remote, here.resolve("b").toString()),
                    "without a path, a dot at its start");
        }
        assertEquals("secret", Files.readString(hidden));
    }

    @Test
    void shouldTakeNoFileThatIsTooLarge() throws IOException {
        try (Program.Server server = serve("--writable", "--max-size", "4KiB", "--keep-free", "0")) {
            assertRefused(Program.run("copy", source(4097).toString(), server.address() + "/name"), "start serve with a larger --max-size");
            assertEquals(0, Program.run("copy", source(4096).toString(), server.address() + "/name").status());
        }
    }

    @Test
    void shouldKeepSomeOfTheDiskFree() throws IOException {
        try (Program.Server server = serve("--writable", "--keep-free", "4194304GiB")) {
            assertRefused(Program.run("copy", source(1).toString(), server.address() + "/name"), "start serve with a smaller --keep-free");
        }
        assertEquals(List.of(), names());
    }

    @Test
    void shouldSayWhyAsJson() throws Exception {
        try (Program.Server server = serve()) {
            Program.Outcome outcome = Program.run("copy", source(1).toString(), server.address() + "/name", "--json");
            JsonNode error = new ObjectMapper().readTree(outcome.out());
            assertAll(() -> assertEquals(1, outcome.status()), () -> assertEquals("pverbs.copy", error.get("schema").asText()),
                    () -> assertEquals("refused", error.get("error").get("kind").asText()),
                    () -> assertTrue(error.get("error").get("message").asText().contains("--writable")));
        }
    }

    /** One message must not take the disk: only a window is reserved until the client moves bytes. */
    @Test
    void shouldReserveNoMoreThanAWindowForAClientThatDoesNothing() throws Exception {
        try (Program.Server server = serve("--writable", "--keep-free", "0"); StalledPut _ = new StalledPut(server.address(), 1L << 30)) {
            Unnamed.awaitOneIn(there, server.pid());
            long room = Unnamed.room(there, server.pid());
            assertTrue(room <= Message.WINDOW + (1 << 20), () -> "takes " + room);
        }
    }

    @Test
    void shouldHoldNothingForAClientThatDoesNothing() throws Exception {
        try (Program.Server server = serve("--writable", "--timeout", "3", "--keep-free", "0");
                StalledPut put = new StalledPut(server.address(), 1 << 20)) {
            String said = server.await("has not answered for 3 s");
            assertTrue(said.contains("PUT stalled"), said);
            put.awaitEnd();
            Unnamed.awaitNoneIn(there, server.pid());
        }
        assertEquals(List.of(), names());
    }

    @Test
    void shouldHoldNothingForAClientThatDoesNextToNothing() throws Exception {
        try (Program.Server server = serve("--writable", "--timeout", "3", "--keep-free", "0");
                StalledPut put = new StalledPut(server.address(), 1 << 20)) {
            for (int i = 0; i < 600 && put.isConnected(); i++) {
                put.dribble();
                TimeUnit.MILLISECONDS.sleep(100);
            }
            server.await("has not answered for 3 s");
            Unnamed.awaitNoneIn(there, server.pid());
        }
    }

    @Test
    void shouldNotLetAClientsNameSteerTheTerminal() throws Exception {
        try (Program.Server server = serve("--writable")) {
            Program.run("copy", server.address() + "/a\u001B[2J\u009B\u202E\uE000b", here.resolve("b").toString());
            String line = server.await("GET");
            assertTrue(line.contains("GET a\\u{1b}[2J\\u{9b}\\u{202e}\\u{e000}b: "), line);
        }
    }

    @ParameterizedTest
    @CsvSource({ "--replace, 2, add --writable", "--max-size=1Q, 2, is not a number of bytes", "--timeout=0, 2, --timeout is 1 to" })
    void shouldRefuseNonsense(String option, int status, String words) {
        Program.Outcome outcome = Program.run("serve", there.toString(), "--listen", "127.0.0.1:0", option);
        assertAll(() -> assertEquals(status, outcome.status()), () -> assertTrue(outcome.errors().contains(words), outcome.errors()));
    }
}
