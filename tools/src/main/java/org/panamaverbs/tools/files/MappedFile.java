package org.panamaverbs.tools.files;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.spi.support.Rollback;

/**
 * A file mapped into memory: a source to be read, or a target to be written. A target is a hole at first, of which {@link #reserve} makes
 * room part by part: only those parts may be written.
 */
// Tested by CastCommandTest, CopyServerTest.
public final class MappedFile implements AutoCloseable {
    private final Path path;
    /** {@code null} of a source. */
    private final NewFile target;
    private final long size;
    private final FileChannel channel;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment memory;

    private MappedFile(Path path, NewFile target, long size, FileChannel channel) throws IOException {
        this.path = path;
        this.target = target;
        this.size = size;
        this.channel = channel;
        FileChannel.MapMode mode = target == null ? FileChannel.MapMode.READ_ONLY : FileChannel.MapMode.READ_WRITE;
        try (Rollback undo = new Rollback()) {
            undo.add(arena::close);
            memory = size == 0 ? MemorySegment.NULL : channel.map(mode, 0, size, arena);
            undo.commit();
        } catch (IOException | RuntimeException e) {
            throw new FileSystemException(path.toString(), null, size + " bytes cannot be mapped: " + e.getMessage());
        }
    }

    /** Maps a file to be read; never one behind a symbolic link if links are not followed. */
    public static MappedFile source(Path path, LinkOption... links) throws IOException {
        if (!Files.exists(path, links)) {
            throw new NoSuchFileException(path.toString());
        }
        if (!Files.isRegularFile(path, links)) {
            throw new FileSystemException(path.toString(), null, "is not a regular file");
        }
        Set<OpenOption> options = new HashSet<>(Set.of(StandardOpenOption.READ));
        options.addAll(Set.of(links));
        FileChannel channel = FileChannel.open(path, options);
        try {
            return new MappedFile(path, null, channel.size(), channel);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Makes a file to be written, which takes no room on the disk yet. */
    public static MappedFile target(Path path, long size) throws IOException {
        if (size < 0) {
            throw new FileSystemException(path.toString(), null, "a size of " + size + " bytes makes no sense");
        }
        if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new FileSystemException(path.toString(), null, "is a directory");
        }
        return map(NewFile.create(path), size);
    }

    /** The same of a file that was just made. */
    public static MappedFile map(NewFile file, long size) throws IOException {
        try {
            return new MappedFile(file.target(), file, size, file.channel());
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    /**
     * Reserves room on the disk for a part of a target.
     *
     * @param keep how many bytes of the disk stay free
     */
    public void reserve(long offset, long length, long keep) throws IOException {
        target.reserve(offset, length, keep);
    }

    /** Registers a part of it; {@code null} if that is empty. */
    public MemoryRegion register(ProtectionDomain domain, long offset, long length, Set<Access> access) {
        return length == 0 ? null : domain.register(memory.asSlice(offset, length), access);
    }

    public long size() {
        return size;
    }

    /** All of it, usable by any thread; {@link MemorySegment#NULL} if it is empty. */
    public MemorySegment memory() {
        return memory;
    }

    /** Whether it is shorter now than it was when it was mapped: then the end of the memory cannot be read any more. */
    public boolean isCutShort() throws IOException {
        return channel.size() < size;
    }

    /** Why memory of it cannot be read. */
    public FileSystemException unreadable(Throwable cause) throws IOException {
        FileSystemException failure = new FileSystemException(path.toString(), null, isCutShort() ? "was cut short while it was read"
                : "cannot be read: its disk has an error, or is full and makes no room for a hole of the file, as tmpfs does");
        failure.initCause(cause);
        return failure;
    }

    /** Adds a part of it to a checksum. */
    public void addTo(Checksum checksum, long offset, long length) throws IOException {
        try {
            if (length > 0) {
                checksum.add(memory.asSlice(offset, length));
            }
        } catch (InternalError e) {
            throw unreadable(e);
        }
    }

    /** Syncs the bytes that a target has so far to the disk. */
    public void sync() throws IOException {
        target.sync();
    }

    /**
     * Gives a target its name. Data and name are on the disk when this returns.
     *
     * @param replace whether another file of that name gives way
     * @throws java.nio.file.FileAlreadyExistsException if it does not
     */
    public void finish(boolean replace) throws IOException {
        target.publish(replace);
    }

    /** Unmaps it; a target that was not finished is gone. */
    @Override
    public void close() {
        if (target != null) {
            target.close();
        } else {
            closeSource();
        }
        arena.close();
    }

    private void closeSource() {
        try {
            channel.close();
        } catch (IOException e) {
            // It was only read.
        }
    }
}
