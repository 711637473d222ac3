package org.panamaverbs.softiwarp.transport.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;

/**
 * A TCP connection as a {@link SocketChannel}. It reuses the buffers of segments ({@link SegmentViews}). The JDK may still allocate inside
 * its scattering reads and gathering writes.
 */
// Tested by NioMultiplexerTest.
final class NioChannel extends NioConnection implements Channel {
    private static final int SEGMENT_SIZE = 1460;

    private final SocketChannel socket;
    private final SegmentViews reading = new SegmentViews();
    private final SegmentViews writing = new SegmentViews();

    NioChannel(SocketChannel socket, InetSocketAddress remote, boolean connected) {
        super(socket, remote);
        this.socket = socket;
        if (connected) {
            onConnected();
        }
    }

    SocketChannel socket() {
        return socket;
    }

    @Override
    protected boolean finish() throws IOException {
        return socket.finishConnect();
    }

    @Override
    protected void onConnected() {
        established(findLocalAddress());
    }

    private InetSocketAddress findLocalAddress() {
        try {
            return socket.getLocalAddress() instanceof InetSocketAddress address ? address : NONE;
        } catch (IOException e) {
            return NONE;
        }
    }

    @Override
    protected String describe() {
        return Failures.connection(localAddress(), remoteAddress());
    }

    @Override
    public long read(IoVector into) {
        if (!isEstablished()) {
            return unestablished();
        }
        for (int i = 0; i < into.size(); i++) {
            if (into.segment(i).isReadOnly()) {
                return BAD_MEMORY;
            }
        }
        long count;
        try {
            count = socket.read(reading.buffers(), 0, reading.load(into));
        } catch (IllegalStateException | WrongThreadException e) {
            // The arena of a segment is closed, or is confined to another thread.
            return BAD_MEMORY;
        } catch (IOException e) {
            return failed("read", e);
        }
        if (count >= 0 && count < into.bytes()) {
            arm(SelectionKey.OP_READ);
        }
        return count < 0 ? END_OF_STREAM : count;
    }

    @Override
    public long write(IoVector from) {
        if (!isEstablished()) {
            return unestablished();
        }
        long count;
        try {
            count = socket.write(writing.buffers(), 0, writing.load(from));
        } catch (IllegalStateException | WrongThreadException e) {
            return BAD_MEMORY;
        } catch (IOException e) {
            return failed("write", e);
        }
        if (count < from.bytes()) {
            arm(SelectionKey.OP_WRITE);
        }
        return count;
    }

    private long failed(String call, IOException e) {
        // EFAULT has no class of its own; this is its text in the C locale.
        return "Bad address".equals(e.getMessage()) ? BAD_MEMORY : broke(call, e);
    }

    @Override
    public int segmentSize() {
        return SEGMENT_SIZE; // NIO does not offer it
    }

    @Override
    public void shutdownOutput() {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // The stream is broken or closed already: read and write report that.
        }
    }
}
