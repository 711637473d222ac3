package org.panamaverbs.softiwarp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Rollback;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.softiwarp.transport.ReadinessDescriptor;
import org.panamaverbs.spi.AbstractCompletionChannel;
import org.panamaverbs.spi.Children;

/** A completion channel, and the threads that wait for its events. */
final class SoftCompletionChannel extends AbstractCompletionChannel {
    private static final EventLoop[] NO_LOOPS = {};

    private final SoftDevice device;
    private final Children children = new Children("the completion channel");
    private final WaitPoint waiters = new WaitPoint();
    private final BooleanSupplier isPending = this::isPending;
    /** The loops of all queue pairs that complete in queues of this channel. */
    private volatile EventLoop[] loops = NO_LOOPS;
    /** Closes the descriptor. */
    private Rollback descriptors = new Rollback();
    /** {@code null} until the program asks for it: an event costs no system call before. */
    private ReadinessDescriptor descriptor;

    SoftCompletionChannel(SoftDevice device) {
        this.device = device;
    }

    @Override
    public SoftDevice device() {
        return device;
    }

    Children children() {
        return children;
    }

    /** Adds the loop of a queue pair that completes in a queue of this channel. */
    synchronized void attach(EventLoop loop) {
        if (List.of(loops).contains(loop)) {
            return;
        }
        List<EventLoop> all = new ArrayList<>(List.of(loops));
        all.add(loop);
        loops = all.toArray(NO_LOOPS);
    }

    /** A queue has a completion of which its program asked to be notified. */
    void add(CompletionQueue queue) {
        raise(queue);
    }

    /** A queue closes. */
    void remove(CompletionQueue queue) {
        forget(queue);
        children.remove(queue);
    }

    @Override
    protected void awaitChange(long nanos) {
        waiters.await(loops, isPending, nanos);
    }

    @Override
    protected void signalWaiters() {
        waiters.signal();
    }

    @Override
    public synchronized int descriptor() {
        if (!device.supports(Capability.CHANNEL_DESCRIPTOR)) {
            throw Capability.CHANNEL_DESCRIPTOR.missingOn(device);
        }
        children.check();
        if (descriptor == null) {
            try (Rollback undo = new Rollback()) {
                ReadinessDescriptor made = new ReadinessDescriptor();
                undo.add(made::close);
                watch(made::set);
                undo.add(() -> watch(null));
                descriptors = undo.commit();
                descriptor = made;
            }
        }
        return descriptor.number();
    }

    @Override
    public void close() {
        if (!children.close()) {
            return;
        }
        endClosed();
        synchronized (this) {
            descriptors.close();
        }
        device.children().remove(this);
    }
}
