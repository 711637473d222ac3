package org.panamaverbs.softiwarp;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.panamaverbs.Capability;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WaitPoint;
import org.panamaverbs.softiwarp.transport.ReadinessDescriptor;
import org.panamaverbs.spi.AbstractCompletionChannel;
import org.panamaverbs.spi.support.Rollback;

/** A completion channel, and the threads that wait for its events. */
final class SoftCompletionChannel extends AbstractCompletionChannel {
    private static final EventLoop[] NO_LOOPS = {};

    private final SoftDevice device;
    private final WaitPoint waiters = new WaitPoint();
    private final BooleanSupplier isPending = this::isPending;
    /** The loops of all queue pairs that complete in queues of this channel. */
    private volatile EventLoop[] loops = NO_LOOPS;

    SoftCompletionChannel(SoftDevice device) {
        super(device.children());
        this.device = device;
    }

    @Override
    public SoftDevice device() {
        return device;
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

    @Override
    protected void awaitChange(long nanos) {
        waiters.await(loops, isPending, nanos);
    }

    @Override
    protected void signalWaiters() {
        waiters.signal();
    }

    /** An event costs no system call before the program asks for it. */
    @Override
    protected int openDescriptor(Rollback undo) {
        if (!device.supports(Capability.CHANNEL_DESCRIPTOR)) {
            return super.openDescriptor(undo);
        }
        ReadinessDescriptor readiness = new ReadinessDescriptor();
        undo.add(readiness::close);
        watch(readiness::set);
        return readiness.number();
    }
}
