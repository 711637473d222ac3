package org.panamaverbs.tools.files;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/**
 * A file that got its name survives a power cut. Each command that writes files runs under strace: its data is on the disk before it gets
 * the name, and the name is on the disk before the command answers.
 */
@Execution(ExecutionMode.CONCURRENT)
@Tag(Proofs.TAG)
class SyncOrderTest {
    /** Three windows of `serve`, the last of which is not full. */
    private static final int SIZE = (40 << 20) + 1;

    @TempDir
    private Path folder;
    private Path here;
    private Path there;
    private Trace trace;

    @BeforeEach
    void prepare() throws IOException, InterruptedException {
        Trace.assumeInstalled();
        here = Files.createDirectory(folder.resolve("here"));
        there = Files.createDirectory(folder.resolve("there"));
        trace = new Trace(folder.resolve("trace"));
    }

    private static Path fill(Path file, int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(file, bytes);
    }

    /** The end of a command, and its output. */
    private record Ended(int status, String said) {
    }

    private static Ended end(Process process) throws IOException, InterruptedException {
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(180, TimeUnit.SECONDS));
        return new Ended(process.exitValue(), said);
    }

    private Program.Server serve(List<String> words, String... more) throws IOException {
        return new Program.Server(words,
                Stream.concat(Stream.of("serve", there.toString(), "--listen", "127.0.0.1:0", "--keep-free", "0"), Stream.of(more))
                        .toArray(String[]::new));
    }

    private static Trace.Call last(List<Trace.Call> calls, String what, Predicate<Trace.Call> which) {
        return calls.stream().filter(which).reduce((_, later) -> later)
                .orElseThrow(() -> new AssertionError("no " + what + " in " + calls));
    }

    /** Data, name, folder, answer. */
    private static void checkOrder(List<Trace.Call> calls, Path file, Predicate<Trace.Call> answers) {
        Trace.Call named = last(calls, "name", call -> call.names() && call.text().contains("\"" + file + "\""));
        Trace.Call data = last(calls, "sync of the data",
                call -> call.isSync() && !isOf(call, file.getParent()) && call.text().contains("<" + file.getParent() + "/"));
        Trace.Call names = last(calls, "sync of the folder", call -> call.isSync() && isOf(call, file.getParent()));
        Trace.Call answer = last(calls, "answer", answers);
        assertTrue(data.ended() < named.began(), () -> "data before name: " + calls);
        assertTrue(named.ended() < names.began(), () -> "name before its folder is synced: " + calls);
        assertTrue(names.ended() < answer.began(), () -> "the folder before the answer: " + calls);
        assertEquals(0, calls.stream().filter(answers).filter(call -> call.began() > data.began() && call.began() < names.ended()).count(),
                () -> "nothing is said meanwhile: " + calls);
    }

    private static boolean isOf(Trace.Call call, Path folder) {
        return call.text().contains("<" + folder + ">");
    }

    private static boolean saysResult(Trace.Call call) {
        return call.name().startsWith("write") && call.text().contains(" bytes in ");
    }

    /** Also the data of earlier windows is on the disk when the last has come, since the client waits for the last sync. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldSyncBeforeServeAnswers(boolean replaces) throws Exception {
        Path source = fill(here.resolve("source"), SIZE);
        Path name = there.resolve("name");
        if (replaces) {
            Files.writeString(name, "old");
        }
        List<Trace.Call> calls;
        try (Program.Server server = serve(trace.words(), "--writable", "--replace")) {
            Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/name", "--replace");
            assertEquals(0, put.status(), put.errors());
            server.kill();
            calls = trace.calls(server.pid());
        }
        assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(name));
        checkOrder(calls, name, Trace.Call::sends);
        assertEquals(3, calls.stream().filter(call -> call.isSync() && !isOf(call, there)).count(), () -> "for three windows: " + calls);
    }

    @Test
    void shouldSyncBeforeCopyEnds() throws Exception {
        fill(there.resolve("name"), SIZE);
        Path back = here.resolve("back");
        try (Program.Server server = serve(List.of())) {
            Process copy = Program.startBehind(trace.words(), "copy", server.address() + "/name", back.toString());
            assertEquals(0, end(copy).status());
            checkOrder(trace.calls(copy.pid()), back, SyncOrderTest::saysResult);
        }
    }

    @Test
    void shouldSyncBeforeCatchEnds() throws Exception {
        Path source = fill(there.resolve("source"), 1 << 20);
        Path caught = here.resolve("caught");
        String[] placement = { "--stag", "0x77", "--notify", "5", "--quiet" };
        try (Program.Server server = new Program.Server(trace.words(),
                Stream.concat(Stream.of("catch", caught.toString(), "tcp://127.0.0.1:0", "--size", "1MiB"), Stream.of(placement))
                        .toArray(String[]::new))) {
            Program.Outcome cast = Program.run(
                    Stream.concat(Stream.of("cast", source.toString(), server.address()), Stream.of(placement)).toArray(String[]::new));
            assertEquals(0, cast.status(), cast.errors());
            server.await(" bytes in ");
            checkOrder(trace.calls(server.pid()), caught, SyncOrderTest::saysResult);
        }
    }

    @Test
    void shouldSyncBeforeNfsGetEnds() throws Exception {
        fill(there.resolve("name"), 1 << 20);
        Path back = here.resolve("back");
        try (Program.Server server = new Program.Server("nfs", "serve", there.toString(), "--listen", "127.0.0.1:0")) {
            Process get = Program.startBehind(trace.words(), "nfs", "get", "nfs://127.0.0.1:" + server.port() + "/name", back.toString());
            assertEquals(0, end(get).status());
            checkOrder(trace.calls(get.pid()), back, SyncOrderTest::saysResult);
        }
    }

    @ParameterizedTest
    @CsvSource({ "EIO, Input/output error", "ENOSPC, No space left on device" })
    void shouldGiveNoNameToDataThatIsNotOnTheDisk(String error, String text) throws Exception {
        Path source = fill(here.resolve("source"), 1000);
        try (Program.Server server = serve(trace.words("-e", "inject=fsync:error=" + error + ":when=1"), "--writable")) {
            Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/name");
            assertEquals(1, put.status());
            assertEquals("pverbs: " + server.address() + " refuses: cannot be written to the disk, so it gets no name: " + text,
                    put.errors().strip());
            try (Stream<Path> names = Files.list(there)) {
                assertEquals(List.of(), names.toList());
            }
        }
    }

    /** The sync that fails is that of a window before, while the client writes the next one. */
    @Test
    void shouldTellAClientThatIsWritingThatTheDiskFails() throws Exception {
        Path source = fill(here.resolve("source"), SIZE);
        try (Program.Server server = serve(trace.words("-e", "inject=fsync:error=EIO:when=2"), "--writable")) {
            Program.Outcome put = Program.run("copy", source.toString(), server.address() + "/name");
            assertEquals("pverbs: " + server.address() + " refuses: cannot be written to the disk, so it gets no name: Input/output error",
                    put.errors().strip());
        }
    }

    /** EINVAL is the answer of file systems that sync no folders, EACCES that for a folder that may be written and not read. */
    @ParameterizedTest
    @CsvSource({ "fsync:error=EIO:when=2, 1", "fsync:error=EINVAL:when=2, 0", "openat:error=EACCES:when=3+, 0" })
    void shouldSayThatANameMayBeLost(String fault, int status) throws Exception {
        fill(there.resolve("name"), 1000);
        Path back = here.resolve("back");
        try (Program.Server server = serve(List.of())) {
            // The folder is opened to look for leftovers, for the file without a name, and to be synced.
            List<String> words = fault.startsWith("openat") ? trace.words("-P", here.toString(), "-e", "inject=" + fault)
                    : trace.words("-e", "inject=" + fault);
            Process copy = Program.startBehind(words, "copy", server.address() + "/name", back.toString());
            Ended ended = end(copy);
            assertEquals(status, ended.status(), ended.said());
            assertTrue(trace.calls(copy.pid()).stream().anyMatch(call -> call.text().contains(Trace.INJECTED)), "the fault came");
            assertArrayEquals(Files.readAllBytes(there.resolve("name")), Files.readAllBytes(back));
            if (status != 0) {
                assertTrue(ended.said().contains(back + ": is whole and has its name, but a power cut may take the name, since the folder"
                        + " cannot be written to the disk: Input/output error"), ended.said());
            }
        }
    }
}
