package org.panamaverbs.rdmacore;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.cm.ConnectedQueuePair;
import org.panamaverbs.rdmacore.event.AsynchronousErrors;
import org.panamaverbs.rdmacore.post.CompletionTranslator;
import org.panamaverbs.spi.ObjectChecks;

/** A queue pair that is connected, and its connection's end(). */
// Tested by FlushFaultsTest, LeakFaultsTest, Rxe0ContractTest.
class CoreQueuePair extends WorkQueuePair implements ConnectedQueuePair {
    private volatile int outboundReads = Integer.MAX_VALUE;
    private volatile boolean flushedSends;
    /** {@code null} until it is there; the device counts it from then on. Changes while nothing is posted. */
    private volatile Connection connection;

    static CoreQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        ObjectChecks.queuePair(domain.device(), domain, attributes);
        CoreQueuePair queuePair = domain.device().creating(() -> {
            QueuePairInitAttributes.checkOpen(domain, attributes);
            return new CoreQueuePair(domain, attributes, ManagedQueuePair.create(domain, attributes, identifier));
        });
        identifier.connects(queuePair);
        return queuePair;
    }

    /** Makes the object of a queue pair of the device, which is destroyed if that fails. */
    CoreQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, NativeQueuePair handle) {
        super(domain, attributes, handle);
    }

    @Override
    protected int outboundReads() {
        return outboundReads;
    }

    @Override
    public void onFailure(boolean isSend, int status) {
        if (status == CompletionStatus.FLUSHED.value()) {
            flushedSends |= isSend;
        } else if (!end().isOurs()) {
            end().fail(new PeerException("a " + (isSend ? "request" : "receive") + " failed: " + CompletionStatus.of(status).text()
                    + (CompletionTranslator.isLocalError(status) ? ", or the remote end refused its key, address or right" : "")));
            // The completion queue's lock is held: the event reader does the rest.
            device().reader().drainLater(this);
        }
    }

    @Override
    public void connect(Runnable call) {
        if (state() == QueuePairState.CLOSED || !life().handle().whileAlive(call)) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    @Override
    public void accept(Runnable call) {
        queues().whileNothingIsPosted(() -> {
            connect(call);
            becomeReady();
        });
    }

    @Override
    public void onEstablished(Connection established) {
        limitReads(established.outboundReads());
        queues().whileNothingIsPosted(() -> {
            becomeReady();
            connection = established;
            device().counters().onEstablished();
            if (end().isFinished()) {
                device().counters().onEnded(end().cause());
            }
        });
        queues().deliverEarly();
    }

    /** From now on requests can be posted. */
    final void becomeConnected() {
        queues().whileNothingIsPosted(this::becomeReady);
    }

    @Override
    public <T> Optional<T> extension(Class<T> type) {
        Connection current = connection;
        return type.isInstance(current) ? Optional.of(type.cast(current)) : Optional.empty();
    }

    /** So many Reads of ours the peer serves. */
    final void limitReads(int reads) {
        outboundReads = reads;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.COMMUNICATION_ESTABLISHED) {
            life().handle().onCommunication();
            return;
        }
        if (type == AsynchronousEvent.Type.LAST_RECEIVE_REACHED) {
            queues().onLastReceive();
        }
        AsynchronousErrors.failure(type).ifPresent(reason -> {
            if (!end().isOurs()) {
                end().fail(reason);
            }
            device().reader().drainLater(this);
        });
    }

    /** Disconnects because of a failure. */
    @Override
    public void fail(VerbsException reason) {
        end().fail(reason);
        endConnection(false);
    }

    @Override
    public void disconnect() {
        endConnection(true);
    }

    private void endConnection(boolean ours) {
        boolean canEnd = state() == QueuePairState.READY_TO_SEND || state() == QueuePairState.INIT && life().handle().endsAlone();
        if (canEnd && end().begin(ours)) {
            becomeError();
            if (life().handle().endsAlone()) {
                life().stop();
            } else {
                life().handle().disconnect();
            }
            device().reader().drainLater(this);
        }
    }

    @Override
    public void onDisconnected(int status) {
        if (status < 0 && !end().isOurs()) {
            end().fail(new PeerException("the connection ended: " + Errno.describe(-status)));
        }
        end().begin(false);
        becomeError();
        life().stop();
        device().reader().drainLater(this);
    }

    @Override
    public boolean tryDrain() {
        if (end().isFinished()) {
            return true;
        }
        if (!end().hasBegun()) {
            endConnection(false);
        }
        if (end().isOverdue()) {
            life().stop();
        }
        return life().drain(() -> {
            if (!end().isOurs() && (flushedSends || queues().sends().awaitsReport())) {
                end().fail(new PeerException("the peer ended the connection with requests of ours unfinished: it refused one (a wrong key, "
                        + "address or right, no receive, one too short), or went away"));
            }
            if (connection != null) {
                device().counters().onEnded(end().cause());
            }
        });
    }

    @Override
    public boolean isConnected() {
        return !end().isFinished();
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        return end().await(timeout);
    }

    @Override
    public Optional<ConnectionEnd> connectionEnd() {
        return end().end();
    }

    @Override
    public CompletionStage<ConnectionEnd> whenEnded() {
        return end().whenEnded();
    }

    @Override
    public String toString() {
        return "queue pair " + number() + " of " + device().name();
    }
}
