package org.panamaverbs.nfs.server.export;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;

/**
 * A directory and all below it, by nodes. Every method walks to its node anew, so nothing is trusted that was true a moment ago. Failures
 * are {@link FileException}s, and for data {@link IOException}s. Any thread may call it.
 */
public final class Export implements AutoCloseable {
    /** Rights of {@link #permits}. */
    public static final int READ = 4;
    public static final int WRITE = 2;
    public static final int EXECUTE = 1;
    /** Files that clients make: never with the rights of their owner for whoever runs them. */
    private static final int MODE = 0777;
    private static final int OWNER = 0600;
    private static final int LONGEST_LINK = 4096;

    private final Descriptor rootDescriptor;
    private final Walk walk;
    private final Node root;
    private final NodeTable nodes;
    private final TreeSearch search;
    private final Listings listings = new Listings();

    /**
     * Opens a directory.
     *
     * @param directory its path, whose links are followed now and never again
     * @param mostNodes how many files are known by their place; others are searched
     */
    public Export(Path directory, int mostNodes) throws FileException {
        rootDescriptor = Descriptor.ofRoot(directory);
        walk = new Walk(rootDescriptor);
        root = new Node(Handle.ROOT, Kind.DIRECTORY, null);
        nodes = new NodeTable(mostNodes);
        search = new TreeSearch(walk, root, nodes);
    }

    /** The exported directory. */
    public Node root() {
        return root;
    }

    /** Whether handles lead to their files in every run of the server; if not, only while the server knows the file. */
    public boolean keepsHandles() {
        return walk.rootStatus().generation() != 0;
    }

    /** The node of a handle, or {@code null}; EAGAIN if the search for it takes time. */
    public Node find(Handle handle) throws FileException {
        if (handle.equals(Handle.ROOT)) {
            return root;
        }
        Node node = nodes.find(handle);
        return node == null && keepsHandles() ? search.find(handle) : node;
    }

    /** How many files are known by their place. */
    public int nodes() {
        return nodes.size();
    }

    /** The node of a file that was found at a place. */
    private Node at(FileStatus status, Node.Place place) {
        Node node = nodes.at(status, place);
        search.met(node.handle());
        return node;
    }

    /** Walks to a node, also if it is no longer at its place. */
    private Found walkTo(Node node) throws FileException {
        try {
            return walk.to(node);
        } catch (FileException e) {
            if (e.errno() != Errno.ESTALE || !keepsHandles()) {
                throw e;
            }
            Node found = search.find(node.handle());
            if (found == null) {
                throw e;
            }
            if (found != node) {
                // The node has left the table since this call has it.
                node.moved(found.place());
            }
            return walk.to(node);
        }
    }

    /** The attributes now. */
    public FileStatus status(Node node) throws FileException {
        try (Found found = walkTo(node)) {
            return found.status();
        }
    }

    /** The file of a name in a directory. */
    public Node lookup(Node directory, Name name) throws FileException {
        try (Found parent = walkTo(directory); Found found = walk.step(parent, name)) {
            return at(found.status(), new Node.Place(directory, name));
        }
    }

    /** The directory that a node is in; {@code null} for the root. */
    public Node parent(Node node) throws FileException {
        // The file may have moved since: then the node is stale.
        status(node);
        Node.Place place = node.place();
        return place == null ? null : place.parent();
    }

    /** The names in a directory. */
    public Listing list(Node directory) throws FileException {
        try (Found found = walkTo(directory)) {
            found.requireDirectory();
            long change = found.status().change();
            Listing cached = listings.get(directory, change);
            if (cached != null) {
                return cached;
            }
            try (Descriptor readable = Descriptor.open(found.descriptor().number(), new byte[] { '.' },
                    Libc.O_RDONLY() | FileCalls.O_DIRECTORY | FileCalls.O_NOFOLLOW, 0)) {
                Listing listing = Listing.of(readable, change);
                // Within one tick of the kernel's clock two changes look alike: a listing is kept only if its directory rested for a while.
                if (System.currentTimeMillis() - change / 1_000_000 > 1000) {
                    listings.put(directory, listing);
                }
                return listing;
            }
        }
    }

    /** Looks at names of one directory, one after the other. */
    public Looks look(Node directory) throws FileException {
        Found found = walkTo(directory);
        return new Looks(found);
    }

    /** A directory that was walked to once, for many names. */
    public final class Looks implements AutoCloseable {
        private final Found found;

        private Looks(Found found) {
            this.found = found;
        }

