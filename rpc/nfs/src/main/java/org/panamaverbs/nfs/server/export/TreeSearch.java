package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;

/**
 * Finds files whose place nobody knows: a client has their handles from a run of the server before, or they moved, or were not used for a
 * long time. One thread walks through the whole directory, for all handles that are wanted at that time. A handle that two whole walks have
 * not met leads nowhere: two, since a directory that moves while the thread walks may pass it by.
 *
 * <p>A client can make handles up. They cost one thread, which rests as long as it walks, and the memory of {@link #MOST} handles.
 */
// Tested by HandlesTest.
final class TreeSearch implements AutoCloseable {
    /** Handles that are wanted, or of which it is known that they lead nowhere. */
    private static final int MOST = 4096;
    private static final int WALKS = 2;
    /** A client waits so long; then it is asked to come again. */
    private static final Duration PATIENCE = Duration.ofMillis(200);
    /** At least so long after a walk that met a lack of descriptors or memory. */
    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final int BUFFER = 32 << 10;
    private static final int READ = Libc.O_RDONLY() | FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW;
    /** Types of a name (getdents64(2)). */
    private static final byte UNKNOWN = 0;
    private static final byte DIRECTORY = 4;

    private final Walk walk;
    private final Node root;
    private final NodeTable nodes;
    /** The number of whole walks after which a handle leads nowhere. A handle that was found leaves. */
    private final Map<Handle, Long> wanted = new LinkedHashMap<>(16, 0.75f, true);
    /** Whole walks. */
    private long walks;
    private boolean walking;
    private Thread thread;
    private volatile boolean closed;

    /** A directory on the way of the walk; {@code null} stands for the root. */
    private record Step(Step before, FileStatus status, Name name) {
    }

    TreeSearch(Walk walk, Node root, NodeTable nodes) {
        this.walk = walk;
        this.root = root;
        this.nodes = nodes;
    }

    /** The node of a handle, {@code null} if it leads to no file here; EAGAIN if that is not known yet. */
    synchronized Node find(Handle handle) throws FileException {
        want(handle);
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Long last = wanted.get(handle);
            Node found = last == null ? nodes.find(handle) : null;
            if (found != null || last != null && last <= walks) {
                return found;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (last == null || left <= 0 || closed) {
                throw new FileException("find", Errno.EAGAIN);
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new FileException("find", Errno.EAGAIN);
            }
        }
    }

    private void want(Handle handle) throws FileException {
        if (!wanted.containsKey(handle)) {
            if (!hasRoom()) {
                throw new FileException("find", Errno.EAGAIN);
            }
            // The walk under way may have passed the file.
            wanted.put(handle, walks + (walking ? 1 : 0) + WALKS);
        }
        if (thread == null && !closed && isAnyWanted()) {
            thread = Thread.ofPlatform().daemon().name("nfs-search").start(this::run);
        }
    }

    /** A file has a place, which the table knows: also one that seemed to be gone, and was outside for some time. */
    synchronized void met(Handle handle) {
        if (wanted.remove(handle) != null) {
            notifyAll();
        }
    }

    /** A file is gone. */
    synchronized void forget(Handle handle) {
        if (wanted.containsKey(handle) || hasRoom()) {
            wanted.put(handle, walks);
            notifyAll();
        }
    }

    private boolean hasRoom() {
        Iterator<Long> eldest = wanted.values().iterator();
        while (wanted.size() >= MOST && eldest.hasNext()) {
            if (eldest.next() <= walks) {
                eldest.remove();
            }
        }
        return wanted.size() < MOST;
    }

    private boolean isAnyWanted() {
        return wanted.values().stream().anyMatch(last -> last > walks);
    }

    private void run() {
        try {
            while (true) {
                Set<Long> inodes = begin();
                if (inodes.isEmpty()) {
                    return;
                }
                long began = System.nanoTime();
                boolean whole = walkAll(inodes);
                end(whole);
                TimeUnit.NANOSECONDS.sleep(Math.max(System.nanoTime() - began, whole ? 0 : PAUSE.toNanos()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stop();
        }
    }

    private synchronized Set<Long> begin() {
        Set<Long> inodes = closed ? Set.of() : wanted.entrySet().stream().filter(each -> each.getValue() > walks)
                .map(each -> each.getKey().inode()).collect(Collectors.toSet());
        walking = !inodes.isEmpty();
        if (!walking) {
            // Before a caller sees this thread: that would rely on it.
            thread = null;
        }
        return inodes;
    }

    private synchronized void end(boolean whole) {
        walking = false;
        walks += whole ? 1 : 0;
        notifyAll();
    }

    /** Also if the thread ends in another way: the next caller begins anew. */
    private synchronized void stop() {
        if (thread == Thread.currentThread()) {
            walking = false;
            thread = null;
        }
    }

    /** Returns whether the walk came everywhere. */
    private boolean walkAll(Set<Long> inodes) {
        try (Descriptor directory = walk.readRoot()) {
            visit(directory, null, 1, inodes);
            return true;
        } catch (FileException | OutOfMemoryError e) {
            // Descriptors or memory are used up, or the server ends.
            return false;
        }
    }

    private void visit(Descriptor directory, Step at, int depth, Set<Long> inodes) throws FileException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER, Long.BYTES);
            for (long filled = FileCalls.getDents(directory.number(), buffer); filled > 0; filled = FileCalls.getDents(directory.number(),
                    buffer)) {
                Listing.decode(buffer.asSlice(0, filled), (inode, type, name) -> {
                    if (inodes.contains(inode)) {
                        meet(directory, at, name);
                    }
                    if ((type == DIRECTORY || type == UNKNOWN) && depth < Walk.DEEPEST) {
                        descend(directory, at, name, depth, inodes);
                    }
                });
            }
        }
    }

    private void meet(Descriptor directory, Step at, Name name) throws FileException {
        try {
            found(FileStatus.of(directory.number(), name.bytes()), at, name);
        } catch (FileException e) {
            throwIfExhausted(e);
        }
    }

    private void descend(Descriptor above, Step at, Name name, int depth, Set<Long> inodes) throws FileException {
        if (closed) {
            throw new FileException("find", Errno.EAGAIN);
        }
        try (Descriptor directory = Descriptor.open(above.number(), name.bytes(), READ, 0)) {
            FileStatus status = directory.status();
            if (walk.isInside(status)) {
                visit(directory, new Step(at, status, name), depth + 1, inodes);
            }
        } catch (FileException e) {
            throwIfExhausted(e);
        }
    }

    /** A directory that is gone, or closed to this process, is passed; if something is used up, nothing is known of it. */
    private static void throwIfExhausted(FileException e) throws FileException {
        switch (e.errno()) {
            case Errno.EMFILE, Errno.ENFILE, Errno.ENOMEM, Errno.EAGAIN -> throw e;
            default -> {
            }
        }
    }

    private synchronized void found(FileStatus status, Step at, Name name) {
        Long last = wanted.get(status.handle());
        if (last != null && last > walks && walk.isInside(status)) {
            nodes.at(status, new Node.Place(node(at), name));
            met(status.handle());
        }
    }

    private Node node(Step step) {
        return step == null ? root : nodes.at(step.status, new Node.Place(node(step.before), step.name));
    }

    @Override
    public void close() {
        Thread last;
        synchronized (this) {
            closed = true;
            last = thread;
            notifyAll();
        }
        if (last != null) {
            last.interrupt();
            boolean interrupted = false;
            while (last.isAlive()) {
                try {
                    last.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
