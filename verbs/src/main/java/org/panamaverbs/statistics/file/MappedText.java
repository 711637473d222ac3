package org.panamaverbs.statistics.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.spi.FileTrust;

/**
 * A text in a file that this process maps, and that one thread replaces now and then. A reader takes it if the sequence is even, and the same
 * before and after. The file is this user's alone, and goes with {@link #close}; that of a process that was killed stays.
 */
public final class MappedText implements AutoCloseable {
    private static final AtomicInteger NUMBERS = new AtomicInteger();
    private static final int LONGEST = StatisticsLayout.SIZE - StatisticsLayout.TEXT;
    private static final String MORE = "more\n";

    private final Path file;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    /**
     * Makes the file.
     *
     * @param folder made if it is missing
     * @throws IOException if the folder is another user's, or the file cannot be made
     */
    public MappedText(Path folder) throws IOException {
        prepare(folder);
        long process = ProcessHandle.current().pid();
        this.file = folder.resolve(process + "-" + NUMBERS.incrementAndGet());
        // It gets its name when it is whole. A process with the number of this one may have left either.
        Path begun = folder.resolve(file.getFileName() + ".new");
        Files.deleteIfExists(begun);
        try (FileChannel channel = FileChannel.open(begun,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE), mode("rw-------"))) {
            // A disk that is full is to show here, not when the mapping is written.
            for (ByteBuffer zeros = ByteBuffer.allocate(StatisticsLayout.SIZE); zeros.hasRemaining();) {
                channel.write(zeros);
            }
            this.memory = channel.map(FileChannel.MapMode.READ_WRITE, 0, StatisticsLayout.SIZE, arena);
            memory.set(StatisticsLayout.LONG, 0, StatisticsLayout.MAGIC);
            memory.set(StatisticsLayout.LONG, StatisticsLayout.PROCESS, process);
            memory.set(StatisticsLayout.LONG, StatisticsLayout.START, StatisticsLayout.start(ProcessHandle.current()));
            publish("", 0);
            Files.move(begun, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | RuntimeException | Error e) {
            arena.close();
            Files.deleteIfExists(begun);
            throw e;
        }
    }

    private static FileAttribute<?>[] mode(String text) {
        boolean posix = Path.of("").getFileSystem().supportedFileAttributeViews().contains("posix");
        return posix ? new FileAttribute<?>[] { PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text)) }
                : new FileAttribute<?>[0];
    }

    private static void prepare(Path folder) throws IOException {
        try {
            Files.createDirectory(folder, mode("rwx------"));
        } catch (FileAlreadyExistsException e) {
            check(folder);
        }
    }

    /**
     * Throws unless the folder is this user's own: another user may have made it first.
     *
     * @param folder exists
     * @throws IOException with the reason
     */
    public static void check(Path folder) throws IOException {
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new NotDirectoryException(folder.toString());
        }
        Optional<String> objection = FileTrust.objectionToUse(folder);
        if (objection.isPresent()) {
            throw new IOException(folder + " is not used: " + objection.get());
        }
    }

    /** {@return the file} */
    public Path file() {
        return file;
    }

    /**
     * Replaces the text; one thread at a time. Of one that is too long, whole lines are left out at its end, and a line says so.
     *
     * @param text lines
     * @param time in ms since 1970
     */
    public void publish(String text, long time) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = bytes.length;
        if (length > LONGEST) {
            length = LONGEST - MORE.length();
            while (length > 0 && bytes[length - 1] != '\n') {
                length--;
            }
            System.arraycopy(MORE.getBytes(StandardCharsets.US_ASCII), 0, bytes, length, MORE.length());
            length += MORE.length();
        }
        long sequence = memory.get(StatisticsLayout.LONG, StatisticsLayout.SEQUENCE);
        memory.set(StatisticsLayout.LONG, StatisticsLayout.SEQUENCE, sequence + 1);
        // A reader that sees any of the new text sees the odd sequence, and one that sees the even one sees all of the text.
        VarHandle.fullFence();
        memory.set(StatisticsLayout.LONG, StatisticsLayout.UPDATE, time);
        memory.set(StatisticsLayout.INT, StatisticsLayout.LENGTH, length);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, StatisticsLayout.TEXT, length);
        VarHandle.fullFence();
        memory.set(StatisticsLayout.LONG, StatisticsLayout.SEQUENCE, sequence + 2);
    }

    /** Removes the file. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(file);
        arena.close();
    }
}
