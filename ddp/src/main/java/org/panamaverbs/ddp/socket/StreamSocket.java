package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.Driver;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.IdlePolicy;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.slf4j.LoggerFactory;

/**
 * A socket over a byte stream. The loop's leader receives. The thread that sends a message writes to the channel itself, and waits while the
 * channel takes nothing.
 *
 * <p>A closed socket ends its output, and discards what comes until the peer ends too, for 2 s at most: a channel that is closed with unread
 * bytes would take back what was sent before.
 */
class StreamSocket extends AbstractSocket implements Driver {
    private static final Complaints COMPLAINTS = new Complaints(LoggerFactory.getLogger(StreamSocket.class));
    private static final int VECTOR_PARTS = 32;
    private static final long LINGER_NANOS = 2_000_000_000L;

    private final Channel channel;
    private final StreamProtocol protocol;
    private final SocketCounters counters;
    private final SendTurn turn;

    // Only the leader uses these.
    private final IoVector target = new IoVector(VECTOR_PARTS);
    private boolean targeted;
    private boolean readable;
    private boolean queued;
    private boolean inputEnded;
    private boolean released;
    private Timer linger;

    /** Why nothing can be sent any more, or {@code null}. */
    private volatile VerbsException broken;
    private volatile boolean outputEnded;
    private volatile boolean blocked;
    /** How many times the channel has reported that it is writable. */
    private volatile int writables;

    StreamSocket(SoftDdpGroup group, DdpTransport transport, DdpOptions options, EventLoop loop, Channel channel,
            StreamFactory factory) {
        super(group, transport, options, loop, factory.clientProtocol());
        this.channel = channel;
        this.counters = new SocketCounters();
        this.protocol = factory.protocol(client(), counters);
        client().source(channel.remoteAddress());
        this.turn = new SendTurn(this, options.sendTimeout());
    }

    /** Directs the channel's events here. The leader calls it, before any further byte is received. */
    final void attach() {
        loop().add(this);
        readable = true;
    }

    final StreamProtocol protocol() {
        return protocol;
    }

    @Override
    public final String describe() {
        return "the " + transport() + " stream with " + at(channel.remoteAddress());
    }

    // Receiving, by the leader.

    @Override
    void onStart() {
        loop().execute(this::onResume);
    }

    @Override
    void onResume() {
        readable = true;
        enqueue();
    }

    @Override
    public void onReady(int events) {
        if ((events & Multiplexer.READABLE) != 0) {
            readable = true;
            enqueue();
        }
        if ((events & Multiplexer.WRITABLE) != 0) {
            writables = writables + 1;
            blocked = false;
            turn.signal();
        }
    }

    private boolean receives() {
        return !released && !inputEnded && (isStarted() || isClosed() || protocol.isHeld());
    }

    private void enqueue() {
        if (!queued && receives()) {
            queued = true;
            loop().addReady(this);
        }
    }

    @Override
    public boolean onTurn() {
        try {
            receive();
        } catch (RuntimeException | Error e) {
            COMPLAINTS.error("receiving failed; closing {}", describe(), e);
            end(new SystemException(describe() + ": soft-iwarp itself failed while it received: " + e + "; the log has more", e));
        }
        announce();
        queued = readable && receives();
        return queued;
    }

    private void receive() {
        long budget = IdlePolicy.RECEIVE_BYTES;
        while (readable && budget > 0 && receives()) {
            if (!isClosed() && pauses()) {
                readable = false;
                return;
            }
            long count = isClosed() ? discardOnce() : receiveOnce();
            if (count < 0) {
                return;
            }
            budget -= count;
        }
    }

    private long receiveOnce() {
        if (!targeted) {
            protocol.pollReceive(target);
            targeted = true;
        }
        boolean wasHeld = protocol.isHeld();
        if (!target.enter()) {
            return onBadMemory();
        }
        long count;
        try {
            count = channel.read(target);
        } finally {
            target.exit();
        }
        if (count > 0) {
            readable = protocol.isMoreThere(count, target.bytes());
            targeted = false;
            String reason = protocol.onReceived(count);
            if (reason != null) {
                endByPeer(reason);
            } else if (wasHeld && !protocol.isHeld()) {
                turn.signal();
            }
        } else if (count == Channel.BAD_MEMORY) {
            return onBadMemory();
        } else {
            onNothing(count);
        }
        return count;
    }

    /** Goes on without the message under way if the protocol can; -1 if the stream has ended. */
    private long onBadMemory() {
        targeted = false;
        String reason = protocol.onBadReceiveMemory();
        if (reason == null) {
            return 0;
        }
        endByPeer(reason);
        return -1;
    }

    private long discardOnce() {
        targeted = false;
        target.clear();
        target.add(loop().scratch(), 0, loop().scratch().byteSize());
        long count = channel.read(target);
        if (count > 0) {
            readable = protocol.isMoreThere(count, target.bytes());
        } else {
            onNothing(count);
        }
        return count;
    }

    private void onNothing(long count) {
        readable = false;
        if (count == Channel.BROKEN) {
            end(channel.failure());
        } else if (count == Channel.END_OF_STREAM) {
            String reason = isClosed() ? null : protocol.onEndOfStream();
            if (reason != null) {
                endByPeer(reason);
            } else {
                inputEnded = true;
                indications().end(null, channel.remoteAddress());
                wakeReceivers();
                if (isClosed()) {
                    release();
                }
            }
        }
    }

