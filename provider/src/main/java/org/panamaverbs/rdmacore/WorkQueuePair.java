package org.panamaverbs.rdmacore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.QueriedAttributes;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_qp_attr;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.rdmacore.post.SendWorkQueue;
import org.panamaverbs.rdmacore.post.WorkOwner;
import org.panamaverbs.rdmacore.probe.Quirk;
import org.panamaverbs.rdmacore.queue.CompletionStash;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.spi.AbstractQueuePair;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * A queue pair of any kind: its two work queues, its state and its life.
 *
 * <p>Both queues are kept in rings of our own beside the device's, so that depths are what was asked for, requests with MORE go out as one
 * chain, requests that the device does not flush are flushed all the same, and those that are not signalled give their places back: the
 * device reports every so many, and that report goes no further.
 *
 * <p>The order of locks: a work queue's first, then the identifier's guard or the completion queue's.
 */
// Tested by FlushFaultsTest, LeakFaultsTest, Rxe0ContractTest.
abstract class WorkQueuePair extends AbstractQueuePair implements WorkCompletionHandler, WorkOwner, Draining, EventSource {
    private final CoreProtectionDomain domain;
    private final QueuePairLife life;
    private final WorkQueues queues;
    private final SendWorkQueue sends;
    private volatile QueuePairState state;

    /**
     * Makes one that connects, of a queue pair of the device, which is destroyed if that fails. Other threads may see it before the
     * constructor of a subclass has run: its methods use no field that such a constructor sets.
     */
    WorkQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, NativeQueuePair handle) {
        super(domain, attributes);
        this.domain = domain;
        this.state = QueuePairState.INIT;
        this.life = new QueuePairLife(this, domain, attributes, handle);
        this.queues = life.queues();
        this.sends = queues.sends();
        life.attach();
    }

    /** The same for datagrams, which are at most so many bytes long. */
    WorkQueuePair(CoreProtectionDomain domain, QueuePairAttributes attributes, NativeQueuePair handle, long longest) {
        super(domain, attributes, longest);
        this.domain = domain;
        this.state = QueuePairState.READY_TO_SEND;
        this.life = new QueuePairLife(this, domain, attributes, handle);
        this.queues = life.queues();
        this.sends = queues.sends();
        life.attach();
    }

    final QueuePairLife life() {
        return life;
    }

    final WorkQueues queues() {
        return queues;
    }

    final QueuePairEnd end() {
        return life.end();
    }

    @Override
    public AsynchronousEvent.Source verbsObject() {
        return this;
    }

    @Override
    public final CoreDevice device() {
        return domain.device();
    }

    @Override
    public final CoreProtectionDomain domain() {
        return domain;
    }

    @Override
    public final long tag() {
        return life.tag();
    }

    @Override
    public final int number() {
        return life.number();
    }

    @Override
    public final QueuePairState state() {
        return state;
    }

    /** While nothing is posted. */
    final void becomeReady() {
        if (state == QueuePairState.INIT) {
            state = QueuePairState.READY_TO_SEND;
        }
    }

    final void becomeError() {
        queues.whileNothingIsPosted(() -> {
            if (state != QueuePairState.CLOSED) {
                state = QueuePairState.ERROR;
            }
        });
    }

    @Override
    protected final boolean submitReceive(ReceiveWorkRequest request) {
        return queues.receives().post(request);
    }

    @Override
    protected final boolean submit(SendWorkRequest request) {
        return sends.post(request);
    }

    @Override
    public final int sendRoom() {
        return sends.room();
    }

    @Override
    public final void ringDoorbell() {
        sends.ringDoorbell();
        queues.receives().ringDoorbell();
    }

    @Override
    public final boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
        return queues.onReport(request, completion, polled, index);
    }

    @Override
    public final void onShared(long bytes, int status) {
        queues.receives().onShared(bytes, status != 0);
        if (status != 0) {
            onFailure(false, status);
        }
    }

    @Override
    public final QueuePairStatistics statistics() {
        return queues.statistics(this instanceof DatagramQueuePair datagrams ? datagrams.headerLength() : 0);
    }

    @Override
    public QueriedAttributes query() {
        return query(CoreQueriedAttributes.DEPTHS);
    }

    /** The attributes of a mask, besides the state. */
    final CoreQueriedAttributes query(int mask) {
        QueuePairState current = state;
        int asked = device().posting().has(Quirk.HIDES_STATE) ? mask : mask | Rdma.IBV_QP_STATE();
        int[] error = new int[1];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = ibv_qp_attr.allocate(arena).fill((byte) 0);
            boolean alive = current != QueuePairState.CLOSED
                    && life.handle().whileAlive(() -> error[0] = NativeQueuePair.query(life.handle().address(), answer, asked));
            if (state == QueuePairState.CLOSED) {
                throw new ClosedException(this + " is closed");
            }
            if (!alive) {
                // At the end of its connection the device's queue pair may go before its requests are flushed.
                return CoreQueriedAttributes.of(QueriedAttributes.State.ERROR);
            }
            if (error[0] != 0) {
                throw Calls.QUERY_QP.failure("query the attributes of " + this, error[0]);
            }
            CoreQueriedAttributes queried = CoreQueriedAttributes.of(answer, asked);
            return asked == mask ? queried.withState(Optional.of(ownState(current))) : queried;
        }
    }

    private static QueriedAttributes.State ownState(QueuePairState current) {
        return switch (current) {
            case INIT -> QueriedAttributes.State.INIT;
            case READY_TO_SEND -> QueriedAttributes.State.READY_TO_SEND;
            case ERROR, CLOSED -> QueriedAttributes.State.ERROR;
        };
    }

    @Override
    public final Object attachment() {
        return attributes().attachment();
    }

    @Override
    public final Object attachment(long completion) {
        return attributes().attachment();
    }

    @Override
    public final CompletionStash early() {
        return queues.early();
    }

    @Override
    public final boolean isFinished() {
        return life.end().isFinished();
    }

    @Override
    public final void startClosing() {
        life.startClosing(this::becomeClosed);
    }

    @Override
    public final void close() {
        life.close(this::becomeClosed, this::onDestroyed);
    }

    private void becomeClosed() {
        state = QueuePairState.CLOSED;
    }

    /** The queue pair of the device is destroyed: objects that it used may go. */
    void onDestroyed() {
        // Most use none.
    }
}
