package org.panamaverbs.tools.nfs;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.panamaverbs.nfs.client.NfsClient;
import org.panamaverbs.nfs.client.OpenFile;
import org.panamaverbs.tools.shared.Bar;

/**
 * Writes a local file to one that is open at the server, window by window: a mapping would save a copy, but Linux's devices cannot pin files
 * that are mapped read-only. Two threads take turns, so that WRITEs of one window are in flight while the other is read, or synced by the
 * server (COMMIT).
 */
final class Upload {
    private static final long WINDOW = 16L << 20;
    private static final long PAGE = 4096;

    private final NfsClient client;
    private final OpenFile file;
    private final Path path;
    private final FileChannel source;
    private final long size;
    private final Bar bar;
    private final AtomicLong next = new AtomicLong();
    private long done;

    /** @param size of the local file; behind it nothing is read */
    Upload(NfsClient client, OpenFile file, Path path, FileChannel source, long size, Bar bar) {
        this.client = client;
        this.file = file;
        this.path = path;
        this.source = source;
        this.size = size;
        this.bar = bar;
    }

    void run() throws IOException {
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            Future<?> other = executor.submit(() -> {
                writeWindows();
                return null;
            });
            writeWindows();
            other.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                default -> throw new IOException(e.getCause().getMessage(), e.getCause());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private void writeWindows() throws IOException {
        boolean whole = false;
        try (Arena arena = Arena.ofShared()) {
            MemorySegment window = null;
            for (long at = next.getAndAdd(WINDOW); at < size; at = next.getAndAdd(WINDOW)) {
                window = window == null ? arena.allocate(Math.min(WINDOW, size), PAGE) : window;
                MemorySegment part = window.asSlice(0, Math.min(WINDOW, size - at));
                read(at, part);
                long[] before = new long[1];
                client.write(file, at, part, written -> {
                    advance(written - before[0]);
                    before[0] = written;
                });
            }
            whole = true;
        } finally {
            if (!whole) {
                // The other thread ends with its window.
                next.set(size);
            }
        }
    }

    private void read(long at, MemorySegment into) throws IOException {
        ByteBuffer room = into.asByteBuffer();
        while (room.hasRemaining()) {
            if (source.read(room, at + room.position()) < 0) {
                throw new FileSystemException(path.toString(), null, "was cut short while it was read");
            }
        }
    }

    private synchronized void advance(long more) {
        done += more;
        bar.at(done);
    }
}