    private void endByPeer(String reason) {
        end(new PeerException(describe() + ": " + reason));
    }

    /** The stream is over, with an error. */
    private void end(VerbsException reason) {
        inputEnded = true;
        if (broken == null) {
            broken = reason;
        }
        indications().end(reason, channel.remoteAddress());
        wakeReceivers();
        turn.signal();
        // The channel stays, so that a thread that sends does not write to another one with the same descriptor; but the peer sees the end.
        channel.shutdownOutput();
        if (isClosed()) {
            release();
        }
    }

    // Sending, by the thread that has the turn.

    @Override
    public final boolean isReadyToSend() {
        return !blocked && !protocol.isHeld() || broken != null || isClosed();
    }

    /** Throws if nothing can be sent any more. */
    final void checkSending() {
        checkOpen();
        if (outputEnded) {
            throw new IllegalStateException(describe() + ": shutdownOutput() was called, nothing can be sent after it");
        }
        VerbsException reason = broken;
        if (reason != null) {
            throw switch (reason) {
                case PeerException _ -> new PeerException(reason.getMessage(), reason);
                case SystemException _ -> new SystemException(reason.getMessage(), reason);
                default -> new ClosedException(reason.getMessage(), reason);
            };
        }
    }

    @Override
    public void send(MemorySegment message, long offset, long length) {
        sendUntagged(message, offset, length, 0, 0, 0);
    }

    /** As in {@link org.panamaverbs.ddp.DdpStreamSocket}. */
    public void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        checkMessage(message, offset, length);
        checkUntagged(length, protocol.longestUntagged());
        turn.begin();
        try {
            checkSending();
            protocol.beginUntagged(message, offset, length, queue, octet, word);
            transmit(length);
        } finally {
            turn.end();
        }
    }

    @Override
    public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
        checkTagged(length, flags, maximumSizes().tagged());
        checkIdentifier(flags, messageId, protocol.mostIdentifier());
        boolean notifies = (flags & NOTIFY) != 0;
        sendTagged(message, offset, length, stag, taggedOffset, notifies, messageId, 0);
    }

    /** Sends a tagged message with these fields. */
    final void sendTagged(MemorySegment message, long offset, long length, int stag, long taggedOffset, boolean notifies, int messageId,
            int octet) {
        checkMessage(message, offset, length);
        checkTagged(length, protocol.longestTagged());
        turn.begin();
        try {
            checkSending();
            protocol.beginTagged(message, offset, length, stag, taggedOffset, notifies, messageId, octet);
            transmit(length);
        } finally {
            turn.end();
        }
    }

    private void transmit(long length) {
        boolean whole = false;
        try {
            while (true) {
                IoVector vector = protocol.pollTransmit();
                if (vector == null) {
                    throw new IllegalStateException("the arena of the message is closed, or its file was cut short");
                }
                if (vector.size() == 0) {
                    break;
                }
                write(vector);
            }
            whole = true;
            counters.messagesSent++;
            counters.bytesSent += length;
        } finally {
            if (!whole) {
                breakOff();
            }
        }
    }

    /** A message is not sent whole: the peer could not find the next one. */
    private void breakOff() {
        protocol.drop();
        if (broken == null) {
            broken = new ClosedException(describe() + ": a message was broken off, and nothing can follow it: open another stream");
        }
        channel.shutdownOutput();
    }

    private void write(IoVector vector) {
        if (blocked) {
            turn.await();
            checkSending();
        }
        int before = writables;
        long all = vector.bytes();
        long count;
        if (!vector.enter()) {
            throw new IllegalStateException("the memory of the message is not registered any more");
        }
        try {
            count = channel.write(vector);
        } finally {
            vector.exit();
        }
        if (count == Channel.BAD_MEMORY) {
            throw new IllegalStateException("the arena of the message is closed, or its file was cut short");
        }
        if (count < 0) {
            VerbsException reason = channel.failure();
            broken = broken == null ? reason : broken;
            checkSending();
        }
        if (count > 0) {
            protocol.onSent(count);
            counters.partsSent++;
        }
        if (count < all) {
            blocked = true;
            // Both are volatile. The leader counts and then clears the flag: so either this thread sees the count, or the leader clears.
            if (writables != before) {
                blocked = false;
            }
        }
    }

    @Override
    public final MessageSizes maximumSizes() {
        return protocol.sizes();
    }

    @Override
    public final void shutdownOutput() {
        turn.begin();
        try {
            checkOpen();
            outputEnded = true;
            channel.shutdownOutput();
        } finally {
            turn.end();
        }
    }

    @Override
    public final InetSocketAddress localAddress() {
        return channel.localAddress();
    }

    @Override
    public final Optional<InetSocketAddress> remoteAddress() {
        return Optional.of(channel.remoteAddress());
    }

    @Override
    public final DdpCounters counters() {
        return counters.snapshot(client().placed(), indications().total());
    }

    // The end.

    @Override
    void onClose() {
        turn.close();
        loop().call(() -> {
            channel.shutdownOutput();
            if (inputEnded) {
                release();
            } else {
                linger = loop().schedule(LINGER_NANOS, this::release);
                onResume();
            }
        });
    }

    private void release() {
        if (!released) {
            released = true;
            loop().remove(this);
            channel.close();
            if (linger != null) {
                linger.cancel();
            }
        }
    }

    @Override
    public void closeNow() {
        release();
    }
}
