package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.QueuePairStatistics;
import org.panamaverbs.Rollback;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.cm.CmIdentifier;
import org.panamaverbs.rdmacore.cm.ConnectedQueuePair;
import org.panamaverbs.rdmacore.event.AsynchronousErrors;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.rdmacore.post.CompletionTranslator;
import org.panamaverbs.rdmacore.post.SendWorkQueue;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.spi.AbstractQueuePair;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.ObjectChecks;
import org.panamaverbs.spi.WorkRequest;

/**
 * A queue pair that is connected: its two work queues, its connection's end, and its own.
 *
 * <p>Both queues are kept in rings of our own beside the device's, so that depths are what was asked for, requests with MORE go out as one
 * chain, requests that the device does not flush are flushed all the same, and those that are not signalled give their places back: the
 * device reports every so many, and that report goes no further.
 *
 * <p>The order of locks: a work queue's first, then the identifier's guard or the completion queue's.
 */
// Tested by FlushFaultsTest, LeakFaultsTest, Rxe0ContractTest.
class CoreQueuePair extends AbstractQueuePair implements ConnectedQueuePair, WorkCompletionHandler, WorkOwner, Draining, EventSource {
    private final CoreProtectionDomain domain;
    private final CoreDevice device;
    private final NativeQueuePair handle;
    private final MemorySegment address;
    private final int number;
    private final long tag;
    private final WorkQueues queues;
    private final SendWorkQueue sends;
    private final QueuePairEnd end = new QueuePairEnd();
    private volatile QueuePairState state = QueuePairState.INIT;
    private volatile int outboundReads = Integer.MAX_VALUE;
    private final Teardown<CoreQueuePair> teardown;
    private volatile boolean flushedSends;

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
        super(domain, attributes);
        this.domain = domain;
        this.device = domain.device();
        this.handle = handle;
        this.address = handle.address();
        this.number = ibv_qp.qp_num(address);
        try (Rollback undo = new Rollback()) {
            undo.add(handle::destroy);
            this.tag = device.wrIds().add(this);
            undo.add(() -> device.wrIds().remove(this));
            this.queues = new WorkQueues(this, domain, address, attributes, tag);
            this.sends = queues.sends();
            this.teardown = new Teardown<>(this, device, handle, queues, end);
            undo.commit();
            // From here on, its parents may close it.
            undo.add(this::close);
            LiveObjects.add(address, this);
            queues.attach();
            undo.commit();
        }
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    @Override
    public long tag() {
        return tag;
    }

    @Override
    public CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public QueuePairState state() {
        return state;
    }

    @Override
    protected boolean submitReceive(long id, MemoryRegion region, long offset, long length) {
        return queues.receives().post(id, region, offset, length);
    }

    @Override
    protected boolean submitReceive(long id, ScatterGatherList list) {
        return queues.receives().post(id, list);
    }

    @Override
    protected int submitReceives(long[] ids, ScatterGatherList list) {
        return queues.receives().post(ids, list);
    }

    @Override
    protected int outboundReads() {
        return outboundReads;
    }

    @Override
    protected boolean submit(WorkRequest request) {
        return sends.post(request);
    }

    @Override
    public int sendRoom() {
        return sends.room();
    }

    @Override
    public void ringDoorbell() {
        sends.ringDoorbell();
    }

    @Override
    public boolean onReport(long request, CompletionBuffer polled, int index) {
        return queues.onReport(request, polled, index);
    }

    @Override
    public Object attachment() {
        return attributes().attachment();
    }

    @Override
    public Object attachment(CompletionBuffer polled, int index) {
        return attributes().attachment();
    }

    @Override
    public void onFailure(boolean isSend, int status) {
        if (status == CompletionStatus.FLUSHED.value()) {
            flushedSends |= isSend;
        } else if (!end.isOurs()) {
            end.fail(new PeerException("a " + (isSend ? "request" : "receive") + " failed: "
                    + CompletionStatus.of(status).text()
                    + (CompletionTranslator.isLocalError(status) ? ", or the remote end refused its key, address or right" : "")));
            // The completion queue's lock is held: the event reader does the rest.
            device.reader().drainLater(this);
        }
    }

