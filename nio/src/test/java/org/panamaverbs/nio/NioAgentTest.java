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
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The ways to choose the provider, each in a JVM of its own. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
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
            try (ServerSocketChannel server = ServerSocketChannel.open();
                    SocketChannel near = SocketChannel.open()) {
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
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-cp", System.getProperty("java.class.path"), "-Dpanamaverbs.provider=soft-iwarp"));
        command.addAll(List.of(options));
        command.add(Program.class.getName());
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
}
