package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** The ways to choose the provider, each in a JVM of its own. */
class NioAgentTest {
    private static final String NAMED = "-Djava.nio.channels.spi.SelectorProvider=" + VerbsSelectorProvider.class.getName();
    private static final String EXPORT = "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED";

    @TempDir
    private Path directory;

    /** A program that knows nothing of verbs, but at its end. */
    static final class Program {
        private Program() {
        }

        public static void main(String[] arguments) throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open(); SocketChannel near = SocketChannel.open()) {
                server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                near.connect(server.getLocalAddress());
                try (SocketChannel far = server.accept()) {
                    near.write(ByteBuffer.wrap(new byte[] { 42 }));
                    ByteBuffer into = ByteBuffer.allocate(1);
                    far.read(into);
                    System.out.println("got " + into.get(0));
                }
            }
            if (SelectorProvider.provider() instanceof VerbsSelectorProvider provider) {
                System.out.println(provider.counters());
            }
        }
    }

    /** It writes as much as goes, closes, and ends at once. */
    static final class Writer {
        private Writer() {
        }

        public static void main(String[] arguments) throws IOException {
            SocketChannel channel = SocketChannel
                    .open(new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0])));
            channel.configureBlocking(false);
            ByteBuffer bytes = ByteBuffer.allocate(64 << 10);
            int total = 0;
            while (channel.write(bytes) > 0) {
                total += bytes.position();
                bytes.clear();
            }
            channel.close();
            System.out.println(total + bytes.position());
            System.exit(0);
        }
    }

    private Path agent() throws IOException {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Premain-Class", NioAgent.class.getName());
        Path jar = directory.resolve("agent.jar");
        new JarOutputStream(Files.newOutputStream(jar), manifest).close();
        return jar;
    }

    private record Outcome(int status, String output) {
    }

    private static Outcome run(String... options) throws IOException, InterruptedException {
        return run(Program.class, List.of(), options);
    }

    private static Outcome run(Class<?> program, List<String> arguments, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp",
                System.getProperty("java.class.path"), "-Dpanamaverbs.provider=soft-iwarp"));
        command.addAll(List.of(options));
        command.add(program.getName());
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        return new Outcome(process.waitFor(), output);
    }

    private static void assertCarries(Outcome outcome, NioCounters counters) {
        assertEquals(0, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("got 42"), outcome.output);
        assertTrue(outcome.output.contains(counters.toString()), outcome.output);
    }

    @Test
    void shouldNeedOneOption() throws Exception {
        assertCarries(run("-javaagent:" + agent() + "=127.0.0.1"), new NioCounters(2, 2, 0, 0, 0));
    }

    @Test
    void shouldTakeTheAddressesFromTheSetting() throws Exception {
        assertCarries(run("-javaagent:" + agent(), "-Dpanamaverbs.nio.addresses=*"), new NioCounters(2, 2, 0, 0, 0));
    }

    @Test
    void shouldSayThatNoAddressIsNamed() throws Exception {
        Outcome outcome = run("-javaagent:" + agent());
        assertCarries(outcome, new NioCounters(0, 0, 2, 2, 0));
        assertTrue(outcome.output.contains("names no address"), outcome.output);
    }

    @Test
    void shouldBeChosenByThePropertyIfTheJdkIsOpened() throws Exception {
        assertCarries(run(NAMED, EXPORT, "-Dpanamaverbs.nio.addresses=127.0.0.1"), new NioCounters(2, 2, 0, 0, 0));
    }

    @Test
    void shouldNameTheAgentIfTheJdkIsNotOpened() throws Exception {
        Outcome outcome = run(NAMED);
        assertEquals(1, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("start Java with -javaagent:"), outcome.output);
    }

    @Test
    void shouldRefuseAWrongAddressAtTheStart() throws Exception {
        Outcome outcome = run("-javaagent:" + agent() + "=localhost");
        assertEquals(1, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("\"localhost\", which is no network"), outcome.output);
    }

    @Test
    void shouldRefuseASecondProvider() throws Exception {
        Outcome outcome = run("-javaagent:" + agent() + "=*", "-Djava.nio.channels.spi.SelectorProvider=other.Provider");
        assertEquals(1, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("names other.Provider"), outcome.output);
    }

    @ParameterizedTest
    @Transports({ "shared-memory", "epoll", Providers.JDK })
    void shouldSendWhatWasWrittenBeforeItEnds(String name) throws Exception {
        try (ServerSocketChannel server = Providers.of(name).openServerSocketChannel().bind(Providers.anyPort())) {
            CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(() -> readSlowly(server), Thread::startVirtualThread);
            String port = Integer.toString(((InetSocketAddress) server.getLocalAddress()).getPort());
            Outcome outcome = run(Writer.class, List.of(port),
                    name.equals(Providers.JDK) ? "-Dnone" : "-javaagent:" + agent() + "=127.0.0.1",
                    "-Dpanamaverbs.softiwarp.transport=" + (name.equals(Providers.JDK) ? "auto" : name));
            assertEquals(0, outcome.status, outcome.output);
            String written = outcome.output.strip().lines().reduce((first, last) -> last).orElseThrow();
            assertEquals(written, Integer.toString(reading.get(60, TimeUnit.SECONDS)));
        }
    }

    private static int readSlowly(ServerSocketChannel server) {
        try (SocketChannel peer = server.accept()) {
            Thread.sleep(Proofs.loopNanos() / 1_000_000);
            ByteBuffer into = ByteBuffer.allocate(100_000);
            int total = 0;
            for (int count = peer.read(into); count >= 0; count = peer.read(into.clear())) {
                total += count;
            }
            return total;
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
