package org.panamaverbs.softiwarp;

import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.ClosedException;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.Origin;
import org.panamaverbs.softiwarp.queue.Receives;
import org.panamaverbs.softiwarp.queue.SharedReceiveRing;
import org.panamaverbs.spi.AbstractSharedReceiveQueue;
import org.panamaverbs.spi.ReceiveWorkRequest;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Complaints;

/** A shared receive queue: receives that queue pairs of one domain share. */
final class SoftSharedReceiveQueue extends AbstractSharedReceiveQueue {
    private final SoftProtectionDomain domain;
    /** The most receives that one queue pair may hold. */
    private final int share;
    private final SharedReceiveRing ring;
    private final SoftReceivePosting posting;
    private final Complaints complaints = new Complaints(SoftSharedReceiveQueue.class);
    private final Children queuePairs = new Children("the shared receive queue");
    private volatile boolean closed;

    SoftSharedReceiveQueue(SoftProtectionDomain domain, int depth, int elements) {
        super(domain, within("depth", depth, SoftDevice.MAXIMUM_WORK_REQUESTS), within("elements", elements, SoftDevice.MAXIMUM_ELEMENTS));
        this.domain = domain;
        this.share = domain.device().settings().share(depth);
        this.ring = new SharedReceiveRing(depth, elements, share, this::onLimit, this::onExcess);
        this.posting = new SoftReceivePosting(ring);
    }

    private static int within(String name, int value, int most) {
        if (value < 1 || value > most) {
            throw new IllegalArgumentException(name + " is " + value + "; for a shared receive queue it is 1 to " + most);
        }
        return value;
    }

    private void onLimit() {
        domain.device().events().publish(new AsynchronousEvent(AsynchronousEvent.Type.SHARED_RECEIVE_QUEUE_LIMIT_REACHED, this, 0));
    }

    /** A peer needs more receives than its share (RFC 5042, 6.4.3.1): its connection ends with a Terminate, as if the queue were empty. */
    private void onExcess(int queuePair) {
        complaints.warn(
                "queue pair {} holds its share of a shared receive queue, {} receives, and its peer wants another: its connection ends. "
                        + "If the peer may have more, post receives sooner, or raise panamaverbs.softiwarp.shared-receive-share",
                queuePair, share);
    }

    /** Lets a queue pair take its receives from this queue. */
    Receives attach(SoftQueuePair queuePair, CompletionRing completions, Origin origin) {
        queuePairs.add(queuePair);
        return ring.forStream(completions, origin);
    }

    void detach(SoftQueuePair queuePair) {
        queuePairs.remove(queuePair);
    }

    @Override
    public SoftProtectionDomain domain() {
        return domain;
    }

    private void checkOpen() {
        if (closed) {
            throw new ClosedException("the shared receive queue is closed");
        }
    }

    @Override
    protected boolean submitReceive(ReceiveWorkRequest request) {
        checkOpen();
        return posting.post(request);
    }

    @Override
    public void armLimit(int receives) {
        checkOpen();
        if (receives < 0 || receives > depth()) {
            throw new IllegalArgumentException(
                    "the limit of a shared receive queue of " + depth() + " is 0 to " + depth() + ", not " + receives);
        }
        ring.armLimit(receives);
    }

    @Override
    public String toString() {
        return "a shared receive queue of " + depth() + " receives of " + domain.device().name();
    }

    @Override
    public void close() {
        queuePairs.close();
        closed = true;
        domain.receiveQueues().remove(this);
    }
}
