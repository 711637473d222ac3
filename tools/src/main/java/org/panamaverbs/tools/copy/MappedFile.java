package org.panamaverbs.tools.copy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
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
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;

/**
 * A file mapped into memory. One to be written stands under a name of its own until {@link #finish} renames it: nobody ever sees a half
 * under the final name, and what is left of a copy that failed, or that Ctrl-C ended, is removed. Until then it is locked, so that nobody
 * takes it for one of the {@link Leftovers}.
 */
final class MappedFile implements AutoCloseable {
    static final String PART_PREFIX = ".pverbs-";
    static final String PART_SUFFIX = ".part";

    private static final Set<Path> PARTS = ConcurrentHashMap.newKeySet();
    private static final SecureRandom RANDOM = new SecureRandom();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> PARTS.forEach(MappedFile::remove)));
    }

    private final Path path;
    /** Where it will stand, or {@code null} of a source. */
    private final Path target;
    /** Holds the lock; {@code null} of a source. */
    private final FileChannel part;
    private final long size;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    private MappedFile(Path path, Path target, long size, FileChannel channel) throws IOException {
        this.path = path;
        this.target = target;
        this.part = target == null ? null : channel;
        this.size = size;
        FileChannel.MapMode mode = target == null ? FileChannel.MapMode.READ_ONLY : FileChannel.MapMode.READ_WRITE;
        try {
            memory = size == 0 ? MemorySegment.NULL : channel.map(mode, 0, size, arena);
        } catch (IOException | RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /** Maps a file to be read; never one behind a symbolic link where links are not followed. */
    static MappedFile source(Path path, LinkOption... links) throws IOException {
        if (!Files.exists(path, links)) {
            throw new NoSuchFileException(path.toString());
        }
        if (!Files.isRegularFile(path, links)) {
            throw new FileSystemException(path.toString(), null, "is not a regular file");
        }
        Set<java.nio.file.OpenOption> options = new java.util.HashSet<>(Set.of(StandardOpenOption.READ));
        options.addAll(Set.of(links));
        try (FileChannel channel = FileChannel.open(path, options)) {
            return new MappedFile(path, null, channel.size(), channel);
        }
    }

    /** Makes a file to be written, with room for all of it. */
    static MappedFile target(Path target, long size) throws IOException {
        if (size < 0) {
            throw new FileSystemException(target.toString(), null, "a size of " + size + " bytes makes no sense");
        }
        if (Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(target.toString(), null, "is a directory");
        }
        byte[] unique = new byte[8];
        RANDOM.nextBytes(unique);
        Path part = target.resolveSibling(PART_PREFIX + HexFormat.of().formatHex(unique) + PART_SUFFIX);
        PARTS.add(part);
        try {
            return create(part, target, size);
        } catch (FileSystemException e) {
            remove(part);
            // The name that the caller knows.
            FileSystemException failed = e.getClass() == FileSystemException.class
                    ? new FileSystemException(target.toString(), null, e.getReason())
                    : e instanceof java.nio.file.AccessDeniedException ? new java.nio.file.AccessDeniedException(target.toString())
                            : e instanceof NoSuchFileException ? new NoSuchFileException(String.valueOf(target.getParent())) : e;
            throw failed;
        } catch (IOException | RuntimeException e) {
            remove(part);
            throw e;
        }
    }

    private static MappedFile create(Path part, Path target, long size) throws IOException {
        FileChannel channel = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try {
            Leftovers.lock(channel);
            DiskSpace.reserve(channel, part, size);
            return new MappedFile(part, target, size, channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Whether this process is writing it; who opens such a part ends its lock by closing it. */
    static boolean isPart(Path path) {
        return PARTS.contains(path);
    }

    /** Registers it; {@code null} where it is empty. */
    MemoryRegion register(ProtectionDomain domain, Access... access) {
        return size == 0 ? null : domain.register(memory, access);
    }

    long size() {
        return size;
    }

    /** The name that its user knows. */
    String name() {
        return (target == null ? path : target).toString();
    }

    int checksum() {
        return size == 0 ? 0 : Checksum.of(memory, name());
    }

    /** Gives it its final name; whoever had that is replaced. */
    void finish() throws IOException {
        Files.move(path, target, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        PARTS.remove(path);
    }

    /** Unmaps it; a file that was not finished is removed. */
    @Override
    public void close() {
        if (target != null) {
            closePart();
        }
        arena.close();
    }

    private void closePart() {
        if (PARTS.contains(path)) {
            remove(path);
        }
        try {
            part.close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
        }
    }

    private static void remove(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException e) {
            System.err.println("pverbs: " + part + " could not be removed: " + e.getMessage());
        }
        PARTS.remove(part);
    }
}
