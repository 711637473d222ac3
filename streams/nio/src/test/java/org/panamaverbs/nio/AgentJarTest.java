package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.logging.LogManager;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.testing.TestClasses;
import org.slf4j.LoggerFactory;

/** The agent's jar, beside programs with logging of their own. It runs after the jar is there, with {@code mvn verify}. */
@EnabledIfSystemProperty(named = "agent.jar", matches = ".+", disabledReason = "mvn verify makes the jar")
public class AgentJarTest {
    private static final Path AGENT = Path.of(System.getProperty("agent.jar", ""));
    private static final String LOGGED = "INFO " + Program.class.getName() + " - got 42";

    @TempDir
    private Path directory;
    private Path report;

    /** Logs by the SLF4J that it finds, and exchanges a byte. */
    public static final class Program {
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
                    LoggerFactory.getLogger(Program.class).info("got {}", into.get(0));
                }
            }
        }
    }

    /** Starts a program as executable jars and servers do: in a class loader below that of the class path. */
    static final class Launcher {
        private Launcher() {
        }

        public static void main(String[] arguments) throws Exception {
            List<URL> urls = new ArrayList<>();
            for (String entry : arguments[0].split(File.pathSeparator)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
            URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), Launcher.class.getClassLoader());
            Thread.currentThread().setContextClassLoader(loader);
            loader.loadClass(arguments[1]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        }
    }

    /** Opens a channel in a thread without a context class loader, as those of the JDK's HTTP client are. */
    static final class ThreadOfTheJdk {
        private ThreadOfTheJdk() {
        }

        public static void main(String[] arguments) throws Exception {
            Thread.currentThread().setContextClassLoader(null);
            Program.main(arguments);
        }
    }

    /** A log manager as application servers have one. */
    public static final class OwnManager extends LogManager {
        /** For the JDK. */
        public OwnManager() {
            // There is nothing to prepare.
        }
    }

    /** Chooses its log manager itself, before it logs for the first time. */
    static final class Server {
        private Server() {
        }

        public static void main(String[] arguments) throws IOException {
            System.setProperty("java.util.logging.manager", AgentJarTest.class.getName() + "$OwnManager");
            Program.main(arguments);
            System.out.println("manager " + LogManager.getLogManager().getClass().getSimpleName());
        }
    }

    private record Outcome(int status, String output) {
        long count(String text) {
            return output.lines().filter(line -> line.contains(text)).count();
        }
    }

    @BeforeEach
    void reportThere() {
        report = directory.resolve("report");
    }

    /** The part of the class path of the tests whose names begin so. */
    private static String libraries(String prefix) {
        return String.join(File.pathSeparator, Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> Path.of(entry).getFileName().toString().startsWith(prefix)).toList());
    }

    private static Path testClasses() {
        return Path.of("target/test-classes").toAbsolutePath();
    }

    private static String ownClassPath() {
        return testClasses() + File.pathSeparator + libraries("slf4j-");
    }

    private Outcome run(boolean withAgent, String classPath, List<String> options, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
                        "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classPath, "-Dpanamaverbs.provider=soft-iwarp"));
        if (withAgent) {
            command.addAll(List.of("-javaagent:" + AGENT + "=127.0.0.1", "-Dpanamaverbs.nio.report=" + report));
        }
        command.addAll(options);
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes());
        return new Outcome(process.waitFor(), output);
    }

    private void assertOverVerbs() throws IOException {
        assertTrue(Files.readString(report).contains("2 connections and 2 bytes over verbs"), () -> report.toString());
    }

    @Test
    void shouldShowItsOwnPackagesAlone() throws IOException {
        try (JarFile jar = new JarFile(AGENT.toFile())) {
            List<String> others = jar.stream().filter(entry -> !entry.isDirectory()).map(ZipEntry::getName).filter(name -> !name.matches(
                    "org/panamaverbs/.*\\.class|META-INF/services/org\\.panamaverbs\\..*" + "|META-INF/(MANIFEST\\.MF|LICENSE\\.txt)"))
                    .toList();
            assertEquals(List.of(), others);
            assertFalse(jar.isMultiRelease());
        }
    }

    /** A class may be asked for by name, in a text that no tool renames. */
    @Test
    void shouldNameNoClassOfSlf4jThatItLacks() throws IOException {
        try (JarFile jar = new JarFile(AGENT.toFile())) {
            List<String> naming = new ArrayList<>();
            for (ZipEntry entry : jar.stream().filter(each -> each.getName().endsWith(".class")).toList()) {
                try (InputStream stream = jar.getInputStream(entry)) {
                    String bytes = new String(stream.readAllBytes(), StandardCharsets.ISO_8859_1);
                    if (bytes.contains("org/slf4j/")) {
                        naming.add(entry.getName());
                    }
                }
            }
            assertEquals(List.of(), naming);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldLeaveTheLogOfAChildClassLoaderAlone(boolean withAgent) throws Exception {
        Path launcher = directory.resolve(Launcher.class.getName().replace('.', '/') + ".class");
        Files.createDirectories(launcher.getParent());
        Files.copy(testClasses().resolve(directory.relativize(launcher)), launcher);
        Outcome outcome = run(withAgent, directory.toString(), List.of(), Launcher.class.getName(), ownClassPath(),
                Program.class.getName());
        assertEquals(0, outcome.status, outcome.output);
        assertEquals(1, outcome.count(LOGGED), outcome.output);
        assertEquals(0, outcome.count("SLF4J"), outcome.output);
        if (withAgent) {
            assertOverVerbs();
            assertEquals(1, outcome.count("are to go over verbs"), outcome.output);
            assertEquals(1, outcome.count("go over verbs, provider soft-iwarp"), outcome.output);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void shouldLeaveTheLogOfTheClassPathAlone(boolean withAgent) throws Exception {
        Outcome outcome = run(withAgent, ownClassPath(), List.of("-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
                "-Dorg.panamaverbs.agent.slf4j.simpleLogger.defaultLogLevel=warn"), Program.class.getName());
        assertEquals(0, outcome.status, outcome.output);
        assertEquals(1, outcome.count(LOGGED), outcome.output);
        assertEquals(1, outcome.output.lines().filter(line -> !line.startsWith("SLF4J(I)")).count(), outcome.output);
        if (withAgent) {
            assertOverVerbs();
        }
    }

    @Test
    void shouldNotChooseTheLogManagerOfTheJdk() throws Exception {
        Outcome outcome = run(true, ownClassPath(), List.of(), Server.class.getName());
        assertEquals(1, outcome.count("manager OwnManager"), outcome.output);
        assertOverVerbs();
    }

    @Test
    void shouldServeAThreadWithoutAContextClassLoader() throws Exception {
        Outcome outcome = run(true, ownClassPath(), List.of(), ThreadOfTheJdk.class.getName());
        assertEquals(1, outcome.count(LOGGED), outcome.output);
        assertOverVerbs();
    }

    /** The class path comes first: its modules run, and the agent adds those that it lacks. */
    @Test
    void shouldRunBesideTheModulesOfTheClassPath() throws Exception {
        Path verbs = TestClasses.project().resolve("verbs/target/classes");
        Outcome outcome = run(true, ownClassPath() + File.pathSeparator + verbs, List.of(), Program.class.getName());
        assertEquals(0, outcome.status, outcome.output);
        assertEquals(1, outcome.count(LOGGED), outcome.output);
        assertEquals(1, outcome.count("panama-verbs is on the class path and in the agent"), outcome.output);
        assertTrue(outcome.output.contains(verbs.toString()), outcome.output);
        assertOverVerbs();
    }

    @Test
    void shouldRefuseModulesOfAnotherVersion() throws Exception {
        Path other = directory.resolve("org/panamaverbs/Configuration.class");
        Files.createDirectories(other.getParent());
        Files.copy(testClasses().resolve("org/panamaverbs/nio/Channels.class"), other);
        Outcome outcome = run(true, directory + File.pathSeparator + ownClassPath(), List.of(), Program.class.getName());
        assertEquals(1, outcome.status, outcome.output);
        assertTrue(outcome.output.contains("panama-verbs-nio: ") && outcome.output.contains("are of different versions")
                && outcome.output.contains(directory.toString()), outcome.output);
    }
}
