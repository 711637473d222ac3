package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;
import org.panamaverbs.tools.files.Unnamed;

/** Copies to and from one server, whose folder is empty before each test. */
class CopyCommandTest {
    @TempDir
    private static Path there;
    private static Program.Server server;

    @TempDir
    private Path here;

    @BeforeAll
    static void serve() throws IOException {
        server = new Program.Server("serve", there.toString(), "--listen", "127.0.0.1:0", "--writable", "--replace", "--keep-free", "0",
                "--max-size", "4194304GiB");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void empty() throws IOException {
        for (String name : names(there)) {
            Files.delete(there.resolve(name));
        }
    }

    static List<Integer> sizes() {
        return Proofs.run() ? List.of(0, 1, 65_537, 5 << 20 | 3, (int) Message.WINDOW, 2 * (int) Message.WINDOW + 1)
                : List.of(0, 65_537, (int) Message.WINDOW + 1);
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void shouldCopyThereAndBack(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        Path source = Files.write(here.resolve("source"), bytes);
        Path back = here.resolve("back");
        Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/name");
        Program.Outcome get = Program.run("copy", server.address() + "/name", back.toString());
        assertAll(() -> assertEquals(0, put.status(), put.errors()), () -> assertEquals(0, get.status(), get.errors()),
                () -> assertArrayEquals(bytes, Files.readAllBytes(there.resolve("name"))),
                () -> assertArrayEquals(bytes, Files.readAllBytes(back)),
                () -> assertTrue(put.out().startsWith(size + " bytes in "), put.out()), () -> assertEquals(List.of("name"), names(there)));
    }

    @Test
    void shouldKeepTheNameInAFolder() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        assertEquals(0, Program.run("copy", server.address() + "/name", here.toString()).status());
        assertEquals("text", Files.readString(here.resolve("name")));
    }

    @Test
    void shouldReplaceAFileOnlyByAWholeOne() throws IOException {
        Files.writeString(there.resolve("name"), "old");
        Path source = Files.writeString(here.resolve("source"), "new");
        String remote = server.address() + "/name";
        Program.Outcome refused = Program.run("copy", source.toString(), remote);
        assertAll(() -> assertEquals(1, refused.status()),
                () -> assertEquals("pverbs: " + server.address() + " refuses: there is a file of that name: take another name, or "
                        + "--replace, which serve must have, too", refused.errors().strip()),
                () -> assertEquals("old", Files.readString(there.resolve("name"))));
        assertEquals(0, Program.run("copy", source.toString(), remote, "--replace").status());
        assertEquals("new", Files.readString(there.resolve("name")));
    }

    @Test
    void shouldReplaceAFileOfThisMachineOnlyIfAsked() throws IOException {
        Files.writeString(there.resolve("name"), "new");
        Path back = Files.writeString(here.resolve("back"), "old");
        Program.Outcome refused = Program.run("copy", server.address() + "/name", back.toString());
        assertAll(() -> assertEquals(1, refused.status()),
                () -> assertEquals("pverbs: " + back + ": is there already: take another name, or --replace", refused.errors().strip()),
                () -> assertEquals("old", Files.readString(back)));
        assertEquals(0, Program.run("copy", server.address() + "/name", back.toString(), "--replace").status());
        assertEquals("new", Files.readString(back));
    }

    /** CRCs are on, and the target is a mapped file. */
    @Test
    void shouldNotSpeakOfBytesThatWereNotPlacedDirectly() throws IOException {
        Path source = Files.write(here.resolve("source"), new byte[5 << 20]);
        String crc = "panamaverbs.softiwarp.crc=on";
        String put = Program.run("copy", source.toString(), server.address() + "/name", "--set", crc).out();
        String get = Program.run("copy", server.address() + "/name", here.resolve("back").toString(), "--set", crc).out();
        assertAll(() -> assertTrue(put.contains(" with its check; CRC-32C "), put),
                () -> assertTrue(get.contains(" with its check; CRC-32C "), get));
    }

    @ParameterizedTest
    @ValueSource(strings = { "..", ".", "../name", "a/b", "a\\b", "/etc/passwd", ".pverbs-0123.part", "a\nb", "a\u009B2Jb", "a\u202Eb" })
    void shouldNeverLeaveTheFolder(String name) throws IOException {
        Path source = Files.writeString(here.resolve("source"), "text");
        Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/" + name);
        Program.Outcome get = Program.run("copy", server.address() + "/" + name, here.resolve("back").toString());
        assertAll(() -> assertEquals(1, put.status()), () -> assertEquals(1, get.status()),
                () -> assertTrue(put.errors().contains("is not the name of a file here"), put.errors()),
                () -> assertTrue(get.errors().contains("is not the name of a file here"), get.errors()),
                () -> assertEquals(1, get.errors().lines().count(), get.errors()), () -> assertEquals(List.of(), names(there)),
                () -> assertEquals(List.of("source"), names(here)));
    }

    @Test
    void shouldNotFollowALinkOutOfTheFolder() throws IOException {
        Path secret = Files.writeString(here.resolve("secret"), "text");
        Files.createSymbolicLink(there.resolve("link"), secret);
        Program.Outcome get = Program.run("copy", server.address() + "/link", here.resolve("back").toString());
        assertAll(() -> assertEquals(1, get.status()), () -> assertTrue(get.errors().contains("is not a regular file"), get.errors()),
                () -> assertEquals(List.of("secret"), names(here)));
    }

    /** The two protocols have messages of other lengths. */
    @Test
    void shouldAskWhetherTheServerIsOne() throws IOException {
        Path source = Files.writeString(here.resolve("source"), "text");
        try (Program.Server ping = new Program.Server("ping", "--listen", "127.0.0.1:0")) {
            Program.Outcome put = Program.run("copy", source.toString(), ping.address() + "/name");
            assertAll(() -> assertEquals(1, put.status()),
                    () -> assertTrue(put.errors().startsWith("pverbs: " + ping.address() + " ended the connection ("), put.errors()),
                    () -> assertTrue(put.errors().strip().endsWith("): is a pverbs serve of this version there?"), put.errors()),
                    () -> assertEquals(2, put.errors().split(ping.address(), -1).length, put.errors()));
        }
    }

    /** A relative path looks like the name of a server, unless its folder is there. */
    @Test
    void shouldCopyIntoAFolderBelow() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        Path below = Path.of("target", "copy-" + ProcessHandle.current().pid());
        try {
            assertEquals(0, Program.run("copy", server.address() + "/name", below.toString()).status());
            assertEquals("text", Files.readString(below));
        } finally {
            Files.deleteIfExists(below);
        }
    }

