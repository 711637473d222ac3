package example.loopback;

import java.util.Optional;
import java.util.OptionalInt;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionEnd.Cause;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.AbstractQueuePair;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.SendOperation;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * A queue pair. The thread that posts a request carries it out, and completes it at both ends: so requests complete in the order posted, and
 * only those that wait for a doorbell are ever in the send queue.
 */
final class LoopbackQueuePair extends AbstractQueuePair {
    private final LoopbackDomain domain;
    private final LoopbackCompletionQueue sendCompletions;
    private final LoopbackCompletionQueue receiveCompletions;
    private final RequestQueue sends;
    private final RequestQueue receives;
    private final Request remoteMemory = new Request(1);
    private final int number;
    /** The connector or request that it was made for. */
    final Children children;

    private volatile QueuePairState state = QueuePairState.INIT;
    private volatile LoopbackConnection connection;
    private LoopbackQueuePair peer;

    LoopbackQueuePair(LoopbackDomain domain, QueuePairAttributes attributes) {
        super(domain, attributes);
        this.domain = domain;
        sendCompletions = (LoopbackCompletionQueue) attributes.sendQueue();
        receiveCompletions = (LoopbackCompletionQueue) attributes.receiveQueue();
        sends = new RequestQueue(attributes.sendDepth(), attributes.sendElements());
        receives = new RequestQueue(attributes.receiveDepth(), attributes.receiveElements());
        try (var _ = Fabric.enter()) {
            number = domain.device.nextQueuePairNumber();
            children = new Children(toString());
            sendCompletions.children.check();
            receiveCompletions.children.check();
            domain.children.check();
            AbstractCompletionQueue.admit(attributes);
            domain.children.add(this);
            sendCompletions.children.add(this);
            receiveCompletions.children.add(this);
        }
    }

    /** Connects it; the peer's queue pair is connected before the lock is given back. */
    void connect(LoopbackConnection to, LoopbackQueuePair other) {
        connection = to;
        peer = other;
        state = QueuePairState.READY_TO_SEND;
    }

    @Override
    protected int outboundReads() {
        LoopbackConnection current = connection;
        return current == null ? 1 : current.outboundReads();
    }

    @Override
    protected boolean submit(SendWorkRequest request) {
        try (var _ = Fabric.enter()) {
            if (!hasRoom()) {
                return false;
            }
            sends.add().fill(request);
            if ((request.flags() & SendWorkRequest.MORE) == 0) {
                carryOut();
            }
            flushIfOver();
            return true;
        }
    }

    /** Whether the send queue has room; if it has none, the requests that wait for a doorbell start. */
    private boolean hasRoom() {
        checkOpen();
        if (state == QueuePairState.INIT) {
            throw new IllegalStateException(this + " is not connected yet: post after connect or accept has returned");
        }
        if (sends.isFull()) {
            carryOut();
            return false;
        }
        return true;
    }

    @Override
    protected boolean submitReceive(ReceiveWorkRequest request) {
        try (var _ = Fabric.enter()) {
            checkOpen();
            if (receives.isFull()) {
                return false;
            }
            receives.add().fill(request);
            flushIfOver();
            return true;
        }
    }

    @Override
    public int sendRoom() {
        try (var _ = Fabric.enter()) {
            return sends.room();
        }
    }

    @Override
    public void ringDoorbell() {
        try (var _ = Fabric.enter()) {
            carryOut();
        }
    }

    /** Carries out all requests that are posted, until one fails. */
    private void carryOut() {
        while (state == QueuePairState.READY_TO_SEND && !sends.isEmpty()) {
            Request request = sends.peek();
            Outcome outcome = carryOut(request);
            if (state != QueuePairState.READY_TO_SEND) {
                // The peer's completion queue overran, which flushed this request with all others.
                return;
            }
            sends.remove();
            if (outcome != Outcome.DONE) {
                fail(request, outcome);
            } else if (attributes().signalAll() || (request.flags & SendWorkRequest.SIGNALED) != 0) {
                CompletionOpcode opcode = opcode(request.operation);
                sendCompletions.add(this, request.id, CompletionStatus.SUCCESS, opcode,
                        opcode == CompletionOpcode.READ ? request.length() : 0, false);
            }
        }
    }

    private Outcome carryOut(Request request) {
        if (!request.isValid()) {
            return Outcome.NO_SOURCE;
        }
        return switch (request.operation) {
            case SEND -> send(request);
            case WRITE -> reach(request, Access.REMOTE_WRITE) ? copy(request, request, remoteMemory, Outcome.NO_ACCESS) : Outcome.NO_ACCESS;
            case READ -> reach(request, Access.REMOTE_READ) ? copy(request, remoteMemory, request, Outcome.NO_ACCESS) : Outcome.NO_ACCESS;
            // The checks refuse these, since the device does not have the capabilities.
            default -> throw new AssertionError(request.operation);
        };
    }

