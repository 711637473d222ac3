package org.panamaverbs.softiwarp.transport.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.spi.FileTrust;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file that a capture goes to. It has a lock as long as a process writes it. Only its user can read it, because it contains the data of
 * connections: a new file has mode 600, and one that other users may read, or that belongs to another user, is refused.
 */
record CaptureTarget(Path path, FileChannel channel) {
    private static final Logger LOG = LoggerFactory.getLogger(CaptureTarget.class);
    /** The first bytes of captures: pcapng, and pcap in both byte orders with micro- and nanoseconds. */
    private static final Set<Integer> MAGIC = Set.of(0x0A0D0D0A, 0xA1B2C3D4, 0xD4C3B2A1, 0xA1B23C4D, 0x4D3CB2A1);

    /**
     * Opens a file at the position where the capture begins.
     *
     * @param written the files that this process has written before: it appends to them
     */
    static CaptureTarget open(Path path, Set<Path> written) throws IOException {
        FileChannel channel = openLocked(path, written.contains(path));
        if (channel != null) {
            return new CaptureTarget(path, channel);
        }
        Path own = own(path);
        channel = openLocked(own, written.contains(own));
        if (channel == null) {
            throw new IOException("other processes are writing it and " + own.getFileName());
        }
        LOG.warn("another process captures to {}; this one captures to {}", path, own);
        return new CaptureTarget(own, channel);
    }

    /** The same name with the number of this process in it. */
    private static Path own(Path path) {
        String name = path.getFileName().toString();
        int dot = name.lastIndexOf('.');
        String number = "." + ProcessHandle.current().pid();
        return path.resolveSibling(dot <= 0 ? name + number : name.substring(0, dot) + number + name.substring(dot));
    }

    /** Opens and locks a file; {@code null} if another process has locked it. */
    private static FileChannel openLocked(Path path, boolean append) throws IOException {
        FileChannel channel = openOwn(path);
        try {
            if (!lock(channel)) {
                channel.close();
                return null;
            }
            if (append) {
                channel.position(channel.size());
            } else {
                clear(channel);
            }
            return channel;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Makes a file, or opens one that no other user can read or has put there. */
    private static FileChannel openOwn(Path path) throws IOException {
        try {
            return FileChannel.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    permissions());
        } catch (FileAlreadyExistsException e) {
            if (!Files.isRegularFile(path)) {
                throw new IOException("it is no regular file", e);
            }
            Optional<String> objection = FileTrust.objectionToUse(path);
            if (objection.isPresent()) {
                throw new IOException(objection.get(), e);
            }
            return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
        }
    }

    private static FileAttribute<?>[] permissions() {
        return FileSystems.getDefault().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] { PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")) }
                : new FileAttribute<?>[0];
    }

    private static boolean lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // Another copy of this library in the same process has locked it.
            return false;
        }
    }

    /** Removes an earlier capture, but nothing else: a mistyped name must not cost a file. */
    private static void clear(FileChannel channel) throws IOException {
        if (channel.size() > 0) {
            ByteBuffer magic = ByteBuffer.allocate(4);
            if (channel.read(magic, 0) < 4 || !MAGIC.contains(magic.getInt(0))) {
                throw new IOException("it exists and is no capture: remove it, or choose another name");
            }
            channel.truncate(0);
        }
    }
}
