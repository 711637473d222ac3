package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.progress.TurnBudget;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * A socket over a byte stream.
 *
 * <p>A closed socket ends its output, and discards what comes until the peer ends too, for 2 s at most: a channel that is closed with unread
 * bytes would take back what was sent before.
 */
// Tested by TcpSocketTest, MpaSocketTest.
class StreamSocket extends DrivenSocket {
    private static final int VECTOR_PARTS = 32;
    private static final long LINGER_NANOS = 2_000_000_000L;

    private final Channel channel;
    private final StreamProtocol protocol;
    private final SocketCounters counters;

    // Only the leader uses these.
    private final IoVector target = new IoVector(VECTOR_PARTS);
    private boolean targeted;
    private boolean inputEnded;
    private Timer linger;

    private volatile boolean outputEnded;

    /** @param memory as in {@link AbstractSocket}; the factory's protocol may use it, too */
    StreamSocket(SoftDdpGroup group, DdpTransport transport, DdpOptions options, EventLoop loop, Channel channel, StreamFactory factory,
            Arena memory) {
        super(group, transport, options, loop, factory.clientProtocol(), memory);
        this.channel = channel;
        this.counters = new SocketCounters();
        this.protocol = factory.protocol(client(), counters);
        client().source(channel.remoteAddress());
    }

    /** Directs the channel's events here. The leader calls it, before any further byte is received. */
    final void attach() {
        loop().add(this);
        // No event tells of bytes before a read has come up short: a held socket reads the peer's first frame in the next turn.
        onReady(Multiplexer.READABLE);
    }

    final StreamProtocol protocol() {
        return protocol;
    }

    @Override
    public final String describe() {
        return "the " + transport() + " stream with " + Route.text(channel.remoteAddress());
    }

    // Receiving, by the leader.

    @Override
    final boolean receives() {
        return !isReleased() && !inputEnded && (isStarted() || isClosed() || protocol.isHeld());
    }

    @Override
    final void receive() {
        long budget = TurnBudget.RECEIVE_BYTES;
        while (isReadable() && budget > 0 && receives()) {
            if (!isClosed() && pauses()) {
                readable(false);
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
            readable(protocol.isMoreThere(count, target.bytes()));
            targeted = false;
            String reason = protocol.onReceived(count);
            if (reason != null) {
                endByPeer(reason);
            } else if (wasHeld && !protocol.isHeld()) {
                turn().signal();
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
            readable(protocol.isMoreThere(count, target.bytes()));
        } else {
            onNothing(count);
        }
        return count;
    }

    private void onNothing(long count) {
        readable(false);
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

    @Override
    final void onEnd() {
        inputEnded = true;
        // The channel stays, so that a thread that sends does not write to another one with the same descriptor; but the peer sees the end.
        channel.shutdownOutput();
        if (isClosed()) {
            release();
        }
    }

    // Sending, by the thread that has the turn.

    @Override
    public final boolean isReadyToSend() {
        return super.isReadyToSend() && (!protocol.isHeld() || isBroken() || isClosed());
    }

    @Override
    final void checkSending() {
        checkOpen();
        if (outputEnded) {
            throw new IllegalStateException(describe() + ": shutdownOutput() was called, nothing can be sent after it");
        }
        super.checkSending();
    }

    @Override
    public void send(MemorySegment message, long offset, long length) {
        sendUntagged(message, offset, length, 0, 0, 0);
    }

    /** As in {@link org.panamaverbs.ddp.DdpStreamSocket}. */
    public void sendUntagged(MemorySegment message, long offset, long length, int queue, int octet, int word) {
        checkMessage(message, offset, length);
        checkUntagged(length, protocol.longestUntagged());
        turn().begin();
        try {
            turn().await();
            checkSending();
            protocol.beginUntagged(message, offset, length, queue, octet, word);
            transmit(length);
        } finally {
            turn().end();
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
        turn().begin();
        try {
            turn().await();
            checkSending();
            protocol.beginTagged(message, offset, length, stag, taggedOffset, notifies, messageId, octet);
            transmit(length);
        } finally {
            turn().end();
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
        if (!isBroken()) {
            breakOutput(new ClosedException(describe() + ": a message was broken off, and nothing can follow it: open another stream"));
        }
        channel.shutdownOutput();
    }

    private void write(IoVector vector) {
        if (gate().isShut()) {
            turn().await();
            checkSending();
        }
        int before = gate().openings();
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
            breakOutput(channel.failure());
            checkSending();
        }
        if (count > 0) {
            protocol.onSent(count);
            counters.partsSent++;
        }
        if (count < all) {
            gate().shut(before);
        }
    }

    @Override
    public final MessageSizes maximumSizes() {
        return protocol.sizes();
    }

    @Override
    public final void shutdownOutput() {
        turn().begin();
        try {
            turn().await();
            checkOpen();
            outputEnded = true;
            channel.shutdownOutput();
        } finally {
            turn().end();
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
        turn().close();
        loop().call(() -> {
            onSilent();
            channel.shutdownOutput();
            if (inputEnded) {
                release();
            } else {
                linger = loop().schedule(LINGER_NANOS, this::release);
                onResume();
            }
        });
    }

    @Override
    final void onRelease() {
        channel.close();
        if (linger != null) {
            linger.cancel();
        }
    }
}
