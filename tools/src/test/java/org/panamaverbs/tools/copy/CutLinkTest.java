package org.panamaverbs.tools.copy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.Program;

/** The link between client and server is cut in the middle of a file: neither hears of that, and both end by their default settings. */
@Execution(ExecutionMode.CONCURRENT)
@Tag(Proofs.TAG)
class CutLinkTest {
    /** The time that both ends must keep. */
    private static final long MOST_MILLIS = 30_000;
    /** More than the server grants at a time: many Writes are done, and one is under way. */
    private static final long MIDDLE = 64 << 20;
    private static final long SIZE = 8L << 30;

    @TempDir
    private Path here;
    @TempDir
    private Path there;

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldEndWithinHalfAMinuteAndSayWhy(boolean put) throws Exception {
        String obstacle = TwoHosts.obstacle();
        assumeTrue(obstacle.isEmpty(), obstacle);
        Path source = (put ? here : there).resolve("name");
        try (RandomAccessFile file = new RandomAccessFile(source.toFile(), "rw")) {
            file.setLength(SIZE);
        }
        try (TwoHosts hosts = new TwoHosts();
                Program.Server server = new Program.Server(hosts.atServer(), "serve", there.toString(), "--listen", TwoHosts.SERVER + ":0",
                        "--writable", "--keep-free", "0")) {
            String remote = server.address() + "/name";
            Process copy = put ? Program.startBehind(hosts.atClient(), "copy", source.toString(), remote, "--quiet")
                    : Program.startBehind(hosts.atClient(), "copy", remote, here.toString(), "--quiet");
            try {
                hosts.awaitReceived(put, MIDDLE);
                long cut = System.nanoTime();
                hosts.cut();
                assertTrue(copy.isAlive(), "the file is done before the link is cut");
                assertTrue(copy.waitFor(MOST_MILLIS, TimeUnit.MILLISECONDS), "copy still waits");
                String said = new String(copy.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                String heard = server.await(TwoHosts.CLIENT);
                long millis = (System.nanoTime() - cut) / 1_000_000;
                assertAll(() -> assertEquals(1, copy.exitValue(), said), () -> assertEquals(1, said.lines().count(), said),
                        () -> assertTrue(said.contains(server.address()) && namesASetting(said), said),
                        () -> assertTrue(heard.contains(TwoHosts.CLIENT) && namesASetting(heard), heard),
                        () -> assertTrue(millis < MOST_MILLIS, "it took " + millis + " ms"));
            } finally {
                copy.destroyForcibly();
            }
        }
        try (Stream<Path> left = Files.list(put ? there : here)) {
            assertEquals(0, left.count(), "what is not whole has no name");
        }
    }

    private static boolean namesASetting(String words) {
        return words.contains("panamaverbs.softiwarp.user-timeout") || words.contains("panamaverbs.softiwarp.keepalive")
                || words.contains("--timeout");
    }
}