        /** The attributes of a name; {@code null} if it is gone or not inside. */
        public FileStatus status(Name name) throws FileException {
            try {
                FileStatus status = FileStatus.of(found.descriptor().number(), name.bytes());
                return walk.isInside(status) ? status : null;
            } catch (FileException e) {
                if (e.errno() == Errno.ENOENT) {
                    return null;
                }
                throw e;
            }
        }

        @Override
        public void close() {
            found.close();
        }
    }

    /** The text of a link, which nobody follows here. */
    public byte[] readLink(Node link) throws FileException {
        try (Found found = walkTo(link); Arena arena = Arena.ofConfined()) {
            if (found.status().kind() != Kind.LINK) {
                throw new FileException("readlinkat", Errno.EINVAL);
            }
            MemorySegment text = arena.allocate(LONGEST_LINK);
            long length = FileCalls.readLink(found.descriptor().number(), text);
            if (length < 0) {
                throw new FileException("readlinkat", (int) -length);
            }
            return text.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** Which of some rights the server's own user has. */
    public int permits(Node node, int rights) throws FileException {
        try (Found found = walkTo(node)) {
            if (found.status().kind() == Kind.LINK) {
                return rights & READ;
            }
            byte[] path = found.descriptor().path();
            int permitted = 0;
            for (int right : new int[] { READ, WRITE, EXECUTE }) {
                if ((rights & right) != 0 && FileCalls.access(path, right) == 0) {
                    permitted |= right;
                }
            }
            return permitted;
        }
    }

    /** Holds a regular file, for a client that opens it. */
    public HeldFile hold(Node file) throws FileException {
        Found found = walkTo(file);
        try {
            found.requireRegular();
        } catch (FileException e) {
            found.close();
            throw e;
        }
        return new HeldFile(nodes.hold(file, found.descriptor()));
    }

    /** Opens a regular file for one operation. */
    public FileChannel open(Node file, boolean write) throws IOException {
        try (Found found = walkTo(file)) {
            found.requireRegular();
            return write ? found.descriptor().channel(StandardOpenOption.WRITE) : found.descriptor().channel(StandardOpenOption.READ);
        }
    }

    /**
     * Makes a regular file, and opens both its channels, whatever rights it has; EEXIST if the name is taken, by whatever. Name and rights are
     * on the disk then, as after each method that changes anything.
     */
    public HeldFile create(Node directory, Name name, int mode) throws IOException {
        try (Found parent = walkTo(directory)) {
            parent.requireDirectory();
            try (Descriptor descriptor = Descriptor.open(parent.descriptor().number(), name.bytes(),
                    Libc.O_RDWR() | Libc.O_CREAT() | Libc.O_EXCL() | FileCalls.O_NOFOLLOW, mode & MODE | OWNER)) {
                FileStatus status = descriptor.status();
                HeldFile file = new HeldFile(nodes.hold(at(status, new Node.Place(directory, name)), descriptor.again()));
                try {
                    file.open(true, true);
                    if (status.mode() != (mode & MODE)) {
                        changeMode(descriptor, mode);
                        file.channel(true).force(true);
                    }
                    sync(parent);
                    return file;
                } catch (IOException e) {
                    file.close();
                    throw e;
                }
            }
        }
    }

    /** Makes a directory. */
    public Node makeDirectory(Node directory, Name name, int mode) throws IOException {
        try (Found parent = walkTo(directory)) {
            parent.requireDirectory();
            if (depth(directory) >= Walk.DEEPEST - 1) {
                throw new FileException("mkdirat", Errno.ENAMETOOLONG);
            }
            check("mkdirat", FileCalls.makeDirectory(parent.descriptor().number(), name.bytes(), mode & MODE));
            try (Found child = walk.step(parent, name)) {
                if (child.status().kind() == Kind.DIRECTORY && child.status().mode() != (mode & MODE)) {
                    changeMode(child.descriptor(), mode);
                    sync(child);
                }
                sync(parent);
                return at(child.status(), new Node.Place(directory, name));
            }
        }
    }

    private static int depth(Node node) {
        int depth = 0;
        for (Node.Place place = node.place(); place != null && depth < Walk.DEEPEST; place = place.parent().place()) {
            depth++;
        }
        return depth;
    }

    /** Removes a name: of a file, or of a directory that is empty. */
    public void remove(Node directory, Name name) throws IOException {
        try (Found parent = walkTo(directory); Found found = walk.step(parent, name)) {
            boolean isDirectory = found.status().kind() == Kind.DIRECTORY;
            check("unlinkat", FileCalls.unlink(parent.descriptor().number(), name.bytes(), isDirectory ? Libc.AT_REMOVEDIR() : 0));
            if (isDirectory || found.status().links() <= 1) {
                forget(found.status().handle());
            }
            sync(parent);
        }
    }

    private void forget(Handle handle) {
        nodes.remove(handle);
        search.forget(handle);
    }

    /** Renames; a file of the new name is replaced, as is an empty directory by a directory. */
    public void rename(Node from, Name oldName, Node to, Name newName) throws IOException {
        try (Found source = walkTo(from); Found target = walkTo(to); Found moved = walk.step(source, oldName)) {
            target.requireDirectory();
            if (moved.status().kind() == Kind.DIRECTORY && depth(to) >= Walk.DEEPEST - 1) {
                throw new FileException("renameat", Errno.ENAMETOOLONG);
            }
            FileStatus replaced = replaced(target, newName);
            check("renameat",
                    FileCalls.rename(source.descriptor().number(), oldName.bytes(), target.descriptor().number(), newName.bytes()));
            if (replaced != null && !replaced.isSameFileAs(moved.status())
                    && (replaced.kind() == Kind.DIRECTORY || replaced.links() <= 1)) {
                forget(replaced.handle());
            }
            at(moved.status(), new Node.Place(to, newName));
            // The new name first: then no power cut leaves a file without a name.
            sync(target);
            if (!source.status().isSameFileAs(target.status())) {
                sync(source);
            }
        }
    }

    private static FileStatus replaced(Found directory, Name name) throws FileException {
        try {
            return FileStatus.of(directory.descriptor().number(), name.bytes());
        } catch (FileException e) {
            if (e.errno() == Errno.ENOENT) {
                return null;
            }
            throw e;
        }
    }

    /** Changes the rights, and the times of access and modification; {@code null} leaves one as it is. */
    public void change(Node node, Integer mode, FileStatus.Time accessed, FileStatus.Time modified) throws IOException {
        // The new rights may forbid to open it.
        try (Found found = walkTo(node); FileChannel before = mode == null ? null : toSync(found)) {
            refuseLink(found);
            if (mode != null) {
                changeMode(found.descriptor(), mode);
            }
            if (accessed != null || modified != null) {
                changeTimes(found, accessed, modified);
            }
            if (before != null) {
                before.force(true);
            } else {
                sync(found);
            }
        }
    }

    private static void changeMode(Descriptor file, int mode) throws FileException {
        check("fchmodat", FileCalls.changeMode(file.path(), mode & MODE));
    }

    private static void changeTimes(Found found, FileStatus.Time accessed, FileStatus.Time modified) throws FileException {
        FileStatus.Time first = accessed == null ? found.status().accessed() : accessed;
        FileStatus.Time second = modified == null ? found.status().modified() : modified;
        check("utimensat", FileCalls.changeTimes(found.descriptor().path(),
                new long[] { first.seconds(), first.nanoseconds(), second.seconds(), second.nanoseconds() }));
    }

    /** The path of a descriptor of a link could lead on to the link's target. */
    private static void refuseLink(Found found) throws FileException {
        if (found.status().kind() == Kind.LINK) {
            throw new FileException("fchmodat", Errno.ELOOP);
        }
    }

    /** Puts a directory's names, or a file's attributes, on the disk, so that an answer is true. */
    private static void sync(Found found) throws IOException {
        try (FileChannel channel = toSync(found)) {
            if (channel != null) {
                channel.force(true);
            }
        } catch (IOException e) {
            // EINVAL: the file system syncs no directories.
            if (found.status().kind() != Kind.DIRECTORY || !Errno.text(Errno.EINVAL).equals(e.getMessage())) {
                throw e;
            }
        }
    }

    /** {@code null} if no call syncs it: it may not be read, or opening it could wait for a stranger. */
    private static FileChannel toSync(Found found) throws IOException {
        if (found.status().kind() != Kind.REGULAR && found.status().kind() != Kind.DIRECTORY) {
            return null;
        }
        try {
            return found.descriptor().channel(StandardOpenOption.READ);
        } catch (IOException e) {
            if (FileException.errnoOf(e) != Errno.EACCES) {
                throw e;
            }
            return null;
        }
    }

    /** Room on the file system. */
    public Space space() throws FileException {
        return Space.of(rootDescriptor);
    }

    private static void check(String call, int result) throws FileException {
        if (result < 0) {
            throw new FileException(call, -result);
        }
    }

    @Override
    public void close() {
        search.close();
        rootDescriptor.close();
    }
}
