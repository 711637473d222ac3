package org.panamaverbs.tools.files;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;
import org.panamaverbs.tools.shared.Printable;

/**
 * A file that is being received. It has no name until {@link #publish}, so that nobody sees a half, and the system removes it with this
 * process, however that ends. A file that got its name keeps it and its data if the power fails.
 *
 * <p>If the file system or the system has no files without a name, this one stands under a name of its own ({@link #PART_PREFIX}). It is
 * removed if this is closed, or the process ends in good order, before it is published; only a process that is killed leaves it behind.
 * Until then it is locked, so that nobody takes it for one of the {@link Leftovers}.
 */
public final class NewFile implements AutoCloseable {
    static final String PART_PREFIX = ".pverbs-";
    static final String PART_SUFFIX = ".part";

    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    /** Readable and writable for everybody, less the rights that the umask forbids: as the JDK makes files. */
    private static final int MODE = 0666;

    private static final Set<Path> PARTS = ConcurrentHashMap.newKeySet();
    private static final SecureRandom RANDOM = new SecureRandom();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> PARTS.forEach(NewFile::remove)));
    }

    private final Path target;
    /** The name until it is published, or {@code null} if it has none. */
    private final Path part;
    private final FileChannel channel;
    /** -1 if it has a name. */
    private final int descriptor;

    private NewFile(Path target, Path part, FileChannel channel, int descriptor) {
        this.target = target;
        this.part = part;
        this.channel = channel;
        this.descriptor = descriptor;
    }

    public static NewFile create(Path target) throws IOException {
        NewFile unnamed = unnamed(target);
        return unnamed != null ? unnamed : named(target);
    }

    /** Makes it without a name; {@code null} if that cannot be. */
    public static NewFile unnamed(Path target) {
        int descriptor = FileCalls.isAvailable()
                ? FileCalls.openAt(Libc.AT_FDCWD(), bytes(target.toAbsolutePath().getParent()), FileCalls.O_TMPFILE | Libc.O_RDWR(), MODE)
                : -1;
        if (descriptor < 0) {
            return null;
        }
        try {
            FileChannel channel = FileChannel.open(path(descriptor), StandardOpenOption.READ, StandardOpenOption.WRITE);
            return new NewFile(target, null, channel, descriptor);
        } catch (IOException e) {
            // Without /proc.
            FileCalls.close(descriptor);
            return null;
        }
    }

    public static NewFile named(Path target) throws IOException {
        Path part = freeName(target);
        // Before the file is made: after it, a signal could come between.
        PARTS.add(part);
        FileChannel channel;
        try {
            channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (FileSystemException e) {
            PARTS.remove(part);
            // The name that the caller knows.
            throw switch (e) {
                case AccessDeniedException denied -> new AccessDeniedException(target.toString());
                case NoSuchFileException missing -> missing(target);
                default -> e.getClass() == FileSystemException.class ? new FileSystemException(target.toString(), null, e.getReason()) : e;
            };
        } catch (IOException | RuntimeException e) {
            PARTS.remove(part);
            throw e;
        }
        lock(channel);
        return new NewFile(target, part, channel, -1);
    }

    /** Locks a part that was just made and is still empty, until the channel is closed. */
    private static void lock(FileChannel part) {
        try {
            part.lock();
        } catch (IOException e) {
            // The file system has no locks; then none is found to be left over.
        }
    }

    /** The folder is missing; or it is there, and its file system has no new files, as /proc. */
    private static FileSystemException missing(Path target) {
        Path folder = target.toAbsolutePath().getParent();
        return Files.isDirectory(folder) ? new FileSystemException(target.toString(), null, "no file can be made in this folder")
                : new NoSuchFileException(folder.toString());
    }

    private static Path freeName(Path target) {
        byte[] unique = new byte[8];
        RANDOM.nextBytes(unique);
        return target.resolveSibling(PART_PREFIX + HexFormat.of().formatHex(unique) + PART_SUFFIX);
    }

    /** Whether this process is writing it; if another thread opens such a part, closing it ends the lock. */
    static boolean isPart(Path path) {
        return PARTS.contains(path);
    }

    public FileChannel channel() {
        return channel;
    }

    public Path target() {
        return target;
    }

    /** Reserves a part of it on the disk. */
    public void reserve(long offset, long length, long keep) throws IOException {
        DiskSpace.reserve(channel, descriptor, target, offset, length, keep);
    }

    /** Syncs the bytes that it has so far to the disk, also those of a mapping. */
    public void sync() throws FileSystemException {
        try {
            channel.force(true);
        } catch (IOException e) {
            throw new FileSystemException(target.toString(), null, "cannot be written to the disk, so it gets no name: " + e.getMessage());
        }
    }

    /**
     * Gives it its name, in one step: others see the old file, or none, or the whole new one. Data and name are on the disk when this
     * returns; a file system that syncs no folders may still lose the name.
     *
     * @param replace whether another file of that name gives way
     * @throws FileAlreadyExistsException if it does not
     */
    public void publish(boolean replace) throws IOException {
        sync();
        giveName(replace);
        syncFolder();
    }

    private void giveName(boolean replace) throws IOException {
        if (part == null) {
            publishUnnamed(replace);
        } else if (replace) {
            move(part);
        } else {
            publishBeside(part);
        }
    }

    private void syncFolder() throws FileSystemException {
        try (FileChannel folder = FileChannel.open(target.toAbsolutePath().getParent(), StandardOpenOption.READ)) {
            folder.force(true);
        } catch (AccessDeniedException e) {
            // A folder that may be written and not read, and each folder on Windows. No call syncs it.
        } catch (IOException e) {
            // EINVAL: the file system syncs no folders.
            if (!FileCalls.isAvailable() || !Errno.text(Errno.EINVAL).equals(e.getMessage())) {
                throw new FileSystemException(target.toString(), null, "is whole and has its name, but a power cut may take the name,"
                        + " since the folder cannot be written to the disk: " + e.getMessage());
            }
        }
    }

    private void publishBeside(Path from) throws IOException {
        try {
            // A link never replaces.
            Files.createLink(target, from);
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (FileSystemException | UnsupportedOperationException e) {
            // The file system has no links. Between the check and the move of this call another program may take the name.
            Files.move(from, target);
        }
        remove(from);
    }

    private void publishUnnamed(boolean replace) throws IOException {
        int error = linkTo(target);
        if (error == Errno.EEXIST && replace) {
            // Linux has no call that links over a name. So it gets another one, for a moment.
            Path other = freeName(target);
            PARTS.add(other);
            link(other);
            move(other);
        } else {
            check(error, target);
        }
    }

    private void link(Path name) throws IOException {
        try {
            check(linkTo(name), name);
        } catch (IOException e) {
            PARTS.remove(name);
            throw e;
        }
    }

    /** 0 or the error. */
    private int linkTo(Path name) {
        return -FileCalls.link(bytes(path(descriptor)), bytes(name));
    }

    /** A path that leads to an open file of this process, whatever name the file has. */
    private static Path path(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static byte[] bytes(Path path) {
        return path.toString().getBytes(NAMES);
    }

    private static void check(int error, Path name) throws IOException {
        if (error == Errno.EEXIST) {
            throw new FileAlreadyExistsException(name.toString());
        }
        if (error != 0) {
            throw new FileSystemException(name.toString(), null, "cannot get its name: error " + error + " of linkat");
        }
    }

    private void move(Path from) throws IOException {
        try {
            if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                throw new FileSystemException(target.toString(), null, "is a directory");
            }
            Files.move(from, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            PARTS.remove(from);
        } catch (IOException | RuntimeException e) {
            remove(from);
            throw e;
        }
    }

    /** A file that was not published is gone. */
    @Override
    public void close() {
        if (part != null && PARTS.contains(part)) {
            remove(part);
        }
        try {
            channel.close();
        } catch (IOException e) {
            // The file goes with the process at the latest.
        }
        if (descriptor >= 0) {
            FileCalls.close(descriptor);
        }
    }

    private static void remove(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            System.err.println(Printable.of("pverbs: " + part + " could not be removed: " + e.getMessage()));
        }
        PARTS.remove(part);
    }
}
