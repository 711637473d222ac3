package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.testing.Proofs;
import picocli.CommandLine;

/** Both commands over a network inside this process. */
@Execution(ExecutionMode.CONCURRENT)
class CastCommandTest {
    private static final String[] KEYS = { "--stag", "0x1234", "--notify", "7" };
    private static final String UDP = "udp://127.0.0.1:5000";
    private static final String TCP = "tcp://127.0.0.1:5000";
    private static final String GROUP = "udp://239.1.2.3:5000";
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 5000);
    private static final InetSocketAddress GROUP_ADDRESS = new InetSocketAddress("239.1.2.3", 5000);

    @TempDir
    private Path folder;

    private record Outcome(int status, String out, Throwable failure) {
    }

    private static Outcome run(Object command, String... arguments) {
        StringWriter out = new StringWriter();
        Throwable[] failure = new Throwable[1];
        CommandLine commandLine = new CommandLine(command);
        commandLine.setOut(new PrintWriter(out));
        commandLine.setErr(new PrintWriter(new StringWriter()));
        commandLine.setExecutionExceptionHandler((exception, line, parsed) -> {
            failure[0] = exception;
            return 1;
        });
        commandLine.setParameterExceptionHandler((exception, all) -> {
            failure[0] = exception;
            return 2;
        });
        return new Outcome(commandLine.execute(arguments), out.toString(), failure[0]);
    }

    private static String[] arguments(Path file, String url, String... more) {
        return Stream.of(Stream.of(file.toString(), url), Arrays.stream(KEYS), Arrays.stream(more)).flatMap(each -> each)
                .toArray(String[]::new);
    }

    private static CompletableFuture<Outcome> startCatch(FakeDdp network, Path file, long size, String url, String... more) {
        String[] all = Stream.concat(Arrays.stream(arguments(file, url, more)), Stream.of("--size", Long.toString(size)))
                .toArray(String[]::new);
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> outcome.complete(run(new CatchCommand(configuration -> network.open()), all)));
        return outcome;
    }

    private static Outcome cast(FakeDdp network, Path file, String url, String... more) {
        return run(new CastCommand(configuration -> network.open()), arguments(file, url, more));
    }

    private static Outcome get(CompletableFuture<Outcome> outcome) throws Exception {
        return outcome.get(180, TimeUnit.SECONDS);
    }

    private Path source(int size) throws IOException {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return Files.write(folder.resolve("source"), bytes);
    }

    private List<String> names() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @CsvSource({ UDP + ",0", UDP + ",1", UDP + ",100000", UDP + ",5000000", TCP + ",0", TCP + ",1", TCP + ",5000000" })
    void shouldPlaceAFile(String url, int size) throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path source = source(size);
        Path target = folder.resolve("target");
        var caught = startCatch(network, target, size, url);
        network.awaitReceivers(ADDRESS, 1);
        Outcome cast = cast(network, source, url);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(0, cast.status(), () -> cast.out() + cast.failure()),
                () -> assertEquals(0, end.status(), () -> end.out() + end.failure()),
                () -> assertTrue(end.out().startsWith("listening on " + url), end.out()),
                () -> assertTrue(end.out().contains(size + " bytes in "), end.out()),
                () -> assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target)),
                () -> assertEquals(List.of("source", "target"), names()));
    }

    @Test
    void shouldSayHowManyOctetsNeverCame() throws Exception {
        long seed = System.nanoTime();
        FakeDdp network = new FakeDdp(seed, 0.05);
        Path source = source(1_000_000);
        Path target = folder.resolve("target");
        var caught = startCatch(network, target, 1_000_000, UDP, "--json", "--idle", "1");
        network.awaitReceivers(ADDRESS, 1);
        assertEquals(0, cast(network, source, UDP).status());
        Outcome end = get(caught);
        JsonNode object = new ObjectMapper().readTree(end.out());
        byte[] expected = Files.readAllBytes(source);
        byte[] came = Files.readAllBytes(target);
        for (JsonNode hole : object.get("holes")) {
            int offset = hole.get("offset").asInt();
            Arrays.fill(expected, offset, offset + hole.get("length").asInt(), (byte) 0);
        }
        assertAll("seed " + seed, () -> assertEquals(3, end.status()), () -> assertTrue(object.get("missing").asLong() > 0),
                () -> assertArrayEquals(expected, came));
    }

    /** Less than the first 200 ms later: the notification has come, and nothing else will. */
    @Test
    void shouldEndSoonAfterTheNotificationThoughOctetsAreMissing() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        var caught = startCatch(network, folder.resolve("target"), 100, UDP, "--idle", "60");
        network.awaitReceivers(ADDRESS, 1);
        send(network, DdpTransport.UDP, 0, 60, 7);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(3, end.status()), () -> assertTrue(end.out().contains("40 octets never came"), end.out()));
    }

    /** Sends octets with a notification from a socket that stays open as long as its context does. */
    private static void send(FakeDdp network, DdpTransport transport, int offset, int length, int id) {
        try (DdpContext context = network.open()) {
            MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, length)).fill((byte) 5);
            context.connect(transport, ADDRESS, DdpOptions.DEFAULT, Duration.ofSeconds(60)).sendDdp(memory, 0, length, 0x1234, offset,
                    id < 0 ? 0 : DdpSocket.NOTIFY, id);
        }
    }

    @Test
    void shouldGoOnListeningAfterAConnectionThatDidNotFinish() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path target = folder.resolve("target");
        var caught = startCatch(network, target, 100, TCP);
        network.awaitReceivers(ADDRESS, 1);
        send(network, DdpTransport.TCP, 0, 60, -1);
        send(network, DdpTransport.TCP, 60, 20, 8);
        send(network, DdpTransport.TCP, 80, 20, 7);
        Outcome end = get(caught);
        byte[] expected = new byte[100];
        Arrays.fill(expected, (byte) 5);
        assertAll(() -> assertEquals(0, end.status(), () -> end.out() + end.failure()),
                () -> assertArrayEquals(expected, Files.readAllBytes(target)));
    }

    @Test
    void shouldEndAfterIdleWithoutTheNotification() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        var caught = startCatch(network, folder.resolve("target"), 100, TCP, "--idle", "1");
        network.awaitReceivers(ADDRESS, 1);
        send(network, DdpTransport.TCP, 0, 60, -1);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(3, end.status()), () -> assertTrue(end.out().contains("40 octets never came"), end.out()));
    }

    @Test
    void shouldRefuseASizeThatIsNotTheSenders() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path source = source(100_000);
        var caught = startCatch(network, folder.resolve("target"), 30 * 1452, UDP, "--idle", "1");
        network.awaitReceivers(ADDRESS, 1);
        cast(network, source, UDP);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(1, end.status()), () -> assertTrue(end.failure().getMessage().contains("--size"), end.out()),
                () -> assertEquals(List.of("source"), names()));
    }

    @Test
    void shouldRefuseOctetsOfAFileThatShouldBeEmpty() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        var caught = startCatch(network, folder.resolve("target"), 0, UDP);
        network.awaitReceivers(ADDRESS, 1);
        send(network, DdpTransport.UDP, 0, 1, 7);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(1, end.status()), () -> assertTrue(end.failure().getMessage().contains("--size"), end.out()),
                () -> assertEquals(List.of(), names()));
    }

    static List<Double> losses() {
        return Proofs.run() ? List.of(0., 0.01, 0.05, 0.3) : List.of(0.05);
    }

    @ParameterizedTest
    @MethodSource("losses")
    void shouldRepairTheFilesOfAGroup(double loss) throws Exception {
        long seed = System.nanoTime();
        int size = 1_000_003;
        FakeDdp network = new FakeDdp(seed, loss);
        Path source = source(size);
        List<CompletableFuture<Outcome>> catchers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            catchers.add(startCatch(network, folder.resolve("target" + i), size, GROUP, "--repair", "--json"));
        }
        network.awaitReceivers(GROUP_ADDRESS, 4);
        Outcome cast = cast(network, source, GROUP, "--repair", "--receivers", "4", "--json");
        JsonNode sent = new ObjectMapper().readTree(cast.out());
        assertAll("seed " + seed + " " + cast.out() + cast.failure(), () -> assertEquals(0, cast.status()),
                () -> assertEquals(4, sent.get("receivers").size()), () -> assertEquals(loss > 0, sent.get("repairedBytes").asLong() > 0));
        for (int i = 0; i < 4; i++) {
            Outcome end = get(catchers.get(i));
            JsonNode object = new ObjectMapper().readTree(end.out());
            byte[] came = Files.readAllBytes(folder.resolve("target" + i));
            assertAll("seed " + seed + " " + end.out() + end.failure(), () -> assertEquals(0, end.status()),
                    () -> assertEquals(sent.get("crc32c"), object.get("crc32c")),
                    () -> assertArrayEquals(Files.readAllBytes(source), came));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1 })
    void shouldRepairShortFiles(int size) throws Exception {
        FakeDdp network = new FakeDdp(System.nanoTime(), 0.3);
        Path source = source(size);
        Path target = folder.resolve("target");
        var caught = startCatch(network, target, size, UDP, "--repair");
        network.awaitReceivers(ADDRESS, 1);
        Outcome cast = cast(network, source, UDP, "--repair", "--receivers", "1");
        Outcome end = get(caught);
        assertAll(() -> assertEquals(0, cast.status(), () -> cast.out() + cast.failure()),
                () -> assertEquals(0, end.status(), () -> end.out() + end.failure()),
                () -> assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target)));
    }

    @Test
    void shouldNotReplaceAFileUnlessToldTo() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path source = source(10);
        Path target = Files.writeString(folder.resolve("target"), "old");
        Outcome refused = get(startCatch(network, target, 10, UDP));
        var caught = startCatch(network, target, 10, UDP, "--replace");
        network.awaitReceivers(ADDRESS, 1);
        String before = Files.readString(target);
        cast(network, source, UDP);
        Outcome end = get(caught);
        assertAll(() -> assertEquals(1, refused.status()), () -> assertInstanceOf(FileAlreadyExistsException.class, refused.failure()),
                () -> assertEquals("old", before), () -> assertEquals(0, end.status()),
                () -> assertArrayEquals(Files.readAllBytes(source), Files.readAllBytes(target)));
    }

    @Test
    void shouldSayThatTheSourceWasCutShort() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path source = source(4 << 20);
        Path target = folder.resolve("target");
        var caught = startCatch(network, target, 4 << 20, UDP, "--idle", "1");
        network.awaitReceivers(ADDRESS, 1);
        network.afterParts(500, () -> {
            try (FileChannel channel = FileChannel.open(source, StandardOpenOption.WRITE)) {
                channel.truncate(1 << 20);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Outcome outcome = cast(network, source, UDP);
        assertAll(() -> assertEquals(1, outcome.status()), () -> assertTrue(outcome.failure().getMessage().contains("cut short")),
                () -> assertEquals(3, get(caught).status()));
    }

    /** The sender waits 30 s before it takes the receiver for one that has gone. */
    @Test
    @Tag(Proofs.TAG)
    void shouldNameAReceiverOfAnotherSize() throws Exception {
        FakeDdp network = new FakeDdp(1, 0);
        Path source = source(10_000);
        var caught = startCatch(network, folder.resolve("target"), 10_005, UDP, "--repair");
        network.awaitReceivers(ADDRESS, 1);
        Outcome cast = cast(network, source, UDP, "--repair", "--receivers", "1");
        Outcome end = get(caught);
        assertAll(() -> assertEquals(3, cast.status()), () -> assertTrue(cast.out().contains("has another file"), cast.out()),
                () -> assertEquals(3, end.status()), () -> assertTrue(end.out().contains("5 octets never came"), end.out()));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            udp://127.0.0.1          | --ttl=1          | is not a place such as
            127.0.0.1:5              | --ttl=1          | is not a place such as
            sctp://127.0.0.1:5       | --ttl=1          | is not a place such as
            udp://127.0.0.1:99999    | --ttl=1          | not a port
            tcp://239.1.2.3:5        | --ttl=1          | multicast group, which TCP cannot reach
            tcp://127.0.0.1:5        | --repair         | leave --repair out
            tcp://127.0.0.1:5        | --payload=9      | leave --payload out
            udp://127.0.0.1:5        | --payload=70000  | --payload is 1 to 65507
            udp://127.0.0.1:5        | --ttl=256        | --ttl is 0 to 255
            udp://127.0.0.1:5        | --stag=-1        | --stag is 0 to 4294967295
            udp://127.0.0.1:5        | --stag=0x1FFFFFFFF | --stag is 0 to
            udp://127.0.0.1:5        | --notify=2147483648 | --notify is 0 to 2147483647
            udp://127.0.0.1:5        | --notify=0x-5    | --notify is 0 to
            udp://127.0.0.1:0        | --ttl=1          | a port from 1 to 65535
            udp://127.0.0.1:5        | --receivers=2    | add it, or leave --receivers out
            udp://127.0.0.1:5        | --rate=fast      | --rate:
            udp://127.0.0.1:5        | --rate=0         | --rate:
            """)
    void shouldSayWhatIsWrongWithTheUsage(String url, String option, String words) throws Exception {
        List<String> arguments = new ArrayList<>(List.of(source(1).toString(), url, option));
        if (!option.startsWith("--stag")) {
            arguments.add("--stag=1");
        }
        if (!option.startsWith("--notify")) {
            arguments.add("--notify=1");
        }
        Outcome cast = run(new CastCommand(configuration -> new FakeDdp(1, 0).open()), arguments.toArray(String[]::new));
        assertAll(() -> assertEquals(2, cast.status(), () -> cast.out() + cast.failure()),
                () -> assertTrue(cast.failure().getMessage().contains(words), cast.failure()::getMessage));
    }

    @Test
    void shouldRequireTheKeys() throws Exception {
        Outcome cast = run(new CastCommand(), source(1).toString(), UDP);
        Outcome caught = run(new CatchCommand(), folder.resolve("target").toString(), UDP, "--stag", "1", "--notify", "1");
        assertAll(() -> assertEquals(2, cast.status()), () -> assertTrue(cast.failure().getMessage().contains("--stag")),
                () -> assertEquals(2, caught.status()), () -> assertTrue(caught.failure().getMessage().contains("--size")),
                () -> assertFalse(Files.exists(folder.resolve("target"))));
    }
}