    @Override
    public void connect(Runnable call) {
        if (state == QueuePairState.CLOSED || !handle.whileAlive(call)) {
            throw new ClosedException("the queue pair is closed");
        }
    }

    @Override
    public void accept(Runnable call) {
        queues.whileNothingIsPosted(() -> {
            connect(call);
            becomeReady();
        });
    }

    @Override
    public void onEstablished() {
        queues.whileNothingIsPosted(this::becomeReady);
    }

    /** While nothing is posted. */
    private void becomeReady() {
        if (state == QueuePairState.INIT) {
            state = QueuePairState.READY_TO_SEND;
        }
    }

    @Override
    public void agreedOn(int reads) {
        outboundReads = reads;
    }

    @Override
    public void onAsynchronous(AsynchronousEvent.Type type) {
        if (type == AsynchronousEvent.Type.COMMUNICATION_ESTABLISHED) {
            handle.onCommunication();
            return;
        }
        if (type == AsynchronousEvent.Type.LAST_RECEIVE_REACHED) {
            queues.onLastReceive();
        }
        AsynchronousErrors.failure(type).ifPresent(reason -> {
            if (!end.isOurs()) {
                end.fail(reason);
            }
            device.reader().drainLater(this);
        });
    }

    /** Disconnects because of a failure. */
    @Override
    public void fail(VerbsException reason) {
        end.fail(reason);
        endConnection(false);
    }

    @Override
    public void disconnect() {
        endConnection(true);
    }

    private void endConnection(boolean ours) {
        boolean canEnd = state == QueuePairState.READY_TO_SEND || state == QueuePairState.INIT && handle.endsAlone();
        if (canEnd && end.begin(ours)) {
            becomeError();
            if (handle.endsAlone()) {
                teardown.stop();
            } else {
                handle.disconnect();
            }
            device.reader().drainLater(this);
        }
    }

    private void becomeError() {
        queues.whileNothingIsPosted(() -> {
            if (state != QueuePairState.CLOSED) {
                state = QueuePairState.ERROR;
            }
        });
    }

    @Override
    public void onDisconnected(int status) {
        if (status < 0 && !end.isOurs()) {
            end.fail(new PeerException("the connection ended: " + Errno.describe(-status)));
        }
        end.begin(false);
        becomeError();
        teardown.stop();
        device.reader().drainLater(this);
    }

    @Override
    public boolean tryDrain() {
        if (end.isFinished()) {
            return true;
        }
        if (!end.hasBegun()) {
            endConnection(false);
        }
        if (end.isOverdue()) {
            teardown.stop();
        }
        return teardown.drain(() -> {
            if (!end.isOurs() && (flushedSends || sends.awaitsReport())) {
                end.fail(new PeerException("the peer ended the connection with requests of ours unfinished: it refused one (a wrong key, "
                        + "address or right, no receive, one too short), or went away"));
            }
        });
    }

    @Override
    public boolean isFinished() {
        return end.isFinished();
    }

    @Override
    public boolean isConnected() {
        return !end.isFinished();
    }

    @Override
    public boolean awaitDisconnected(Duration timeout) {
        return end.await(timeout);
    }

    @Override
    public Optional<ConnectionEnd> connectionEnd() {
        return end.end();
    }

    @Override
    public CompletionStage<ConnectionEnd> whenEnded() {
        return end.whenEnded();
    }

    @Override
    public QueuePairStatistics statistics() {
        throw new UnsupportedVerbException("device " + device.name() + " does not count what its queue pairs place");
    }

    @Override
    public void close() {
        teardown.close(() -> state = QueuePairState.CLOSED, () -> {
            // Nothing else was made for it.
        });
    }

    @Override
    public String toString() {
        return "queue pair " + number + " of " + device.name();
    }
}
