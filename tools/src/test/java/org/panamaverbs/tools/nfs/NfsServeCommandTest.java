package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.tools.Program;

/** {@code serve} and its clients in one process, over both transports; and the options that {@code serve} refuses before it listens. */
class NfsServeCommandTest {
    private static final byte[] BYTES = { 1, 2, 3 };

    @TempDir
    private Path folder;
    private Path served;
    private Path local;

    /** The options that choose a transport, for {@code serve} and for clients. */
    enum Over {
        RDMA("--provider", "soft-iwarp"), TCP("--transport", "tcp");

        private final List<String> options;

        Over(String... options) {
            this.options = List.of(options);
        }
    }

    @BeforeEach
    void makeFiles() throws IOException {
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.write(folder.resolve("local"), BYTES);
    }

    private Listening serve(Over over, String... options) throws IOException {
        return new Listening(Stream
                .of(Stream.of("nfs", "serve", served.toString(), "--listen", "127.0.0.1:0"), Stream.of(options), over.options.stream())
                .flatMap(each -> each).toArray(String[]::new));
    }

    private static Program.Outcome nfs(Over over, String... arguments) {
        return Program
                .run(Stream.of(Stream.of("nfs"), Stream.of(arguments), over.options.stream()).flatMap(each -> each).toArray(String[]::new));
    }

    private static List<Path> list(Path directory) throws IOException {
        try (Stream<Path> paths = Files.list(directory)) {
            return paths.toList();
        }
    }

    @Test
    void shouldKeepTheRecordOfClientsInTheFolderOfTheOption() throws IOException {
        Path state = folder.resolve("state");
        try (Listening server = serve(Over.TCP, "--state", state.toString(), "--writable")) {
            Program.Outcome put = nfs(Over.TCP, "put", local.toString(), server.url("new"));
            assertEquals(0, put.status(), put.errors());
            assertTrue(Files.exists(state.resolve("record")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseToWriteAtFirst(Over over) throws IOException {
        Files.write(served.resolve("old"), BYTES);
        try (Listening server = serve(over)) {
            assertTrue(server.line().contains(" read-only, listening on "), server.line());
            for (String name : new String[] { "new", "old" }) {
                Program.Outcome put = nfs(over, "put", local.toString(), server.url(name), "--replace");
                assertEquals(1, put.status());
                assertEquals(1, put.errors().lines().count(), put.errors());
                assertTrue(put.errors().contains("the server's file system is read-only (NFS4ERR_ROFS of OPEN)"), put.errors());
            }
            Program.Outcome get = nfs(over, "get", server.url("old"), folder.resolve("back").toString());
            assertEquals(0, get.status(), get.errors());
        }
        assertEquals(List.of(served.resolve("old")), list(served));
        assertArrayEquals(BYTES, Files.readAllBytes(folder.resolve("back")));
    }

    @ParameterizedTest
    @EnumSource
    void shouldTakeFilesIfWritable(Over over) throws IOException {
        try (Listening server = serve(over, "--writable")) {
            assertFalse(server.line().contains("read-only"), server.line());
            Program.Outcome put = nfs(over, "put", local.toString(), server.url("new"));
            assertEquals(0, put.status(), put.errors());
            Program.Outcome get = nfs(over, "get", server.url("new"), folder.resolve("back").toString());
            assertEquals(0, get.status(), get.errors());
        }
        assertArrayEquals(BYTES, Files.readAllBytes(served.resolve("new")));
        assertArrayEquals(BYTES, Files.readAllBytes(folder.resolve("back")));
    }

    @ParameterizedTest
    @EnumSource
    void shouldCarryFilesOfNoBytes(Over over) throws IOException {
        Path empty = Files.createFile(folder.resolve("empty"));
        try (Listening server = serve(over, "--writable")) {
            Program.Outcome put = nfs(over, "put", empty.toString(), server.url("new"));
            assertEquals(0, put.status(), put.errors());
            Program.Outcome get = nfs(over, "get", server.url("new"), folder.resolve("back").toString());
            assertEquals(0, get.status(), get.errors());
        }
        assertEquals(0, Files.size(served.resolve("new")));
        assertEquals(0, Files.size(folder.resolve("back")));
    }

    /** oncrpc4j makes room for as many groups as AUTH_SYS announces: an OutOfMemoryError that ends this connection alone. */
    @Test
    void shouldGoOnAfterATcpClientWithTooManyGroups() throws IOException {
        Files.write(served.resolve("old"), BYTES);
        try (Listening server = serve(Over.TCP); Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            int[] call = { 1, 0, 2, 100003, 4, 0, 1, 20, 0, 0, 0, 0, Integer.MAX_VALUE, 0, 0 };
            ByteBuffer bytes = ByteBuffer.allocate(4 + 4 * call.length).putInt(0x80000000 | 4 * call.length);
            for (int word : call) {
                bytes.putInt(word);
            }
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(bytes.array());
            assertEquals(-1, socket.getInputStream().read(), "the connection ends");
            Program.Outcome get = nfs(Over.TCP, "get", server.url("old"), folder.resolve("back").toString());
            assertEquals(0, get.status(), get.errors());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldPrintHowToMountIt(Over over) throws IOException {
        try (Listening server = serve(over)) {
            assertEquals("mount with: mount -t nfs4 -o vers=4.1,proto=" + (over == Over.RDMA ? "rdma" : "tcp") + ",port=" + server.port()
                    + " 127.0.0.1:/ /mnt", server.next());
        }
    }

    @ParameterizedTest
    @CsvSource({ "--transport, udp", "--versions, 3", "--max-clients, 0", "--max-opens, -1", "--lease, 0", "--lease, 3601", "--lease, long",
            "--inline, 1000", "--inline, many" })
    void shouldNameTheOptionThatIsWrong(String option, String value) {
        Program.Outcome outcome = Program.run("nfs", "serve", served.toString(), "--listen", "127.0.0.1:0", option, value);
        assertEquals(2, outcome.status());
        assertRefused(outcome, value);
        assertTrue(outcome.errors().contains(option), outcome.errors());
    }

    @Test
    void shouldRefuseAddressesThatAreNone() {
        for (String address : new String[] { "127.0.0.1:99999", "127.0.0.1:nfs" }) {
            assertRefused(Program.run("nfs", "serve", served.toString(), "--listen", address), address);
        }
    }

    private static void assertRefused(Program.Outcome outcome, String value) {
        assertTrue(outcome.status() == 1 || outcome.status() == 2, () -> "it ended with " + outcome.status());
        assertEquals(1, outcome.errors().lines().count(), outcome.errors());
        assertTrue(outcome.errors().contains(value), outcome.errors());
        assertFalse(outcome.out().contains("listening"), outcome.out());
    }

    @Test
    void shouldAskForAFolder() {
        assertEquals(2, Program.run("nfs", "serve").status());
        Program.Outcome missing = Program.run("nfs", "serve", served.resolve("none").toString());
        assertEquals(1, missing.status());
        assertEquals(1, missing.errors().lines().count(), missing.errors());
        assertTrue(missing.errors().contains(served.resolve("none").toString()), missing.errors());

        Program.Outcome file = Program.run("nfs", "serve", local.toString());
        assertEquals(1, file.status());
        assertTrue(file.errors().contains(local + ""), file.errors());
    }
}
