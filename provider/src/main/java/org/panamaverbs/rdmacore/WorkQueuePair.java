package org.panamaverbs.rdmacore;

import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.rdmacore.event.EventSource;
import org.panamaverbs.rdmacore.lifecycle.Draining;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.rdmacore.post.SendWorkQueue;
import org.panamaverbs.rdmacore.post.WorkOwner;
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
    public final boolean onReport(long request, CompletionBuffer polled, int index) {
        return queues.onReport(request, polled, index);
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
        return queues.statistics(this instanceof DatagramQueuePair ? DatagramQueuePair.HEADER_LENGTH : 0);
    }

    @Override
    public final Object attachment() {
        return attributes().attachment();
    }

    @Override
    public final Object attachment(CompletionBuffer polled, int index) {
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
    public final void close() {
        life.close(() -> state = QueuePairState.CLOSED, this::onDestroyed);
    }

    /** The queue pair of the device is destroyed: objects that it used may go. */
    void onDestroyed() {
        // Most use none.
    }
}
