package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Optional;
import org.panamaverbs.PeerException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpCounters;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.ddpp.DatagramReceiver;
import org.panamaverbs.ddp.ddpp.Ddpp;
import org.panamaverbs.ddp.ddpp.DdppTransmitter;
import org.panamaverbs.ddp.ddpp.Drop;
import org.panamaverbs.ddp.ddpp.ShuffledMessages;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.softiwarp.progress.Driver;
import org.panamaverbs.softiwarp.progress.EventLoop;

/**
 * A socket of DDPP core inside the context: each message waits in the inbox of the receiver, and is drawn in an order that the seed of the
 * receiver decides. The receiver draws when enough messages wait, or when none came for a moment.
 */
final class MemorySocket extends AbstractSocket implements Driver {
    private static final int PAYLOAD = 4096;
    private static final int UNTAGGED = PAYLOAD + Ddpp.DECORATED_SIZE - Ddpp.UNDECORATED_SIZE;
    private static final int CELLS = 64;
    /** Enough messages to draw from. */
    private static final int WINDOW = 16;
    private static final long PAUSE_NANOS = 200_000;

    private final InetSocketAddress local;
    private final SocketCounters counters = new SocketCounters();
    private final SendTurn turn;
    private final DdppTransmitter transmitter = new DdppTransmitter(PAYLOAD, UNTAGGED, false);
    private final ShuffledMessages inbox;
    private final DatagramReceiver receiver;
    private MemorySocket peer;
    private volatile boolean outputEnded;

    // Only the leader uses these.
    private boolean queued;
    private boolean scheduled;

    MemorySocket(SoftDdpGroup group, DdpOptions options, EventLoop loop, InetSocketAddress local, Arena memory) {
        super(group, DdpTransport.MEMORY, options, loop, Client.Protocol.DDPP, memory);
        this.local = local;
        this.turn = new SendTurn(this, options.sendTimeout());
        this.inbox = new ShuffledMessages(new Shuffle(options.seed()), CELLS, PAYLOAD + Ddpp.DECORATED_SIZE);
        this.receiver = new DatagramReceiver(client(), counters, context().newSourceTable());
    }

    /** Connects both ends with each other, before the program has one of them. */
    static void join(MemorySocket one, MemorySocket other) {
        one.peer = other;
        other.peer = one;
        one.client().source(other.local);
        other.client().source(one.local);
    }

    @Override
    public String describe() {
        return "the in-memory stream with " + Route.text(peer.local);
    }

    // Receiving, by the leader.

    @Override
    void onStart() {
        loop().execute(this::onResume);
    }

    @Override
    void onResume() {
        onMail();
    }

    /** Messages wait, or the peer has ended. */
    private void onMail() {
        if (!isStarted() || queued) {
            return;
        }
        if (inbox.waiting() >= WINDOW) {
            enqueue();
        } else if (!scheduled) {
            scheduled = true;
            loop().schedule(PAUSE_NANOS, () -> {
                scheduled = false;
                enqueue();
            });
        }
    }

    private void enqueue() {
        if (!queued && !isClosed()) {
            queued = true;
            loop().addReady(this);
        }
    }

    @Override
    public void onReady(int events) {
        // Nothing outside reports events.
    }

    @Override
    public boolean onTurn() {
        queued = false;
        boolean drawn = false;
        // Senders may add as fast as this draws: the other sockets of the loop get their turn nevertheless.
        int budget = CELLS;
        while (!isClosed() && !indications().isEnded() && budget > 0 && !pauses()) {
            budget--;
            int cell = inbox.draw();
            if (cell == ShuffledMessages.NO_CELL) {
                onEmpty();
                break;
            }
            drawn = true;
            Drop drop = receiver.onMessage(inbox.memory(), inbox.offset(cell), inbox.length(cell), MemorySegment.NULL, 0, 0);
            inbox.release(cell);
            if (drop == Drop.WITHOUT_RECEIVE || drop == Drop.TOO_LONG) {
                indications().end(new PeerException(describe() + ": an untagged message came, and "
                        + (drop == Drop.TOO_LONG ? "the posted receive is shorter" : "no receive was posted")), peer.local);
            }
        }
        if (drawn) {
            peer.turn.signal();
        }
        announce();
        queued = budget == 0;
        return queued;
    }