    @Test
    void shouldNameAFileThatIsMissing() {
        Program.Outcome get = Program.run("copy", server.address() + "/missing", here.resolve("back").toString());
        assertAll(() -> assertEquals(1, get.status()), () -> assertTrue(get.errors().contains("no such file"), get.errors()),
                () -> assertEquals(1, get.errors().lines().count(), get.errors()), () -> assertEquals(List.of(), names(here)));
    }

    @Test
    void shouldNameAFolderThatIsMissing() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        Path missing = here.resolve("missing");
        Program.Outcome get = Program.run("copy", server.address() + "/name", missing.resolve("back").toString());
        assertAll(() -> assertEquals(1, get.status()),
                () -> assertTrue(get.errors().contains(missing + ": no such file or directory"), get.errors()));
    }

    @Test
    void shouldRefuseWhatTheDiskHasNoRoomFor() throws IOException {
        Path source = here.resolve("source");
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            // Nearly all of it a hole.
            file.setLength(Files.getFileStore(there).getTotalSpace() + 1);
        }
        Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/name");
        assertAll(() -> assertEquals(1, put.status()), () -> assertTrue(put.errors().contains("no space left"), put.errors()),
                () -> assertEquals(1, put.errors().lines().count(), put.errors()), () -> assertEquals(List.of(), names(there)));
    }

    @Test
    void shouldLeaveNothingBehindAfterCtrlC() throws Exception {
        Path source = here.resolve("source");
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.setLength(4L << 30);
        }
        Process copy = Program.start("copy", source.toString(), server.address() + "/name");
        awaitBegin(copy);
        // SIGINT, as Ctrl-C sends it; processes in a shell's background ignore that, and so do we here and all that we start.
        boolean ignored = isInterruptIgnored();
        assertEquals(0, new ProcessBuilder("kill", ignored ? "-TERM" : "-INT", Long.toString(copy.pid())).start().waitFor());
        assertTrue(copy.waitFor(180, TimeUnit.SECONDS));
        Unnamed.awaitNoneIn(there, server.pid());
        assertAll(() -> assertEquals(ignored ? 143 : 130, copy.exitValue()), () -> assertEquals(List.of(), names(there)));
    }

    /** Whether SIGINT, the second of the mask's bits, is ignored by this process, as Linux tells. */
    private static boolean isInterruptIgnored() throws IOException {
        Path status = Path.of("/proc/self/status");
        return Files.exists(status) && Files.readAllLines(status).stream().filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16) & 2) != 0);
    }

    @Test
    void shouldSayThatTheSourceWasCutShort() throws Exception {
        Path source = here.resolve("source");
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.setLength(4L << 30);
            Process copy = Program.start("copy", source.toString(), server.address() + "/name");
            awaitBegin(copy);
            file.setLength(1 << 20);
            String said = new String(copy.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(copy.waitFor(180, TimeUnit.SECONDS));
            assertAll(() -> assertEquals(1, copy.exitValue(), said), () -> assertEquals(1, said.lines().count(), said),
                    () -> assertTrue(said.contains(source + ": was cut short"), said));
        }
        Unnamed.awaitNoneIn(there, server.pid());
        assertFalse(Files.exists(there.resolve("name")));
        assertEquals(List.of(), names(there));
    }

    @Test
    void shouldSayWhatAnEarlierServerLeft() throws Exception {
        Path left = Files.writeString(there.toRealPath().resolve(".pverbs-0123456789abcdef.part"), "te");
        try (Program.Server second = new Program.Server("serve", there.toString(), "--listen", "127.0.0.1:0")) {
            String line = second.await(left.toString());
            assertTrue(line.startsWith("unfinished copies of earlier runs take 2 bytes"), line);
            assertEquals(1, names(there).size());
            assertEquals(0, new ProcessBuilder("sh", "-c", line.substring(line.indexOf("rm "))).start().waitFor());
            assertEquals(List.of(), names(there));
        }
    }

    @Test
    void shouldSayWhatAKilledCopyLeft() throws IOException {
        Files.writeString(there.resolve("name"), "text");
        Files.writeString(here.resolve(".pverbs-0123456789abcdef.part"), "te");
        Program.Outcome get = Program.run("copy", server.address() + "/name", here.resolve("back").toString());
        assertAll(() -> assertEquals(0, get.status(), get.errors()),
                () -> assertTrue(get.out().contains("unfinished copies of earlier runs take 2 bytes"), get.out()));
    }

    private void awaitBegin(Process copy) throws Exception {
        while (Unnamed.in(there, server.pid()).isEmpty()) {
            assertTrue(copy.isAlive(), "it ended before it began");
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    void shouldDescribeACopyAsJson() throws Exception {
        Path source = Files.writeString(here.resolve("source"), "text");
        Path back = here.resolve("back");
        JsonNode put = new ObjectMapper().readTree(Program.run("copy", source.toString(), server.address() + "/name", "--json").out());
        JsonNode get = new ObjectMapper().readTree(Program.run("copy", server.address() + "/name", back.toString(), "--json").out());
        assertAll(() -> assertEquals("pverbs.copy", put.get("schema").asText()), () -> assertEquals(1, put.get("schemaVersion").asInt()),
                () -> assertEquals("put", put.get("direction").asText()), () -> assertEquals("get", get.get("direction").asText()),
                () -> assertEquals(server.address(), put.get("server").asText()), () -> assertEquals("name", put.get("name").asText()),
                () -> assertEquals(source.toString(), put.get("file").asText()), () -> assertEquals(4, put.get("bytes").asInt()),
                () -> assertTrue(put.get("seconds").asDouble() > 0), () -> assertTrue(put.get("bytesPerSecond").asDouble() > 0),
                () -> assertTrue(put.get("placedDirectly").asLong() + put.get("staged").asLong() >= 4, put::toString),
                () -> assertEquals(put.get("crc32c"), get.get("crc32c")), () -> assertEquals(8, put.get("crc32c").asText().length()));
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
