package org.panamaverbs.nfs.server.export;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;

/**
 * A file or directory that a client uses. It knows its last place; whether the file is still there shows when it is used. As long as a client
 * has the file open, a descriptor leads to it instead.
 */
public final class Node {
    private final Handle handle;
    private final Kind kind;
    private volatile Place place;
    /** Leads to the file; {@code null} if nobody has it open. */
    private Descriptor held;
    private int holds;

    /**
     * The place of a file.
     *
     * @param parent the directory
     * @param name   the name in it
     */
    record Place(Node parent, Name name) {
    }

    Node(Handle handle, Kind kind, Place place) {
        this.handle = handle;
        this.kind = kind;
        this.place = place;
    }

    /** The name towards clients. */
    public Handle handle() {
        return handle;
    }

    /** The file's kind, which never changes. */
    public Kind kind() {
        return kind;
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

    /** Takes a descriptor of the file; {@link NodeTable#hold} calls this. */
    synchronized void hold(Descriptor descriptor) {
        holds++;
        if (held == null) {
            held = descriptor;
        } else {
            descriptor.close();
        }
    }

    /** Takes one {@link #hold} back. */
    synchronized void release() {
        holds--;
        if (holds == 0) {
            held.close();
            held = null;
        }
    }

    synchronized boolean isHeld() {
        return held != null;
    }

    /** Another descriptor of the file; {@code null} if nobody has it open. */
    synchronized Descriptor held() throws FileException {
        return held == null ? null : held.again();
    }

    /** Opens the file, which somebody holds. */
    synchronized FileChannel channel(OpenOption option) throws IOException {
        return held.channel(option);
    }
}
