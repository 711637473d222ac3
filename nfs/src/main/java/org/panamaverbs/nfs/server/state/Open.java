package org.panamaverbs.nfs.server.state;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;

/** An open file of a client's owner (RFC 8881, 9): access, denial, and the file's channels. {@link Opens} guards the former two. */
public final class Open implements AutoCloseable {
    private final Client client;
    private final OwnerName owner;
    private final Node node;
    private final StateId first;
    private int sequence = 1;
    private int access;
    private int deny;
    private FileChannel reader;
    private FileChannel writer;
    private boolean closed;

    Open(Client client, OwnerName owner, Node node, StateId first) {
        this.client = client;
        this.owner = owner;
        this.node = node;
        this.first = first;
    }

    /** Opens a channel of a file. */
    public interface Opener {
        /** Opens one. */
        FileChannel open(boolean write) throws IOException;
    }

    /** Its client. */
    public Client client() {
        return client;
    }

    OwnerName owner() {
        return owner;
    }

    /** The file. */
    public Node node() {
        return node;
    }

    /** The state's name now. */
    StateId stateId() {
        return first.withSequence(sequence);
    }

    int sequence() {
        return sequence;
    }

    void step() {
        // RFC 8881, 8.2.2: 0 has a meaning of its own.
        sequence = sequence == -1 ? 1 : sequence + 1;
    }

    int access() {
        return access;
    }

    int deny() {
        return deny;
    }

    void share(int newAccess, int newDeny) {
        access = newAccess;
        deny = newDeny;
    }

    /** Has the channels that an access needs; takes ready ones that the creation of the file left over. */
    synchronized void prepare(int wanted, Opener opener, FileChannel readyReader, FileChannel readyWriter) throws IOException {
        if (reader == null) {
            reader = readyReader;
        }
        if (writer == null) {
            writer = readyWriter;
        }
        if ((wanted & Nfs4.OPEN4_SHARE_ACCESS_READ) != 0 && reader == null) {
            reader = opener.open(false);
        }
        if ((wanted & Nfs4.OPEN4_SHARE_ACCESS_WRITE) != 0 && writer == null) {
            writer = opener.open(true);
        }
    }

    /** The channel to read, or {@code null}. */
    public synchronized FileChannel reader() {
        return reader;
    }

    /** The channel to write, or {@code null}. */
    public synchronized FileChannel writer() {
        return writer;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            node.unpin();
            close(reader);
            close(writer);
        }
    }

    static void close(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // WRITE and COMMIT have reported the errors of the disk; nobody is there to hear this one.
            }
        }
    }
}
