package org.panamaverbs.nfs.server.export;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.FileCalls;

/** An open file of the system, which only names a file (O_PATH) or is a directory to read; closed once. */
final class Descriptor implements AutoCloseable {
    private final int number;
    private final AtomicBoolean closed = new AtomicBoolean();

    private Descriptor(int number) {
        this.number = number;
    }

    /** Opens a path that the program's own user gave. */
    static Descriptor ofRoot(Path directory) throws FileException {
        return open(Libc.AT_FDCWD(), directory.toString().getBytes(StandardCharsets.UTF_8), Libc.O_PATH() | FileCalls.O_DIRECTORY, 0);
    }

    static Descriptor open(int directory, byte[] name, int flags, int mode) throws FileException {
        int number = FileCalls.openAt(directory, name, flags, mode);
        if (number < 0) {
            throw new FileException("openat", -number);
        }
        return new Descriptor(number);
    }

    int number() {
        return number;
    }

    FileStatus status() throws FileException {
        return FileStatus.of(number);
    }

    /** A path that leads to this very file, whatever its name has become; never to another. */
    byte[] path() {
        return text().getBytes(StandardCharsets.US_ASCII);
    }

    /** Another one that names the same file. */
    Descriptor again() throws FileException {
        return open(Libc.AT_FDCWD(), path(), Libc.O_PATH(), 0);
    }

    /** Opens the file that this names. The caller knows that it is a regular file or a directory, so this cannot wait for anybody. */
    FileChannel channel(OpenOption... options) throws IOException {
        return FileChannel.open(Path.of(text()), options);
    }

    private String text() {
        return "/proc/self/fd/" + number;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            FileCalls.close(number);
        }
    }
}