    private void onEmpty() {
        if (peer.outputEnded && inbox.waiting() == 0) {
            indications().end(null, peer.local);
        }
    }

    // Sending, by the thread that has the turn.

    @Override
    public boolean isReadyToSend() {
        return peer.inbox.hasRoom() || isClosed() || peer.isClosed();
    }

    private void checkSending() {
        checkOpen();
        if (outputEnded) {
            throw new IllegalStateException(describe() + ": shutdownOutput() was called, nothing can be sent after it");
        }
        if (peer.isClosed()) {
            throw new PeerException(describe() + ": the peer is closed");
        }
    }

    @Override
    public void send(MemorySegment message, long offset, long length) {
        checkMessage(message, offset, length);
        checkUntagged(length, UNTAGGED);
        turn.begin();
        try {
            turn.await();
            checkSending();
            transmitter.beginUndecorated(length);
            transmit(message, offset, length);
        } finally {
            turn.end();
        }
    }

    @Override
    public void sendDdp(MemorySegment message, long offset, long length, int stag, long taggedOffset, int flags, int messageId) {
        checkMessage(message, offset, length);
        checkIdentifier(flags, messageId, Ddpp.MOST_IDENTIFIER);
        checkTagged(length, flags, PAYLOAD);
        turn.begin();
        try {
            turn.await();
            checkSending();
            transmitter.beginDecorated(length, stag, taggedOffset, (flags & NOTIFY) != 0, messageId, false);
            transmit(message, offset, length);
        } finally {
            turn.end();
        }
    }

    private void transmit(MemorySegment message, long offset, long length) {
        try {
            while (transmitter.isUnderWay()) {
                int cell = claim();
                long at = peer.inbox.offset(cell);
                long from = offset + transmitter.position();
                int payload = transmitter.nextPart(peer.inbox.memory(), at);
                if (!copy(message, from, at + transmitter.headerSize(), payload)) {
                    peer.inbox.release(cell);
                    throw new IllegalStateException("the arena of the message is closed, or its file was cut short");
                }
                peer.inbox.add(cell, transmitter.headerSize() + payload);
                counters.partsSent++;
                peer.loop().execute(peer::onMail);
            }
            counters.messagesSent++;
            counters.bytesSent += length;
        } finally {
            transmitter.drop();
        }
    }

    /** Copies payload into a cell of the peer; {@code false} if the memory of the message can no longer be used. */
    private boolean copy(MemorySegment message, long from, long to, int length) {
        try {
            MemorySegment.copy(message, from, peer.inbox.memory(), to, length);
            if (message.isMapped()) {
                // A native method makes the JVM report a fault at once: see RegisteredMemory.
                Thread.holdsLock(this);
            }
            return true;
        } catch (IllegalStateException | InternalError e) {
            return false;
        }
    }

    private int claim() {
        int cell = peer.inbox.claim();
        while (cell == ShuffledMessages.NO_CELL) {
            turn.await();
            checkSending();
            cell = peer.inbox.claim();
        }
        return cell;
    }

    @Override
    public MessageSizes maximumSizes() {
        return new MessageSizes(UNTAGGED, PAYLOAD);
    }

    @Override
    public InetSocketAddress localAddress() {
        return local;
    }

    @Override
    public Optional<InetSocketAddress> remoteAddress() {
        return Optional.of(peer.local);
    }

    @Override
    public DdpCounters counters() {
        return counters.snapshot(client().placed(), indications().total());
    }

    @Override
    public void shutdownOutput() {
        outputEnded = true;
        peer.loop().execute(peer::onMail);
    }

    // The end.

    @Override
    void onClose() {
        turn.close();
        shutdownOutput();
        peer.turn.signal();
        // A turn that has begun ends before the buffers are free.
        loop().call(this::releaseMemory);
    }

    @Override
    public void closeNow() {
        // The loop has no channel of this socket.
    }
}
