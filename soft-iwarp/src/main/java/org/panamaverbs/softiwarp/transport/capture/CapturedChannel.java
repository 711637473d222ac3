package org.panamaverbs.softiwarp.transport.capture;

import java.net.InetSocketAddress;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * A channel that hands its bytes to a capture. During {@link #read} and {@link #write} the caller has entered the memory of the vector, so
 * the capture copies from that memory then.
 */
final class CapturedChannel implements Channel {
    private final Channel inner;
    private final CaptureFile file;
    private final boolean active;
    /** {@code null} until the stream is connected, and for good if the same file has its other end. */
    private CapturedStream stream;
    private boolean begun;

    CapturedChannel(Channel inner, CaptureFile file, boolean active) {
        this.inner = inner;
        this.file = file;
        this.active = active;
        if (!active) {
            begin();
        }
    }

    Channel inner() {
        return inner;
    }

    private void begin() {
        begun = true;
        stream = file.begin(inner.localAddress(), inner.remoteAddress(), active);
    }

    @Override
    public int finishConnect() {
        int result = inner.finishConnect();
        if (result == 1 && !begun) {
            begin();
        }
        return result;
    }

    @Override
    public long read(IoVector into) {
        long count = inner.read(into);
        if (stream != null && count != 0) {
            if (count > 0) {
                stream.received(into, count);
            } else if (count == END_OF_STREAM) {
                stream.ended(false);
            } else if (count == BROKEN) {
                stream.broken();
            }
        }
        return count;
    }

    @Override
    public long write(IoVector from) {
        long count = inner.write(from);
        if (stream != null && count > 0) {
            stream.sent(from, count);
        }
        return count;
    }

    @Override
    public VerbsException failure() {
        return inner.failure();
    }

    @Override
    public InetSocketAddress localAddress() {
        return inner.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return inner.remoteAddress();
    }

    @Override
    public int segmentSize() {
        return inner.segmentSize();
    }

    @Override
    public Path path() {
        return inner.path();
    }

    @Override
    public void shutdownOutput() {
        inner.shutdownOutput();
        if (stream != null) {
            stream.ended(true);
        }
    }

    @Override
    public void close() {
        inner.close();
        if (stream != null) {
            stream.closed();
        }
    }
}
