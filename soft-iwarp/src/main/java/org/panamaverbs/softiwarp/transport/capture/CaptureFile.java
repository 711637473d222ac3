package org.panamaverbs.softiwarp.transport.capture;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.panamaverbs.SystemException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A capture in the format pcapng. All devices of this process that name the file share it. A thread that sends or receives copies its
 * packet into a buffer, and a thread of the capture writes that buffer to the disk. If a slow disk keeps the buffer full for {@value
 * #PATIENCE_MILLIS} ms, the capture drops packets until the buffer is empty again, and the next packet of the file has their number. After
 * an error of the disk, and at the largest size, the capture ends with one warning; connections go on.
 */
public final class CaptureFile {
    private static final Logger LOG = LoggerFactory.getLogger(CaptureFile.class);
    private static final int BUFFER_SIZE = 4 << 20;
    private static final long PATIENCE_MILLIS = 100;
    /** The time that closing waits for the disk. */
    private static final long CLOSING_MILLIS = 2000;

    private static final Map<Path, CaptureFile> OPEN = new HashMap<>();
    /** The files that this process has written: it appends to them. */
    private static final Set<Path> WRITTEN = new HashSet<>();
    private static boolean hooked;

    private final Path name;
    private final Path path;
    private final int snaplen;
    private final long maximum;
    private final FileChannel channel;
    private final Thread writer;
    private final long epoch = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();
    /** The number of multiplexers that write here; guarded by {@link #OPEN}. */
    private int users = 1;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition filled = lock.newCondition();
    private final Condition room = lock.newCondition();
    // Guarded by the lock.
    private Blocks filling = new Blocks(BUFFER_SIZE);
    private Blocks spare = new Blocks(BUFFER_SIZE);
    private final Set<List<InetSocketAddress>> streams = new HashSet<>();
    private long size;
    private int dropped;
    private boolean lagging;
    private boolean closing;
    private volatile boolean stopped;

    private CaptureFile(Path name, int snaplen, long maximum) throws IOException {
        this.name = name;
        this.snaplen = snaplen;
        this.maximum = maximum;
        CaptureTarget target = CaptureTarget.open(name, WRITTEN);
        this.path = target.path();
        this.channel = target.channel();
        try {
            this.size = channel.position();
            filling.section(snaplen);
            size += filling.size();
            this.writer = Thread.ofPlatform().daemon().name("soft-iwarp-capture").unstarted(this::write);
            writer.start();
        } catch (IOException | RuntimeException | Error e) {
            // No thread is left, say. The lock of the file ends with the channel.
            channel.close();
            throw e;
        }
    }

    /**
     * Opens a capture, or shares one that this process has open.
     *
     * @param file    is overwritten if it is a capture of another process that has ended
     * @param snaplen the most bytes of a packet to keep, its headers included
     * @param maximum the largest size of the file in bytes
     * @throws SystemException if the file cannot be written, or is no capture
     */
    public static CaptureFile open(String file, int snaplen, long maximum) {
        Path path = Path.of(file).toAbsolutePath().normalize();
        synchronized (OPEN) {
            CaptureFile shared = OPEN.get(path);
            if (shared != null) {
                shared.users++;
                return shared;
            }
            try {
                CaptureFile opened = new CaptureFile(path, snaplen, maximum);
                OPEN.put(path, opened);
                WRITTEN.add(opened.path);
                if (!hooked) {
                    hooked = true;
                    Runtime.getRuntime().addShutdownHook(new Thread(CaptureFile::closeAll, "soft-iwarp-capture-end"));
                }
                return opened;
            } catch (IOException e) {
                throw new SystemException("the capture " + path + " cannot be written: " + reason(e), e);
            }
        }
    }

    /** The message of a file's error is its name alone. */
    private static String reason(IOException e) {
        return switch (e) {
            case NoSuchFileException _ -> "its directory does not exist";
            case AccessDeniedException _ -> "permission denied";
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            default -> e.getMessage();
        };
    }

    private static void closeAll() {
        List<CaptureFile> all;
        synchronized (OPEN) {
            all = List.copyOf(OPEN.values());
        }
        all.forEach(CaptureFile::finish);
    }

    /** The file that it writes: not the named one if another process is writing that. */
    public Path path() {
        return path;
    }

    /** Begins a stream; {@code null} if this capture has its other end, in this process, or its addresses are not known. */
    CapturedStream begin(InetSocketAddress local, InetSocketAddress remote, boolean active) {
        if (local == null || remote == null) {
            return null;
        }
        lock.lock();
        try {
            if (streams.contains(List.of(remote, local)) || !streams.add(List.of(local, remote))) {
                return null;
            }
        } finally {
            lock.unlock();
        }
        return new CapturedStream(this, local, remote, active);
    }

    void end(CapturedStream stream) {
        lock.lock();
        try {
            streams.remove(List.of(stream.local(), stream.remote()));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a packet.
     *
     * @param vector its payload from {@code from} on; {@code null} without payload
     */
    void put(byte[] template, boolean outwards, int flags, int sequence, int acknowledged, IoVector vector, long from, int length) {
        if (stopped) {
            return;
        }
        int headers = Packet.headersSize(template, flags);
        int kept = Math.clamp(snaplen - headers, 0, length);
        int block = Blocks.packetSize(headers + kept);
        lock.lock();
        try {
            if (size + block > maximum) {
                stop("it has reached its largest size");
                return;
            }
            if (!makeRoom(block)) {
                dropped++;
                return;
            }
            filling.packet(epoch + System.nanoTime(), template, outwards, flags, sequence, acknowledged, vector, from, length, kept,
                    dropped);
            size += block;
            dropped = 0;
            filled.signal();
        } finally {
            lock.unlock();
        }
    }

    private boolean makeRoom(int block) {
        long left = lagging ? 0 : TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
        while (filling.room() < block && !stopped) {
            if (left <= 0) {
                lagging = true;
                return false;
            }
            try {
                left = room.awaitNanos(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
        }
        return !stopped;
    }

    private void stop(String reason) {
        if (!stopped) {
            stopped = true;
            LOG.warn("the capture {} ends: {}; the connections go on", path, reason);
            filled.signal();
            room.signalAll();
        }
    }

    // The thread of the capture.

    private void write() {
        try (channel) {
            for (Blocks full = next(); full != null; full = next()) {
                write(full.written());
                giveBack(full);
            }
        } catch (IOException | RuntimeException | Error e) {
            lock.lock();
            try {
                // First of all, since the message may be more than the memory that is left.
                stopped = true;
                room.signalAll();
                LOG.warn("the capture {} ends: writing failed: {}; the connections go on", path, e.getMessage());
            } finally {
                lock.unlock();
            }
        }
    }

    /** The next buffer to write; {@code null} at the end. */
    private Blocks next() {
        lock.lock();
        try {
            while (filling.size() == 0) {
                if (closing || stopped) {
                    return null;
                }
                filled.awaitUninterruptibly();
            }
            Blocks full = filling;
            filling = spare;
            spare = null;
            lagging = false;
            room.signalAll();
            return full;
        } finally {
            lock.unlock();
        }
    }

    private void giveBack(Blocks empty) {
        lock.lock();
        try {
            empty.clear();
            spare = empty;
        } finally {
            lock.unlock();
        }
    }

    private void write(ByteBuffer blocks) throws IOException {
        long whole = channel.position();
        try {
            while (blocks.hasRemaining()) {
                channel.write(blocks);
            }
        } catch (IOException e) {
            // Programs that read the file report an incomplete packet as an error.
            channel.truncate(whole);
            throw e;
        }
    }

    // The capture thread ends.

    /** A multiplexer stops writing here. The last one closes the file, and waits for the disk for 2 s at most. */
    public void close() {
        synchronized (OPEN) {
            if (--users > 0) {
                return;
            }
            // Under the lock: a thread that opens the file now waits until the writer has released it.
            finish();
            OPEN.remove(name, this);
        }
    }

    private void finish() {
        lock.lock();
        try {
            closing = true;
            filled.signal();
        } finally {
            lock.unlock();
        }
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CLOSING_MILLIS);
        for (long left = deadline - System.nanoTime(); left > 0 && writer.isAlive(); left = deadline - System.nanoTime()) {
            try {
                writer.join(Duration.ofNanos(left));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
