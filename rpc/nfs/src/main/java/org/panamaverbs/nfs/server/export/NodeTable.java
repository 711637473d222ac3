package org.panamaverbs.nfs.server.export;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The nodes by handle, but for the root. If it is full, the node that was not used for the longest time leaves; {@link TreeSearch} finds its
 * file again. A file that is held stays.
 */
final class NodeTable {
    private final int most;
    private final Map<Handle, Node> byHandle = new LinkedHashMap<>(16, 0.75f, true);

    NodeTable(int most) {
        this.most = most;
    }

    /** The node of a handle, or {@code null}. */
    synchronized Node find(Handle handle) {
        return byHandle.get(handle);
    }

    /** The node of a file that was found at a place: the one that it has, which moves there, or a new one. */
    synchronized Node at(FileStatus status, Node.Place place) {
        Node existing = byHandle.get(status.handle());
        if (existing != null) {
            existing.moved(place);
            return existing;
        }
        makeRoom();
        Node node = new Node(status.handle(), status.kind(), place);
        byHandle.put(node.handle(), node);
        return node;
    }

    /**
     * Holds a node's file by a descriptor, which it takes. The node may have left since it was found: then it comes back.
     *
     * @return the node, or the one that took its place meanwhile
     */
    synchronized Node hold(Node node, Descriptor descriptor) {
        Node existing = byHandle.putIfAbsent(node.handle(), node);
        Node holder = existing == null ? node : existing;
        holder.hold(descriptor);
        return holder;
    }

    /** The file of a handle has lost its last name. */
    synchronized void remove(Handle handle) {
        Node node = byHandle.get(handle);
        if (node != null && !node.isHeld()) {
            byHandle.remove(handle);
        }
    }

    synchronized int size() {
        return byHandle.size();
    }

    private void makeRoom() {
        Iterator<Node> eldest = byHandle.values().iterator();
        while (byHandle.size() >= most && eldest.hasNext()) {
            if (!eldest.next().isHeld()) {
                eldest.remove();
            }
        }
    }
}
