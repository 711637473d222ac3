package org.panamaverbs.nfs.server.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import org.panamaverbs.nfs.server.compound.Compound;
import org.panamaverbs.nfs.server.export.Node;
import org.panamaverbs.nfs.server.state.Refused;
import org.panamaverbs.nfs.xdr.Nfs4;
import org.panamaverbs.nfs.xdr.StateId;
import org.panamaverbs.nfs.xdr.Status;

/**
 * The channel of an operation: that of an open, or one for this operation alone if the client has none (RFC 8881, 8.2.3).
 *
 * @param channel to read or write
 * @param own     whether it ends with the operation
 */
record Channels(FileChannel channel, boolean own) implements AutoCloseable {
    /** Refuses a file that is not regular (RFC 8881, 18.22.4). */
    static void requireRegular(Node node) throws Refused {
        switch (node.kind()) {
            case REGULAR -> {
            }
            case DIRECTORY -> throw new Refused(Status.ISDIR);
            case LINK -> throw new Refused(Status.SYMLINK);
            default -> throw new Refused(Status.WRONG_TYPE);
        }
    }

    /** The channel for a state that the client named. */
    static Channels of(Compound compound, StateId named, boolean write) throws IOException {
        Node node = compound.current();
        requireRegular(node);
        StateId state = compound.resolve(named);
        int access = write ? Nfs4.OPEN4_SHARE_ACCESS_WRITE : Nfs4.OPEN4_SHARE_ACCESS_READ;
        if (state.equals(StateId.ANONYMOUS) || state.equals(StateId.READ_BYPASS)) {
            if (write || !state.equals(StateId.READ_BYPASS)) {
                compound.core().grace().checkOver();
                compound.core().opens().checkAnonymous(node, access);
            }
            return new Channels(compound.core().export().open(node, write), true);
        }
        FileChannel channel = compound.core().opens().use(state, compound.client(), node, access).file().channel(write);
        if (channel == null) {
            throw new Refused(Status.OPENMODE);
        }
        return new Channels(channel, false);
    }

    @Override
    public void close() throws IOException {
        if (own) {
            channel.close();
        }
    }
}
