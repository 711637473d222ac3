package org.panamaverbs.rdmacore;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.Access;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.cm.ConnectedQueuePair;
import org.panamaverbs.rdmacore.event.AsynchronousErrors;
import org.panamaverbs.rdmacore.lifecycle.KeepAlive;
import org.panamaverbs.rdmacore.post.CompletionTranslator;
import org.panamaverbs.rdmacore.probe.RateLimits;
import org.panamaverbs.spi.ObjectChecks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A queue pair that is connected, and its connection's end(). */
// Tested by FlushFaultsTest, LeakFaultsTest, Rxe0ContractTest.
class CoreQueuePair extends WorkQueuePair implements ConnectedQueuePair {
    private static final Logger LOG = LoggerFactory.getLogger(CoreQueuePair.class);

    private volatile int outboundReads = Integer.MAX_VALUE;
    private volatile boolean flushedSends;
    /** {@code null} until it is there; the device counts it from then on. Changes while nothing is posted. */
    private volatile Connection connection;

    static CoreQueuePair create(CoreProtectionDomain domain, QueuePairAttributes attributes, CmIdentifier identifier) {
        ObjectChecks.queuePair(domain.device(), domain, attributes);
        CoreQueuePair queuePair = domain.device().lifetime().creating(() -> {
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
            // The reason of a flushed receive may be a request that failed, in the other completion queue.
            if (isSend) {
                onFlushedSend();
            }
        } else {
            onFailure(status, "a " + (isSend ? "request" : "receive") + " failed: " + CompletionStatus.of(status).text()
                    + (CompletionTranslator.isLocalError(status) ? ", or the remote end refused its key, address or right" : ""));
        }
    }

    private void onFlushedSend() {
        flushedSends = true;
        awaitReason();
    }

    private void awaitReason() {
        if (state() == QueuePairState.READY_TO_SEND && end().seeFlush()) {
            device().reader().drainLater(this);
        }
    }

    @Override
    public void onUnanswered(int status) {
        if (status == CompletionStatus.FLUSHED.value()) {
            awaitReason();
        } else {
            onFailure(status, "the peer answered nothing on an idle connection: " + CompletionStatus.of(status).text() + " (setting "
                    + KeepAlive.SETTING.name() + ")");
        }
    }

    private void onFailure(int status, String reason) {
        if (!end().isOurs()) {
            end().fail(new PeerException(reason),
                    status == CompletionStatus.RETRY_EXCEEDED.value() ? ConnectionEnd.Cause.LOST : ConnectionEnd.Cause.REMOTE_ERROR);
            // The completion queue's lock is held: the event reader does the rest.
            device().reader().drainLater(this);
        }
    }

    @Override
    public boolean onRefused(boolean isSend) {
        // Its end comes by an event. On iWARP an orderly end leads back to INIT, where receives can be posted.
        int current = life().handle().state();
        boolean ends = isSend ? current != Rdma.IBV_QPS_RTS() : current > Rdma.IBV_QPS_RTS();
        if (ends && isSend) {
            onFlushedSend();
        }
        return ends;
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
    public void delayUnreceived(Duration delay) {
        if (device().supports(Capability.RECEIVER_NOT_READY)) {
            life().handle().whileAlive(() -> setDelay(delay));
        }
    }

    /** The kernel's connection manager leaves code 0 there, which is 655.36 ms. */
    private void setDelay(Duration delay) {
        int error = ConnectedChanges.setDelay(life().handle(), delay);
        if (error != 0 && life().handle().state() == Rdma.IBV_QPS_RTS()) {
            LOG.warn("{} keeps its RNR timer of 655.36 ms: ibv_modify_qp: {}", this, Errno.describe(error));
        }
    }

    @Override
    public final QueriedAttributes query() {
        if (!device().isIwarp()) {
            return query(CoreQueriedAttributes.DEPTHS | CoreQueriedAttributes.PATH);
        }
        CoreQueriedAttributes queried = query(CoreQueriedAttributes.DEPTHS);
        Connection established = connection;
        return established == null ? queried : queried.withReads(established.inboundReads(), established.outboundReads());
    }

    @Override
    public final void modifyReceiverNotReadyDelay(Duration delay) {
        device().require(Capability.RECEIVER_NOT_READY);
        Duration checked = ConnectionParameters.defaults().withReceiverNotReadyDelay(delay).receiverNotReadyDelay();
        ConnectedChanges.modifyDelay(this, checked);
    }

    @Override
    public final void modifyRights(Set<Access> rights) {
        device().require(Capability.MODIFY_RIGHTS);
        ConnectedChanges.modifyRights(this, PeerRights.of(device(), rights));
    }

    @Override
    public final void modifyRateLimit(long kilobits) {
        RateLimits limits = device().rateLimits().orElseThrow(() -> Capability.RATE_LIMIT.missingOn(device()));
        if (!limits.contains(kilobits)) {
            throw new IllegalArgumentException(
                    "device " + device().name() + " limits rates to " + limits + ", or not at all (0), and not to " + kilobits);
        }
        ConnectedChanges.modifyRate(this, (int) kilobits);
    }

    @Override
    public void onEstablished(Connection established, boolean initiator) {
        limitReads(established.outboundReads());
        device().posting().keepAlive().add(queues().sends());
        queues().whileNothingIsPosted(() -> {
            becomeReady();
            connection = established;
            device().counters().onEstablished(established, initiator, false);
            if (end().isFinished()) {
                device().counters().onEnded(connection, end().describe());
            }
        });
        queues().deliverEarly();
    }

    /** From now on requests can be posted. */
    final void becomeConnected() {
        queues().whileNothingIsPosted(this::becomeReady);
    }

    @Override
    void onDestroyed() {
        device().posting().keepAlive().remove(queues().sends());
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
            if (end().awaitsReason()) {
                return false;
            }
            if (end().isFlushed()) {
                // A completion that the program has not polled says more.
                queues().drain();
                end().fail(new SystemException(device() + " flushed or refused requests without an event that says why", Libc.EIO()));
            }
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
                device().counters().onEnded(connection, end().describe());
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
