package org.panamaverbs.tools.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;
import org.panamaverbs.tools.shared.Quantity;

/**
 * Reserves the blocks of a part of a file, so that writing into its mapping cannot meet a full disk, which would be a fault. Some bytes of
 * the disk stay free for other programs.
 */
public final class DiskSpace {
    private static final int PIECE = 1 << 20;

    private DiskSpace() {
    }

    /**
     * Checks, without reserving anything, that there is room.
     *
     * @param file for the message
     * @param keep how many bytes of the disk stay free
     * @throws FileSystemException if there is not
     */
    public static void check(Path file, long bytes, long keep) throws FileSystemException {
        // By way of File: FileStore would search the table of mounts each time.
        long room = file.toAbsolutePath().getParent().toFile().getUsableSpace();
        if (bytes > room) {
            throw full(file, "no space left on the device", bytes);
        }
        if (bytes > room - keep) {
            throw full(file, "the disk has " + Quantity.text(room) + " left, of which " + Quantity.text(keep)
                    + " are to stay free; remove something, or start serve with a smaller --keep-free; there is no room", bytes);
        }
    }

    /**
     * Reserves a part of an open file. One thread at a time: so that all of them together leave free what is to stay free.
     *
     * @param descriptor of the file, or -1 if only the channel is known
     * @param file       for the message
     * @throws FileSystemException if there is no room
     */
    static synchronized void reserve(FileChannel channel, int descriptor, Path file, long offset, long length, long keep)
            throws IOException {
        if (length == 0) {
            return;
        }
        // Before: if it is hopeless, nobody else's room is taken meanwhile.
        check(file, length, keep);
        int error = descriptor < 0 ? -1 : -FileCalls.allocate(descriptor, offset, length);
        switch (error) {
            case 0 -> {
                // Done.
            }
            case Errno.ENOSPC -> throw full(file, "no space left on the device", length);
            case Errno.EDQUOT -> throw full(file, "the disk quota is used up", length);
            case Errno.EFBIG -> throw full(file, "too large a file", length);
            default -> fill(channel, file, offset, length);
        }
    }

    private static FileSystemException full(Path file, String why, long bytes) {
        return new FileSystemException(file.toString(), null, why + " for " + bytes + " bytes");
    }

    /** If the file system or the system cannot reserve: zeros. */
    private static void fill(FileChannel channel, Path file, long offset, long length) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(PIECE, length));
        try {
            for (long done = 0; done < length;) {
                zeros.clear().limit((int) Math.min(PIECE, length - done));
                done += channel.write(zeros, offset + done);
            }
        } catch (IOException e) {
            throw new FileSystemException(file.toString(), null, e.getMessage() + ", reserving " + length + " bytes");
        }
    }
}
