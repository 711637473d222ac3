package org.panamaverbs.interop;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Uses a file of a mount at random, as fsx does, and compares it with memory: writes, reads, cuts, grows, maps, syncs, closes and opens again.
 * The first difference ends it with exit status 1. What cannot be used is tried again: an answer that is wrong is the failure, a server that
 * is away is not.
 */
public final class FileExerciser {
    private static final int LARGEST = 512 << 10;
    private static final int LONGEST = 64 << 10;
    private static final long SAYS = TimeUnit.SECONDS.toNanos(60);

    private final Path file;
    private final Random random;
    private final byte[] expected = new byte[LARGEST];
    private int size;
    private FileChannel channel;
    private long operations;

    private FileExerciser(Path file, long seed) throws IOException {
        this.file = file;
        random = new Random(seed);
        open();
    }

    /** {@code FOLDER SECONDS SEED} */
    public static void main(String[] arguments) throws IOException {
        long seed = Long.parseLong(arguments[2]);
        FileExerciser exerciser = new FileExerciser(Path.of(arguments[0], "exercised-" + seed), seed);
        exerciser.run(TimeUnit.SECONDS.toNanos(Long.parseLong(arguments[1])));
        System.out.println(exerciser.operations + " operations, no difference");
    }

    private void open() throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private void run(long nanos) throws IOException {
        long begin = System.nanoTime();
        long says = begin + SAYS;
        while (System.nanoTime() - begin < nanos) {
            step();
            operations++;
            if (System.nanoTime() - says > 0) {
                System.out.println(operations + " operations");
                says += SAYS;
            }
        }
        channel.force(true);
        check(Files.readAllBytes(file), 0, size, "the whole file");
        channel.close();
        Files.delete(file);
    }

    private void step() throws IOException {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> write();
            case 4, 5, 6, 7 -> read();
            case 8 -> truncate(random.nextInt(LARGEST));
            case 9 -> map();
            case 10 -> channel.force(random.nextBoolean());
            default -> {
                channel.close();
                open();
                if (channel.size() != size) {
                    throw new IOException(file + " has " + channel.size() + " bytes instead of " + size + " after it was opened again");
                }
            }
        }
    }

    private void write() throws IOException {
        int at = random.nextInt(LARGEST);
        int length = Math.min(1 + random.nextInt(LONGEST), LARGEST - at);
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        while (buffer.hasRemaining()) {
            channel.write(buffer, at + buffer.position());
        }
        if (at > size) {
            Arrays.fill(expected, size, at, (byte) 0);
        }
        System.arraycopy(bytes, 0, expected, at, length);
        size = Math.max(size, at + length);
    }

    private void read() throws IOException {
        int at = random.nextInt(LARGEST);
        ByteBuffer buffer = ByteBuffer.allocate(1 + random.nextInt(LONGEST));
        int wanted = Math.max(0, Math.min(buffer.capacity(), size - at));
        while (buffer.hasRemaining() && channel.read(buffer, at + buffer.position()) > 0) {
            // Until the end of the file.
        }
        if (buffer.position() != wanted) {
            throw new IOException(buffer.position() + " bytes were read at " + at + " instead of " + wanted);
        }
        check(buffer.array(), at, wanted, "read");
    }

    private void truncate(int length) throws IOException {
        if (length < size) {
            channel.truncate(length);
        } else if (length > size) {
            channel.write(ByteBuffer.wrap(new byte[1]), length - 1L);
            Arrays.fill(expected, size, length, (byte) 0);
        }
        size = length;
    }

    /** Reads, and writes a part, through a mapping. */
    private void map() throws IOException {
        if (size == 0) {
            return;
        }
        int at = random.nextInt(size);
        int length = Math.min(1 + random.nextInt(LONGEST), size - at);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, at, length, arena);
            check(mapped.toArray(java.lang.foreign.ValueLayout.JAVA_BYTE), at, length, "mapped");
            byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            mapped.copyFrom(MemorySegment.ofArray(bytes));
            mapped.force();
            System.arraycopy(bytes, 0, expected, at, length);
        }
    }

    private void check(byte[] bytes, int at, int length, String how) throws IOException {
        int difference = Arrays.mismatch(bytes, 0, length, expected, at, at + length);
        if (difference >= 0) {
            throw new IOException(how + " at " + at + ", " + length + " bytes: byte " + (at + difference) + " differs after " + operations
                    + " operations");
        }
    }
}
