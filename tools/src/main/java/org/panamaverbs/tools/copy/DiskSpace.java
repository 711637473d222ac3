package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reserves the blocks of a file, so that writing into its mapping cannot meet a full disk, which would be a fault. */
final class DiskSpace {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final int ENOSPC = 28;
    private static final int EFBIG = 27;
    private static final int EDQUOT = 122;
    private static final int PIECE = 1 << 20;

    private DiskSpace() {
    }

    /**
     * Reserves in the file that is open: another one may have got its name meanwhile.
     *
     * @param file its name
     * @throws FileSystemException where there is no room for so many bytes
     */
    static void reserve(FileChannel channel, Path file, long size) throws IOException {
        if (size == 0) {
            return;
        }
        Path folder = file.toAbsolutePath().getParent().toRealPath();
        long room = Files.getFileStore(folder).getUsableSpace();
        // Asked first: where it is hopeless, nobody else's room is taken meanwhile.
        int error = size > room ? ENOSPC : allocate(descriptor(folder.resolve(file.getFileName())), size);
        if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
            String why = error == ENOSPC ? "no space left on the device"
                    : error == EDQUOT ? "the disk quota is used up" : "too large a file";
            throw new FileSystemException(file.toString(), null, why + " for " + size + " bytes");
        }
        // The size, too: one of our other files may have got the name.
        if (error != 0 || channel.size() < size) {
            fill(channel, file, size);
        }
    }

    /**
     * The descriptor under which this process has the file of a name open. Linux tells which name the file behind each descriptor has now;
     * the JDK does not tell the descriptor of a channel. A second descriptor would do no good: it goes by the name again, and closing it
     * ends the lock of the first.
     *
     * @return -1 where there is none
     */
    static int descriptor(Path file) {
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
            for (Path each : descriptors) {
                if (isFor(each, file)) {
                    return Integer.parseInt(each.getFileName().toString());
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            // Not on Linux.
        }
        return -1;
    }

    private static boolean isFor(Path descriptor, Path file) {
        try {
            return Files.readSymbolicLink(descriptor).equals(file);
        } catch (IOException e) {
            // Closed meanwhile.
            return false;
        }
    }

    /** {@code posix_fallocate}; returns an error number, or -1 where there is no such call. */
    @SuppressWarnings("restricted")
    private static int allocate(int descriptor, long size) {
        if (descriptor < 0) {
            return -1;
        }
        Linker linker = Linker.nativeLinker();
        SymbolLookup libc = linker.defaultLookup();
        try {
            MethodHandle allocate = linker.downcallHandle(
                    libc.find("posix_fallocate64").or(() -> libc.find("posix_fallocate")).orElseThrow(),
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));
            return (int) allocate.invokeExact(descriptor, 0L, size);
        } catch (Throwable e) {
            return -1;
        }
    }

    /** Where the file system or the system cannot reserve: zeros to the end. */
    private static void fill(FileChannel channel, Path file, long size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect(PIECE);
        try {
            for (long position = 0; position < size;) {
                zeros.clear().limit((int) Math.min(PIECE, size - position));
                position += channel.write(zeros, position);
            }
        } catch (IOException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage() + ", reserving " + size + " bytes");
        }
    }
}
