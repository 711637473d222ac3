package org.panamaverbs.nfs.server.export;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;

/**
 * A regular file that a client has open. Until this is closed, the file's handle leads to the file, whatever becomes of its name. Any thread
 * may call it.
 */
public final class HeldFile implements AutoCloseable {
    private final Node node;
    private FileChannel reader;
    private FileChannel writer;
    private boolean closed;

    /** Takes one {@link Node#hold} over. */
    HeldFile(Node node) {
        this.node = node;
    }

    /** The file's node. */
    public Node node() {
        return node;
    }

    /** Opens the channels that are wanted and not open yet. */
    public synchronized void open(boolean reading, boolean writing) throws IOException {
        if (closed) {
            throw new ClosedChannelException();
        }
        if (reading && reader == null) {
            reader = node.channel(StandardOpenOption.READ);
        }
        if (writing && writer == null) {
            writer = node.channel(StandardOpenOption.WRITE);
        }
    }

    /** The channel to read or to write; {@code null} if it is not open. */
    public synchronized FileChannel channel(boolean write) {
        return write ? writer : reader;
    }

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            close(reader);
            close(writer);
            node.release();
        }
    }

    private static void close(FileChannel channel) {
        if (channel != null) {
            try {
                channel.close();
            } catch (IOException e) {
                // WRITE and COMMIT have reported the errors of the disk; nobody is there to hear this one.
            }
        }
    }
}
