package org.panamaverbs.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.statistics.file.MappedText;
import org.panamaverbs.statistics.file.StatisticsLayout;
import org.panamaverbs.testing.Proofs;

/** The file of a process's statistics: written, read, changed by others, and left by the dead. */
class StatisticsFileTest {
    private static final long SELF = ProcessHandle.current().pid();
    /** Longer than a read takes. */
    private static final long PAUSE_NANOS = 5_000_000;

    @TempDir
    private Path parent;
    private Path folder;

    @BeforeEach
    void nameFolder() {
        folder = parent.resolve("folder");
    }

    private StatisticsFile only() throws IOException {
        List<StatisticsFile> found = StatisticsFile.find(folder, SELF);
        assertEquals(1, found.size(), found::toString);
        return found.getFirst();
    }

    /** A file of this process as another program may have written it: with this header and text. */
    private Path write(long magic, long sequence, long process, long start, int length, byte[] text) throws IOException {
        ByteBuffer content = ByteBuffer.allocate(StatisticsLayout.SIZE).order(ByteOrder.LITTLE_ENDIAN);
        content.putLong(magic).putLong(sequence).putLong(process).putLong(start).putLong(1000).putInt(length).putInt(0).put(text);
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        Path file = Files.write(folder.resolve(SELF + "-9"), content.array());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    @Test
    void shouldGiveWhatTheProcessWroteLast() throws IOException {
        assertEquals(List.of(), StatisticsFile.find(folder, 0));
        try (MappedText text = new MappedText(folder)) {
            assertEquals(List.of(), only().lines());
            text.publish("count\tone\t1\n", 1000);
            text.publish("count\ttwo\t2\nconnection\t\u00e9\n", 2000);
            StatisticsFile read = only();
            assertEquals(List.of(List.of("count", "two", "2"), List.of("connection", "\u00e9")), read.lines());
            assertEquals(Instant.ofEpochMilli(2000), read.updated());
            assertTrue(read.running());
            assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(text.file())));
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
            assertEquals(List.of(), StatisticsFile.find(folder, SELF + 1));
        }
        assertEquals(List.of(), StatisticsFile.find(folder, 0));
    }

    /** Another process may ask while this one makes its file or removes it. */
    @Test
    void shouldShowWholeFilesAlone() throws Exception {
        AtomicBoolean over = new AtomicBoolean();
        CompletableFuture<Void> process = CompletableFuture.runAsync(() -> {
            while (!over.get()) {
                try (MappedText text = new MappedText(folder)) {
                    text.publish("count\tone\t1\n", 1000);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        try {
            int found = 0;
            for (long begin = System.nanoTime(); System.nanoTime() - begin < Proofs.loopNanos() || found == 0;) {
                found += StatisticsFile.find(folder, SELF).size();
                assertFalse(process.isDone(), process::toString);
            }
        } finally {
            over.set(true);
        }
        process.get();
    }

    @Test
    void shouldLeaveOutLinesThatDoNotFit() throws IOException {
        try (MappedText text = new MappedText(folder)) {
            text.publish("count\tname\t12345\n".repeat(100_000), 1);
            StatisticsFile read = only();
            assertEquals(List.of("more"), read.lines().getLast());
            assertEquals(List.of("count", "name", "12345"), read.lines().get(read.lines().size() - 2));
        }
    }

    /** A reader sees one whole state or another, never parts of two. */
    @Test
    void shouldGiveNoMixtureWhileItIsWritten() throws Exception {
        try (MappedText text = new MappedText(folder)) {
            text.publish("start\n", 1);
            Thread writer = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                    text.publish(("count\t" + i + "\n").repeat(1 + i % 3000), 1);
                    if (i % 47 == 0) {
                        // A read takes longer than a change: without a pause it succeeds only while this thread has no processor.
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                }
            });
            int read = 0;
            while (read < 20) {
                try {
                    List<List<String>> lines = only().lines();
                    assertEquals(1, lines.stream().distinct().count(), () -> lines.stream().distinct().toList().toString());
                    read++;
                } catch (IOException e) {
                    assertTrue(e.getMessage().contains("while it wrote"), e::getMessage);
                }
            }
            writer.interrupt();
            writer.join();
        }
    }

    @Test
    void shouldSayThatAProcessHasDied() throws IOException {
        // A process of this number that started at another time was another process.
        write(StatisticsLayout.MAGIC, 2, SELF, 5, 2, "a\n".getBytes(StandardCharsets.UTF_8));
        assertFalse(only().running());
    }

    @ParameterizedTest
    @CsvSource({ "0, 2, 0, 1", "0x3153544154535651, 2, 0, 1", "0x3153544154535650, 3, 0, 1", "0x3153544154535650, 2, 1, 1",
            "0x3153544154535650, 2, 0, -1", "0x3153544154535650, 2, 0, 1048529", "0x3153544154535650, 2, 0, 2147483647" })
    void shouldRefuseAHeaderThatMakesNoSense(String magic, long sequence, long otherProcess, int length) throws IOException {
        Path file = write(Long.decode(magic), sequence, SELF + otherProcess, 0, length, new byte[] { 'a' });
        IOException refused = assertThrows(IOException.class, () -> StatisticsFile.find(folder, SELF));
        assertTrue(refused.getMessage().contains(file.toString()), refused::getMessage);
    }

    @Test
    void shouldRefuseTextThatIsNotUtf8() throws IOException {
        write(StatisticsLayout.MAGIC, 2, SELF, 0, 2, new byte[] { (byte) 0xc3, (byte) 0x28 });
        assertThrows(IOException.class, () -> StatisticsFile.find(folder, SELF));
    }

    @Test
    void shouldTakeAnyBytesWithoutAnotherFailure() throws IOException {
        Random random = new Random(4711);
        for (int i = 0; i < 50; i++) {
            byte[] bytes = new byte[100];
            random.nextBytes(bytes);
            write(StatisticsLayout.MAGIC, 2, SELF, random.nextLong(), random.nextInt(100), bytes);
            try {
                only();
            } catch (IOException e) {
                assertTrue(e.getMessage().contains(folder.toString()), e::getMessage);
            }
        }
    }

    @Test
    void shouldRefuseAFileThatIsCut() throws IOException {
        Path file = write(StatisticsLayout.MAGIC, 2, SELF, 0, 0, new byte[0]);
        Files.write(file, new byte[100]);
        assertThrows(IOException.class, () -> StatisticsFile.find(folder, SELF));
    }

    @Test
    void shouldRefuseAFolderOrFileThatOthersMayUse() throws IOException {
        Path file = write(StatisticsLayout.MAGIC, 2, SELF, 0, 0, new byte[0]);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw----"));
        assertThrows(IOException.class, () -> StatisticsFile.find(folder, SELF));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        only();
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwx---"));
        assertThrows(IOException.class, () -> StatisticsFile.find(folder, SELF));
        assertThrows(IOException.class, () -> new MappedText(folder));
    }

    @Test
    void shouldFollowNoLinkInPlaceOfTheFolder() throws IOException {
        Files.createDirectories(parent.resolve("elsewhere"));
        Files.createSymbolicLink(folder, parent.resolve("elsewhere"));
        assertThrows(IOException.class, () -> new MappedText(folder));
        assertThrows(IOException.class, () -> StatisticsFile.find(folder, 0));
    }

    @Test
    void shouldLeaveOutOtherFiles() throws IOException {
        try (MappedText text = new MappedText(folder)) {
            Files.writeString(folder.resolve("notes"), "mine");
            Files.writeString(folder.resolve("99999999999-1"), "too long a number");
            assertEquals(SELF, only().process(), text::toString);
        }
    }
}
