package org.panamaverbs.nfs.server.export;

import java.util.concurrent.atomic.AtomicInteger;

/** A file or directory that a client was told a handle of. It knows its last place; whether the file is still there shows when it is used. */
public final class Node {
    private final Handle handle;
    private final FileStatus first;
    private final AtomicInteger pins = new AtomicInteger();
    private volatile Place place;

    /**
     * The place of a file.
     *
     * @param parent the directory
     * @param name   the name in it
     */
    record Place(Node parent, Name name) {
    }

    Node(Handle handle, FileStatus first, Place place) {
        this.handle = handle;
        this.first = first;
        this.place = place;
    }

    /** The name towards clients. */
    public Handle handle() {
        return handle;
    }

    /** The file's kind, which never changes. */
    public Kind kind() {
        return first.kind();
    }

    /** Whether it is the exported directory. */
    public boolean isRoot() {
        return place == null;
    }

    /** {@code null} for the root. */
    Place place() {
        return place;
    }

    void moved(Place to) {
        place = to;
    }

    /** The attributes when the node was made: only those that identify the file are still true. */
    FileStatus first() {
        return first;
    }

    /** Keeps the node in the table as long as a client has it open. */
    public void pin() {
        pins.incrementAndGet();
    }

    /** Takes one {@link #pin} back. */
    public void unpin() {
        pins.decrementAndGet();
    }

    boolean isPinned() {
        return pins.get() > 0;
    }
}
