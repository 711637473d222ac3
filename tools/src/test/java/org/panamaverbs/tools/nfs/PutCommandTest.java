package org.panamaverbs.tools.nfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** {@code put} that does not come to its end, and names that Java cannot decode. */
@Execution(ExecutionMode.CONCURRENT)
class PutCommandTest {
    /** A hole: it costs nothing but on the way. */
    private static final long LONG = 4L << 30;
    private static final String OCTAL = "\\377";

    @TempDir
    private Path folder;
    private Path served;
    private Path local;

    @BeforeEach
    void makeFiles() throws IOException {
        served = Files.createDirectory(folder.resolve("served"));
        local = Files.writeString(folder.resolve("local"), "local");
    }

    private Program.Server serve(String transport) throws IOException {
        return new Program.Server("nfs", "serve", served.toString(), "--listen", "127.0.0.1:0", "--writable", "--provider", "soft-iwarp",
                "--transport", transport);
    }

    private static Program.Outcome put(Program.Server server, String transport, Path from, String name, String... more) {
        return Program.run(Stream.concat(Stream.of("nfs", "put", from.toString(), "nfs://127.0.0.1:" + server.port() + "/" + name,
                "--provider", "soft-iwarp", "--transport", transport, "--timeout", "60"), Stream.of(more)).toArray(String[]::new));
    }

    private List<Path> served() throws IOException {
        try (Stream<Path> paths = Files.list(served)) {
            return paths.toList();
        }
    }

    private boolean hasData() throws IOException {
        for (Path path : served()) {
            if (Files.size(path) > 0) {
                return true;
            }
        }
        return false;
    }

    static List<String> transports() {
        return Proofs.cases("rdma", "tcp");
    }

    @ParameterizedTest
    @MethodSource("transports")
    void shouldLeaveNoNameIfTheServerEnds(String transport) throws Exception {
        Path big = folder.resolve("big");
        try (RandomAccessFile file = new RandomAccessFile(big.toFile(), "rw")) {
            file.setLength(LONG);
        }
        Program.Outcome outcome;
        try (Program.Server server = serve(transport)) {
            CompletableFuture<Program.Outcome> put = CompletableFuture.supplyAsync(() -> put(server, transport, big, "new"));
            while (!put.isDone() && !hasData()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            server.kill();
            outcome = put.get(180, TimeUnit.SECONDS);
        }
        assertEquals(1, outcome.status());
        assertEquals(1, outcome.errors().lines().count(), outcome.errors());
        assertTrue(outcome.errors().startsWith("pverbs: 127.0.0.1:") && !outcome.errors().contains("null"), outcome.errors());
        assertFalse(Files.exists(served.resolve("new")), "a half has the name");
        try (Program.Server server = serve(transport)) {
            Program.Outcome again = put(server, transport, local, "new");
            assertEquals(0, again.status(), again.errors());
        }
        assertEquals("local", Files.readString(served.resolve("new")));
    }

    @Test
    void shouldLeaveNothingIfItFails() throws Exception {
        Path shrinking = folder.resolve("shrinking");
        try (RandomAccessFile file = new RandomAccessFile(shrinking.toFile(), "rw"); Program.Server server = serve("tcp")) {
            file.setLength(LONG);
            CompletableFuture<Program.Outcome> put = CompletableFuture.supplyAsync(() -> put(server, "tcp", shrinking, "new"));
            while (!put.isDone() && !hasData()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            file.setLength(1);
            Program.Outcome outcome = put.get(180, TimeUnit.SECONDS);
            assertEquals(1, outcome.status());
            assertTrue(outcome.errors().contains("was cut short while it was read"), outcome.errors());
        }
        assertEquals(List.of(), served());
    }

    /** The name appears while the file is on its way, if this thread does not stand still. */
    @Test
    @Tag(Proofs.TAG)
    void shouldReplaceNoFileThatCameMeanwhile() throws Exception {
        Path big = folder.resolve("big");
        try (RandomAccessFile file = new RandomAccessFile(big.toFile(), "rw"); Program.Server server = serve("tcp")) {
            file.setLength(64 << 20);
            CompletableFuture<Program.Outcome> put = CompletableFuture.supplyAsync(() -> put(server, "tcp", big, "new"));
            while (!put.isDone() && !hasData()) {
                TimeUnit.MILLISECONDS.sleep(1);
            }
            Files.writeString(served.resolve("new"), "another");
            Program.Outcome outcome = put.get(180, TimeUnit.SECONDS);
            assertTrue(outcome.errors().contains("new is there already at the server: take another name, or --replace"), outcome.errors());
        }
        assertEquals(List.of(served.resolve("new")), served());
        assertEquals("another", Files.readString(served.resolve("new")));
    }

    /** Runs pverbs by a shell, whose printf makes the bytes of the last arguments. */
    private static Program.Outcome shell(List<String> made, String... arguments) throws IOException, InterruptedException {
        StringBuilder script = new StringBuilder("export LC_ALL=C.UTF-8; exec \"$@\"");
        made.forEach(each -> script.append(" \"$(printf '").append(each).append("')\""));
        Process process = Program.startBehind(List.of("sh", "-c", script.toString(), "sh"), arguments);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(180, TimeUnit.SECONDS));
        return new Program.Outcome(process.exitValue(), said, said);
    }

    private static void makeFile(Path folder, String name, String text) throws IOException, InterruptedException {
        Process process = new ProcessBuilder("sh", "-c", "printf '" + text + "' > \"$(printf '" + name + "')\"").directory(folder.toFile())
                .start();
        assertEquals(0, process.waitFor());
    }

    /** Java reads the byte as U+FFFD, which would be the name of another file. */
    @Test
    void shouldRefuseNamesThatJavaCannotDecode() throws Exception {
        makeFile(served, "bad" + OCTAL, "right");
        makeFile(folder, "bad" + OCTAL, "right");
        Files.writeString(served.resolve("bad\ufffd"), "wrong");
        Files.writeString(folder.resolve("bad\ufffd"), "wrong");
        try (Program.Server server = serve("tcp")) {
            String url = "nfs://127.0.0.1:" + server.port() + "/";
            List<List<String>> attempts = new ArrayList<>();
            attempts.add(List.of("put", local.toString(), url + "new" + OCTAL));
            attempts.add(List.of("put", folder + "/bad" + OCTAL, url + "new"));
            attempts.add(List.of("get", url + "bad" + OCTAL, folder + "/new"));
            attempts.add(List.of("get", url + "bad\ufffd", folder + "/new" + OCTAL));
            attempts.add(List.of("ls", url + "bad" + OCTAL));
            for (List<String> attempt : attempts.subList(0, Proofs.run() ? attempts.size() : 2)) {
                Program.Outcome outcome = shell(attempt.subList(1, attempt.size()), "nfs", attempt.getFirst(), "--transport", "tcp");
                assertEquals(2, outcome.status(), outcome.out());
                assertTrue(outcome.out().contains("has bytes that are not of the character set UTF-8"), outcome.out());
            }
        }
        assertEquals(2, served().size());
        assertFalse(Files.exists(folder.resolve("new")));
        try (Stream<Path> paths = Files.list(folder)) {
            assertEquals(4, paths.count());
        }
    }
}
