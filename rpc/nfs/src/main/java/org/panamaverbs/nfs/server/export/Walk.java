package org.panamaverbs.nfs.server.export;

import java.util.ArrayDeque;
import java.util.Deque;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;

/**
 * The walk from the exported directory to a node, name by name, each relative to the open directory before it. No name is a link
 * (O_NOFOLLOW, O_DIRECTORY), no name leads up, so the walk stays inside whatever others do to the tree meanwhile; and at its end stands the
 * very file that the node means, or the node is stale.
 */
final class Walk {
    /** The deepest directory. A walk opens each on its path. */
    static final int DEEPEST = 256;
    /** If files move meanwhile. */
    private static final int ATTEMPTS = 3;

    private final Descriptor root;
    private final FileStatus rootStatus;

    Walk(Descriptor root) throws FileException {
        this.root = root;
        rootStatus = root.status();
    }

    FileStatus rootStatus() {
        return rootStatus;
    }

    /** Finds a node's file: by its place, or by the descriptor of those that have it open. */
    Found to(Node node) throws FileException {
        Descriptor held = node.held();
        if (held != null) {
            return found(held);
        }
        for (int attempt = 1;; attempt++) {
            Node.Place before = node.place();
            try {
                return once(node);
            } catch (FileException e) {
                boolean gone = e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR || e.errno() == Errno.ESTALE
                        || e.errno() == Errno.ELOOP;
                if (!gone) {
                    throw e;
                }
                if (attempt == ATTEMPTS || node.place() == before) {
                    throw new FileException("openat", Errno.ESTALE);
                }
            }
        }
    }

    private Found once(Node node) throws FileException {
        Deque<Name> names = new ArrayDeque<>();
        for (Node.Place place = node.place(); place != null; place = place.parent().place()) {
            names.push(place.name());
            if (names.size() > DEEPEST) {
                throw new FileException("openat", Errno.ENAMETOOLONG);
            }
        }
        Descriptor at = Descriptor.open(root.number(), new byte[] { '.' }, Libc.O_PATH() | FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW, 0);
        try {
            while (!names.isEmpty()) {
                byte[] name = names.pop().bytes();
                int kind = names.isEmpty() ? 0 : FileCalls.O_DIRECTORY;
                Descriptor next = Descriptor.open(at.number(), name, Libc.O_PATH() | FileCalls.O_NOFOLLOW | kind, 0);
                at.close();
                at = next;
            }
            FileStatus status = at.status();
            if (!node.isRoot() && !status.handle().equals(node.handle())) {
                throw new FileException("openat", Errno.ESTALE);
            }
            check(status);
            Found found = new Found(at, status);
            at = null;
            return found;
        } finally {
            if (at != null) {
                at.close();
            }
        }
    }

    /** The exported directory, to be read. */
    Descriptor readRoot() throws FileException {
        return Descriptor.open(root.number(), new byte[] { '.' }, Libc.O_RDONLY() | FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW, 0);
    }

    /** Finds a name in a directory that was found. */
    Found step(Found directory, Name name) throws FileException {
        directory.requireDirectory();
        return found(Descriptor.open(directory.descriptor().number(), name.bytes(), Libc.O_PATH() | FileCalls.O_NOFOLLOW, 0));
    }

    private Found found(Descriptor descriptor) throws FileException {
        try {
            FileStatus status = descriptor.status();
            check(status);
            return new Found(descriptor, status);
        } catch (FileException e) {
            descriptor.close();
            throw e;
        }
    }

    /** Another file system that is mounted inside is outside. */
    boolean isInside(FileStatus status) {
        return status.mount() == rootStatus.mount();
    }

    private void check(FileStatus status) throws FileException {
        if (!isInside(status)) {
            throw new FileException("openat", Errno.EACCES);
        }
    }
}
