package org.panamaverbs.softiwarp.transport.memory;

import java.net.InetSocketAddress;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;

/** One end of an in-process stream. A close with unread bytes breaks the stream for the peer, as TCP on Linux does. */
final class MemoryChannel implements Channel {
    private static final int SEGMENT_SIZE = 1460;

    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final MemoryWatch watch;
    private final MemoryPipe incoming;
    private final MemoryPipe outgoing;

    private MemoryChannel(InetSocketAddress local, InetSocketAddress remote, MemoryWatch watch, MemoryPipe incoming, MemoryPipe outgoing) {
        this.local = local;
        this.remote = remote;
        this.watch = watch;
        this.incoming = incoming;
        this.outgoing = outgoing;
    }

    /** Makes two connected ends: first the connecting one, then the one to accept. Each direction holds {@code capacity} bytes. */
    static MemoryChannel[] pair(InetSocketAddress connecting, InetSocketAddress listening, long capacity) {
        MemoryWatch first = new MemoryWatch();
        MemoryWatch second = new MemoryWatch();
        MemoryPipe there = new MemoryPipe(capacity, first, second);
        MemoryPipe back = new MemoryPipe(capacity, second, first);
        return new MemoryChannel[] { new MemoryChannel(connecting, listening, first, back, there),
                new MemoryChannel(listening, connecting, second, there, back) };
    }

    MemoryWatch watch() {
        return watch;
    }

    @Override
    public int finishConnect() {
        return watch.isClosed() ? (int) BROKEN : 1;
    }

    @Override
    public long read(IoVector into) {
        return watch.isClosed() ? BROKEN : incoming.read(into);
    }

    @Override
    public long write(IoVector from) {
        return watch.isClosed() ? BROKEN : outgoing.write(from);
    }

    @Override
    public long recall() {
        return outgoing.recall();
    }

    @Override
    public VerbsException failure() {
        String connection = Failures.connection(local, remote);
        if (watch.isClosed()) {
            return new ClosedException(connection + " was closed here");
        }
        return incoming.isReset() ? Failures.of(connection, "read", Errno.ECONNRESET, "Connection reset by peer")
                : Failures.of(connection, "write", Errno.EPIPE, "Broken pipe");
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int segmentSize() {
        return SEGMENT_SIZE; // there are no segments: the usual value of networks
    }

    @Override
    public Path path() {
        return Path.MEMORY;
    }

    @Override
    public void shutdownOutput() {
        outgoing.end();
    }

    @Override
    public synchronized void close() {
        if (watch.isClosed()) {
            return;
        }
        watch.close();
        if (incoming.leave()) {
            incoming.reset();
            outgoing.reset();
        } else {
            outgoing.end();
        }
    }
}
