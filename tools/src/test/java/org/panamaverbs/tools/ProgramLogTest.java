package org.panamaverbs.tools;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What peers do wrong is logged, and cannot fill a disk. */
class ProgramLogTest {
    /** Calls with arguments that end too early. oncrpc4j warns of each, by SLF4J. */
    @Test
    void shouldLogFewOfManyBrokenCalls(@TempDir Path folder) throws Exception {
        try (Program.Server server = serve(folder)) {
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                DataInputStream in = new DataInputStream(socket.getInputStream());
                for (int i = 0; i < 3000; i++) {
                    socket.getOutputStream().write(call(0, new byte[0], 2));
                    in.skipNBytes(4 + 24);
                }
            }
            assertFew(server);
        }
    }

    /** A machine's name of 2,147,483,647 bytes. Grizzly logs a stack for each, by java.util.logging. */
    @Test
    void shouldLogFewOfManyBrokenCredentials(@TempDir Path folder) throws Exception {
        byte[] credential = ByteBuffer.allocate(8).putInt(4, Integer.MAX_VALUE).array();
        try (Program.Server server = serve(folder)) {
            for (int i = 0; i < 200; i++) {
                try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
                    socket.getOutputStream().write(call(1, credential, 0));
                    assertEquals(-1, socket.getInputStream().read());
                }
            }
            assertFew(server);
        }
    }

    private static Program.Server serve(Path folder) throws IOException {
        return new Program.Server("nfs", "serve", folder.toString(), "--transport", "tcp", "--listen", "127.0.0.1:0");
    }

    /** A call of COMPOUND, in one record. */
    private static byte[] call(int flavour, byte[] credential, int arguments) {
        int length = 6 * 4 + 8 + credential.length + 8 + arguments;
        return ByteBuffer.allocate(4 + length).putInt(1 << 31 | length).putInt(1).putInt(0).putInt(2).putInt(100_003).putInt(4).putInt(1)
                .putInt(flavour).putInt(credential.length).put(credential).array();
    }

    /** All that the server says until it ends. The limit is for each logger, and 10 s may have passed more than once. */
    private static void assertFew(Program.Server server) throws IOException, InterruptedException {
        server.end();
        String said = server.said();
        assertAll(() -> assertTrue(said.lines().count() < 300, () -> said.lines().count() + " lines"),
                () -> assertTrue(said.length() < 30_000, () -> said.length() + " characters"));
    }

    @Test
    void shouldShowFewOfManyMessages() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        ProgramLog log = new ProgramLog(new PrintStream(shown, true, StandardCharsets.UTF_8));
        for (int i = 0; i < 3000; i++) {
            log.publish(new LogRecord(Level.WARNING, "of the third kind"));
            log.publish(new LogRecord(Level.SEVERE, "of the fourth kind"));
        }
        long lines = shown.toString(StandardCharsets.UTF_8).lines().count();
        assertTrue(lines >= 20 && lines < 100, () -> lines + " lines");
    }

    @Test
    void shouldShowATextOfAPeerInOneShortLine() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        ProgramLog log = new ProgramLog(new PrintStream(shown, true, StandardCharsets.UTF_8));
        LogRecord message = new LogRecord(Level.WARNING, "\n\u001b[2J" + "a".repeat(5000));
        message.setLoggerName("org.example.Peer");
        log.publish(message);
        String line = shown.toString(StandardCharsets.UTF_8);
        assertAll(() -> assertTrue(line.startsWith("[WARNING] Peer - \\u{a}\\u{1b}[2Jaaa"), line),
                () -> assertEquals(1, line.lines().count()), () -> assertTrue(line.length() < 600, () -> line.length() + " characters"));
    }

    @Test
    void shouldShowTheBeginOfAStack() {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        ProgramLog log = new ProgramLog(new PrintStream(shown, true, StandardCharsets.UTF_8));
        LogRecord message = new LogRecord(Level.SEVERE, "it failed");
        message.setThrown(new IllegalStateException("a defect"));
        log.publish(message);
        List<String> lines = shown.toString(StandardCharsets.UTF_8).lines().toList();
        assertAll(() -> assertTrue(lines.getFirst().endsWith("it failed"), lines::toString),
                () -> assertTrue(lines.get(1).contains("IllegalStateException: a defect"), lines::toString),
                () -> assertTrue(lines.get(2).contains("ProgramLogTest.shouldShowTheBeginOfAStack"), lines::toString),
                () -> assertTrue(lines.size() < 12, lines::toString));
    }
}
