package org.panamaverbs.nio;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;

/**
 * A channel of the JDK that connects, or is connected. The JDK's channel makes the checks.
 *
 * <p>A thread in a stream of {@link java.nio.channels.Channels} holds the blocking lock. It waits in a call of the JDK's channel without the
 * lock, by a helper, or for a moment with the lock.
 */
// Tested by FallBackTest, OverlapTest, TranscriptTest.
final class JdkCarrier implements Carrier.OfJdk, Carrier.OfBytes {
    private final CarriedChannel channel;
    private final TransferLocks locks;
    private final SocketChannel plain;
    private final InetSocketAddress remote;
    private final Optional<IOException> refusal;

    /** @param refusal why there is no connection over verbs, if one was tried */
    JdkCarrier(CarriedChannel channel, SocketChannel plain, InetSocketAddress remote, Optional<IOException> refusal) {
        this.channel = channel;
        this.plain = plain;
        this.remote = remote;
        this.refusal = refusal;
        locks = channel.locks;
    }

    @Override
    public SocketChannel plain() {
        return plain;
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return remote;
    }

    @Override
    public int readyOps() {
        // The JDK's key has them.
        return 0;
    }

    /**
     * {@return whether it is connected} In non-blocking mode it begins to connect.
     *
     * @param timeout in blocking mode
     */
    boolean connect(Duration timeout) throws IOException {
        try {
            return begin(timeout);
        } catch (IOException e) {
            throw withRefusal(e);
        }
    }

    private boolean begin(Duration timeout) throws IOException {
        if (!channel.isBlocking() || timeout.compareTo(Verbs.FOREVER) >= 0) {
            return plain.connect(remote);
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(timeout.toNanos() + 999_999);
        if (millis == 0) {
            throw new SocketTimeoutException("Connect timed out");
        }
        plain.socket().connect(remote, (int) Math.min(Integer.MAX_VALUE, millis));
        return true;
    }

    boolean finishConnect() throws IOException {
        try {
            return plain.isConnected() || (plain.isConnectionPending() ? plain.finishConnect() : plain.connect(remote));
        } catch (IOException e) {
            throw withRefusal(e);
        }
    }

    /** Both attempts have failed: nothing else would say why the one over verbs did. */
    private IOException withRefusal(IOException failure) {
        refusal.ifPresent(failure::addSuppressed);
        return failure;
    }

    /** {@return why there is no connection over verbs, if one was tried} */
    Optional<IOException> refusal() {
        return refusal;
    }

    /** A call of the JDK's channel. */
    @FunctionalInterface
    private interface Call {
        long run() throws IOException;
    }

    /** @param mayWait whether it can take long */
    private long call(boolean mayWait, Call call) throws IOException {
        if (mayWait && channel.isBlocking() && locks.givesWay()) {
            return callWithoutLock(call);
        }
        try {
            return call.run();
        } finally {
            if (!plain.isOpen()) {
                // An interrupt closes the JDK's channel.
                channel.close();
            }
        }
    }

    private long callWithoutLock(Call call) throws IOException {
        boolean completed = false;
        channel.beginWait();
        try {
            long count = locks.awaitWithout(call::run);
            completed = count > 0;
            return count;
        } finally {
            channel.endWait(completed);
        }
    }

    private long counted(long count) {
        channel.verbs.countBytes(false, count);
        return count;
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length, Duration timeout) throws IOException {
        if (timeout.compareTo(Verbs.FOREVER) < 0) {
            return counted(call(true, () -> readWithin(into[offset], timeout)));
        }
        if (length == 1 && into[offset].hasArray() && locks.isHeld() && locks.isAlone() && channel.isBlocking()) {
            try {
                return counted(call(false, () -> readWithin(into[offset], TransferLocks.BRIEF)));
            } catch (SocketTimeoutException e) {
                // A helper waits from here on.
            }
        }
        return counted(call(true, () -> length == 1 ? plain.read(into[offset]) : plain.read(into, offset, length)));
    }

    private int readWithin(ByteBuffer into, Duration limit) throws IOException {
        Socket socket = plain.socket();
        socket.setSoTimeout((int) Math.min(Integer.MAX_VALUE, Math.max(1, limit.toMillis())));
        byte[] bytes = new byte[into.remaining()];
        int count = socket.getInputStream().read(bytes);
        if (count > 0) {
            into.put(bytes, 0, count);
        }
        return count;
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) throws IOException {
        long count = 0;
        if (channel.isBlocking()) {
            locks.setWriter();
            if (locks.isHeld() && locks.tryLockReads()) {
                // There is mostly room, and then no helper has to wait for it.
                try {
                    count = call(false, () -> writeWithoutWait(from, offset, length));
                } finally {
                    locks.unlockReads();
                }
                if (count > 0 && !from[offset + length - 1].hasRemaining()) {
                    return counted(count);
                }
            }
        }
        return counted(count + call(true, () -> plain.write(from, offset, length)));
    }

    /** No thread reads meanwhile: it would not wait for bytes. */
    private long writeWithoutWait(ByteBuffer[] from, int offset, int length) throws IOException {
        plain.configureBlocking(false);
        try {
            return plain.write(from, offset, length);
        } finally {
            if (plain.isOpen()) {
                plain.configureBlocking(true);
            }
        }
    }

    @Override
    public void writeWhole(ByteBuffer from) throws IOException {
        locks.setWriter();
        int length = from.remaining();
        counted(call(true, () -> {
            plain.socket().getOutputStream().write(from.array(), from.arrayOffset() + from.position(), length);
            return length;
        }));
    }

    @Override
    public int available() throws IOException {
        return plain.socket().getInputStream().available();
    }

    @Override
    public void shutdownInput() throws IOException {
        plain.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        plain.shutdownOutput();
    }
}
