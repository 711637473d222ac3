package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Reserves the blocks of a file, so that writing into its mapping cannot meet a full disk, which would be a fault. */
final class DiskSpace {
    private static final int O_WRONLY = 1;
    private static final int ENOSPC = 28;
    private static final int EFBIG = 27;
    private static final int EDQUOT = 122;
    private static final int PIECE = 1 << 20;

    private DiskSpace() {
    }

    /** @throws FileSystemException where there is no room for so many bytes */
    static void reserve(Path file, long size) throws IOException {
        if (size == 0) {
            return;
        }
        long room = Files.getFileStore(file).getUsableSpace();
        // Asked first: where it is hopeless, nobody else's room is taken meanwhile.
        int error = size > room ? ENOSPC : allocate(file, size);
        if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
            String why = error == ENOSPC ? "no space left on the device"
                    : error == EDQUOT ? "the disk quota is used up" : "too large a file";
            throw new FileSystemException(file.toString(), null, why + " for " + size + " bytes");
        }
        if (error != 0) {
            fill(file, size);
        }
    }

    /** {@code posix_fallocate}; returns an error number, or -1 where there is no such call. */
    @SuppressWarnings("restricted")
    private static int allocate(Path file, long size) {
        if (!System.getProperty("os.name").equals("Linux")) {
            return -1;
        }
        Linker linker = Linker.nativeLinker();
        SymbolLookup libc = linker.defaultLookup();
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle open = linker.downcallHandle(libc.find("open").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                    Linker.Option.firstVariadicArg(2));
            MethodHandle allocate = linker.downcallHandle(
                    libc.find("posix_fallocate64").or(() -> libc.find("posix_fallocate")).orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
            MethodHandle close = linker.downcallHandle(libc.find("close").orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            MemorySegment path = arena.allocateFrom(file.toAbsolutePath().toString());
            int descriptor = (int) open.invokeExact(path, O_WRONLY, 0);
            if (descriptor < 0) {
                return -1;
            }
            try {
                return (int) allocate.invokeExact(descriptor, 0L, size);
            } finally {
                int ignored = (int) close.invokeExact(descriptor);
            }
        } catch (Throwable e) {
            return -1;
        }
    }

    /** Where the file system or the system cannot reserve: zeros to the end. */
    private static void fill(Path file, long size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long position = 0; position < size;) {
                zeros.clear().limit((int) Math.min(PIECE, size - position));
                position += channel.write(zeros, position);
            }
        } catch (IOException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage() + ", reserving " + size + " bytes");
        }
    }
}
