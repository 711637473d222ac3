package org.panamaverbs.compare.programs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Messages that one process copies straight into memory which another one maps: the least that a message between two processes costs. The
 * other one sees each arrive, and reads none of it; with {@code -Dcopy.out=true} it copies each into memory of its own, as it must if the
 * first one may change those bytes at any time. {@code ProcessCopy serve SIZE} prints the number of the file; {@code ProcessCopy NUMBER SIZE} and the arguments of {@link Timed}
 * measures; {@code -Dcopy.footprint} is the memory that the messages use at each end, one behind the other.
 */
public final class ProcessCopy {
    private static final boolean COPIES_OUT = Boolean.getBoolean("copy.out");
    private static final long PAGE = 4096;
    private static final long SEEN = 256;
    private static final VarHandle COUNT = ValueLayout.JAVA_LONG.varHandle();
    /** Messages that the other end has not seen yet. */
    private static final int MOST_UNSEEN = 2;

    private ProcessCopy() {
    }

    private static Path file(long number) {
        return Path.of("/dev/shm", "panama-verbs-copy-" + number);
    }

    private static MemorySegment map(Path file, long size, Arena arena) throws Exception {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
        }
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        long size = Long.parseLong(arguments[1]);
        long footprint = Math.max(size, Long.getLong("copy.footprint", size));
        try (Arena arena = Arena.ofShared()) {
            if (arguments[0].equals("serve")) {
                Path file = file(ProcessHandle.current().pid());
                Files.write(file, new byte[0], StandardOpenOption.CREATE_NEW);
                try {
                    MemorySegment shared = map(file, PAGE + footprint, arena);
                    shared.fill((byte) 0);
                    Timed.listening(ProcessHandle.current().pid());
                    serve(shared, arena.allocate(footprint, PAGE).fill((byte) 2), size, footprint);
                } finally {
                    Files.deleteIfExists(file);
                }
                return;
            }
            Path file = file(Long.parseLong(arguments[0]));
            MemorySegment shared = map(file, PAGE + footprint, arena);
            // Both have mapped it, and the server may be killed before it can do this.
            Files.delete(file);
            MemorySegment source = arena.allocate(footprint, PAGE).fill((byte) 1);
            long[] count = new long[1];
            new Timed(arguments).measure(size, () -> {
                long at = count[0] % (footprint / size) * size;
                MemorySegment.copy(source, at, shared, PAGE + at, size);
                COUNT.setVolatile(shared, 0L, ++count[0]);
                awaitSeen(shared, count[0] - MOST_UNSEEN);
            }, () -> awaitSeen(shared, count[0]));
            COUNT.setVolatile(shared, 0L, -1L);
        }
    }

    private static void serve(MemorySegment shared, MemorySegment sink, long size, long footprint) {
        long seen = 0;
        for (long count = 0; count >= 0; count = (long) COUNT.getVolatile(shared, 0L)) {
            while (seen < count) {
                if (COPIES_OUT) {
                    long at = seen % (footprint / size) * size;
                    MemorySegment.copy(shared, PAGE + at, sink, at, size);
                }
                COUNT.setVolatile(shared, SEEN, ++seen);
            }
        }
    }

    private static void awaitSeen(MemorySegment shared, long count) {
        while ((long) COUNT.getVolatile(shared, SEEN) < count) {
            Thread.onSpinWait();
        }
    }
}
