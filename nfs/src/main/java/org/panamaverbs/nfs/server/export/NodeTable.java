package org.panamaverbs.nfs.server.export;

import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The nodes by handle and by file. If it is full, the node that was not used for the longest time leaves, and its handle is stale. A file that
 * is held stays.
 */
final class NodeTable {
    private final int most;
    private final Map<Handle, Node> byHandle = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Identity, Node> byFile = new HashMap<>();

    /** The key that tells one file from another. */
    private record Identity(long device, long inode, FileStatus.Time born) {
        static Identity of(FileStatus status) {
            return new Identity(status.device(), status.inode(), status.born());
        }
    }

    NodeTable(int most) {
        this.most = most;
    }

    /** The node of a handle, or {@code null}. */
    synchronized Node find(Handle handle) {
        return byHandle.get(handle);
    }

    /** The node of a file that was found at a place: the one that it has, which moves there, or a new one. */
    synchronized Node at(FileStatus status, Node.Place place) {
        Node known = byFile.get(Identity.of(status));
        if (known != null && known.kind() == status.kind()) {
            if (!known.isRoot()) {
                known.moved(place);
            }
            byHandle.get(known.handle());
            return known;
        }
        Node node = new Node(Handle.random(), status, place);
        makeRoom();
        add(node);
        return node;
    }

    synchronized void add(Node node) {
        byHandle.put(node.handle(), node);
        byFile.put(Identity.of(node.first()), node);
    }

    /** Holds a node's file by a descriptor, which it takes. The node may have left since it was found: then it comes back. */
    synchronized void hold(Node node, Descriptor descriptor) {
        node.hold(descriptor);
        add(node);
    }

    /** The file of a node has lost its last name. */
    synchronized void remove(FileStatus status) {
        Node node = byFile.get(Identity.of(status));
        if (node != null && !node.isRoot() && !node.isHeld()) {
            byFile.remove(Identity.of(status));
            byHandle.remove(node.handle());
        }
    }

    synchronized int size() {
        return byHandle.size();
    }

    private void makeRoom() {
        Iterator<Node> eldest = byHandle.values().iterator();
        while (byHandle.size() >= most && eldest.hasNext()) {
            Node node = eldest.next();
            if (!node.isRoot() && !node.isHeld()) {
                eldest.remove();
                byFile.remove(Identity.of(node.first()));
            }
        }
    }
}