    private Outcome send(Request request) {
        if (peer.receives.isEmpty()) {
            return Outcome.NO_RECEIVE;
        }
        Request receive = peer.receives.peek();
        if (!receive.isValid()) {
            return Outcome.NO_TARGET;
        }
        if (request.length() > receive.length()) {
            return Outcome.RECEIVE_TOO_SHORT;
        }
        Outcome outcome = copy(request, request, receive, Outcome.NO_TARGET);
        if (outcome == Outcome.DONE) {
            peer.receives.remove();
            peer.receiveCompletions.add(peer, receive.id, CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, request.length(),
                    (request.flags & SendWorkRequest.SOLICITED) != 0);
        }
        return outcome;
    }

    /** Finds the memory that a request names; a request without bytes needs none. */
    private boolean reach(Request request, Access right) {
        if (request.length() == 0) {
            return true;
        }
        LoopbackRegion region = peer.domain.device.region(request.remoteKey);
        if (region == null || !region.allows(peer.domain, right, request.remoteAddress, request.length())) {
            return false;
        }
        remoteMemory.name(region, request.remoteAddress - region.address(), request.length());
        return true;
    }

    /** Copies from one to the other, of which the request is one. */
    private static Outcome copy(Request request, Request from, Request to, Outcome failureOfTheOther) {
        try {
            from.copyTo(to);
            return Outcome.DONE;
        } catch (InternalError e) {
            // The JVM throws it if a mapped file has become shorter than the region.
            return request.isThere() ? failureOfTheOther : Outcome.NO_SOURCE;
        }
    }

    private static CompletionOpcode opcode(SendOperation operation) {
        return switch (operation) {
            case WRITE -> CompletionOpcode.WRITE;
            case READ -> CompletionOpcode.READ;
            default -> CompletionOpcode.SEND;
        };
    }

    /** A request failed: both ends know how the connection ended before anything is flushed. */
    private void fail(Request request, Outcome outcome) {
        boolean ours = outcome.event == null;
        String text = "request " + request.id + " of " + this + " failed: " + outcome.text;
        end(ours ? failure(Cause.LOCAL_ERROR, new RequestFailedException(text, outcome.status))
                : failure(Cause.REMOTE_ERROR, new PeerException(text)));
        peer.end(failure(ours ? Cause.REMOTE_ERROR : Cause.LOCAL_ERROR, new PeerException("of the peer of " + peer + ", " + text)));
        sendCompletions.add(this, request.id, outcome.status, opcode(request.operation), 0, false);
        if (outcome.receiveStatus != null && !peer.receives.isEmpty()) {
            peer.receiveCompletions.add(peer, peer.receives.remove().id, outcome.receiveStatus, CompletionOpcode.RECEIVE, 0, false);
        }
        if (!ours) {
            peer.domain.device.publish(outcome.event, peer);
        }
        flush();
        peer.flush();
    }

    /** Its completion queue overran. */
    void fail(VerbsException cause) {
        disconnect(failure(Cause.LOCAL_ERROR, cause), failure(Cause.REMOTE_ERROR, new PeerException("the peer failed: " + cause)));
    }

    private static ConnectionEnd failure(Cause cause, VerbsException failure) {
        return new ConnectionEnd(cause, OptionalInt.empty(), Optional.of(failure));
    }

    /** Ends the connection, if there is one. */
    void disconnect(ConnectionEnd here, ConnectionEnd there) {
        try (var _ = Fabric.enter()) {
            if (state == QueuePairState.READY_TO_SEND) {
                end(here);
                peer.end(there);
                flush();
                peer.flush();
            }
        }
    }

    private void end(ConnectionEnd how) {
        if (state == QueuePairState.READY_TO_SEND) {
            state = QueuePairState.ERROR;
            connection.hasEnded(how);
        }
    }

    private void flushIfOver() {
        if (state == QueuePairState.ERROR) {
            flush();
        }
    }

    private void flush() {
        while (!sends.isEmpty()) {
            Request request = sends.remove();
            sendCompletions.add(this, request.id, CompletionStatus.FLUSHED, opcode(request.operation), 0, false);
        }
        while (!receives.isEmpty()) {
            receiveCompletions.add(this, receives.remove().id, CompletionStatus.FLUSHED, CompletionOpcode.RECEIVE, 0, false);
        }
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        LoopbackConnection current = connection;
        return type.isInstance(current) ? Optional.of(type.cast(current)) : Optional.empty();
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    private void checkOpen() {
        if (state == QueuePairState.CLOSED) {
            throw new ClosedException(this + " is closed");
        }
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                domain.children.remove(this);
                sendCompletions.children.remove(this);
                receiveCompletions.children.remove(this);
                disconnect(ConnectionEnd.orderly(), ConnectionEnd.orderly());
                flush();
                state = QueuePairState.CLOSED;
                AbstractCompletionQueue.release(attributes());
            }
        }
    }

    @Override
    public String toString() {
        return "queue pair " + number + " of " + domain.device.name();
    }
}
