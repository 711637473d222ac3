package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.testing.Proofs;
import picocli.CommandLine;

/** Both commands over the sockets of this machine. */
@Tag(Proofs.TAG)
class CastOverNetworkTest {
    private static final int SIZE = 3_000_001;

    @TempDir
    private Path folder;

    /** A command that runs on a thread of its own. */
    private static final class Running {
        private final StringWriter out = new StringWriter() {
            @Override
            public void flush() {
                wake();
            }
        };
        private final StringWriter errors = new StringWriter();
        private final CompletableFuture<Integer> status = new CompletableFuture<>();

        Running(Object command, List<String> arguments) {
            CommandLine line = new CommandLine(command);
            line.setOut(new PrintWriter(out, true));
            line.setErr(new PrintWriter(errors, true));
            Thread.ofPlatform().daemon().start(() -> {
                status.complete(line.execute(arguments.toArray(String[]::new)));
                wake();
            });
        }

        private synchronized void wake() {
            notifyAll();
        }

        synchronized String awaitLine(String start) throws InterruptedException {
            while (true) {
                for (String each : out.toString().split("\n", -1)) {
                    if (each.startsWith(start) && out.toString().contains(each + "\n")) {
                        return each.substring(start.length()).strip();
                    }
                }
                assertTrue(!status.isDone(), () -> out + "" + errors);
                wait();
            }
        }

        void shouldSucceed() throws Exception {
            assertEquals(0, status.get(60, TimeUnit.SECONDS), () -> out + "" + errors);
        }
    }

    private static List<String> arguments(Path file, String url, String... more) {
        return Stream.concat(Stream.of(file.toString(), url, "--stag", "0x77", "--notify", "5", "--quiet"), Stream.of(more)).toList();
    }

    private Running startCatch(Path file, String url, String... more) {
        List<String> all = new ArrayList<>(arguments(file, url, more));
        all.addAll(List.of("--size", Integer.toString(SIZE)));
        return new Running(new CatchCommand(DdpContext::open), all);
    }

    private Path source() throws IOException {
        byte[] bytes = new byte[SIZE];
        new Random(1).nextBytes(bytes);
        return Files.write(folder.resolve("source"), bytes);
    }

    @ParameterizedTest
    @CsvSource({ "tcp://127.0.0.1:0,", "udp://127.0.0.1:0,", "udp://127.0.0.1:0,--repair", "udp://127.0.0.1:0,--ordered",
            "udp://[::1]:0," })
    void shouldPlaceAFile(String url, String option) throws Exception {
        String[] options = option == null ? new String[0] : new String[] { option };
        Path target = folder.resolve("target");
        Running caught = startCatch(target, url, options);
        String actual = caught.awaitLine("listening on ");
        new Running(new CastCommand(DdpContext::open), arguments(source(), actual, options)).shouldSucceed();
        caught.shouldSucceed();
        assertArrayEquals(Files.readAllBytes(folder.resolve("source")), Files.readAllBytes(target));
    }

    @ParameterizedTest
    @CsvSource({ "1", "3" })
    void shouldPlaceAFileAtEachMemberOfAGroup(int members) throws Exception {
        int port;
        try (DatagramSocket free = new DatagramSocket()) {
            port = free.getLocalPort();
        }
        String url = "udp://239.255.77.2:" + port;
        List<Running> caught = new ArrayList<>();
        for (int i = 0; i < members; i++) {
            Running running = startCatch(folder.resolve("target" + i), url, "--repair", "--interface", "lo");
            running.awaitLine("listening on ");
            caught.add(running);
        }
        new Running(new CastCommand(DdpContext::open),
                arguments(source(), url, "--repair", "--interface", "lo", "--receivers", Integer.toString(members))).shouldSucceed();
        for (int i = 0; i < members; i++) {
            caught.get(i).shouldSucceed();
            assertArrayEquals(Files.readAllBytes(folder.resolve("source")), Files.readAllBytes(folder.resolve("target" + i)));
        }
    }
}
