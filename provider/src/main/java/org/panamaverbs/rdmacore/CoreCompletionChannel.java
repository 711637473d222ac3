package org.panamaverbs.rdmacore;

import org.panamaverbs.CompletionQueue;
import org.panamaverbs.posix.EventDescriptor;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.rdmacore.event.WatchedQueue;
import org.panamaverbs.rdmacore.ffi.EpollSet;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailureListener;
import org.panamaverbs.spi.AbstractCompletionChannel;
import org.panamaverbs.spi.BusyPoll;
import org.panamaverbs.spi.support.Rollback;

/**
 * A completion channel: a native one, and the threads that read its events. The device raises no event of requests that the provider itself
 * flushes, so their queues raise one here.
 */
final class CoreCompletionChannel extends AbstractCompletionChannel implements DeviceFailureListener {
    private final CoreDevice device;
    private final EventChannel events;
    private final BusyPoll busyPoll;

    CoreCompletionChannel(CoreDevice device) {
        super(device.children());
        this.device = device;
        this.events = device.openEventChannel();
        this.busyPoll = device.busyPoll();
    }

    @Override
    public CoreDevice device() {
        return device;
    }

    EventChannel events() {
        return events;
    }

    @Override
    public void onDeviceFailure(DeviceFailure reason) {
        children().open().forEach(queue -> ((CoreCompletionQueue) queue).onDeviceFailure(reason));
        if (!children().isClosed()) {
            end(reason::exception);
        }
    }

    @Override
    protected CompletionQueue takeFromDevice() {
        for (WatchedQueue queue = events.next(); queue != null; queue = events.next()) {
            CoreCompletionQueue own = (CoreCompletionQueue) queue;
            if (own.takesNotification()) {
                return own;
            }
        }
        return null;
    }

    @Override
    protected void awaitChange(long nanos) {
        long seen = events.signals();
        if (!isPending() && !busyPoll(nanos)) {
            events.await(seen, nanos);
        }
    }

    /** Whether it found an event, which is raised. */
    private boolean busyPoll(long limit) {
        long nanos = Thread.currentThread().isVirtual() ? 0 : busyPoll.nanos(limit);
        if (nanos == 0) {
            return false;
        }
        long start = System.nanoTime();
        do {
            CompletionQueue queue = takeFromDevice();
            if (queue != null) {
                raise(queue);
            }
            if (isPending()) {
                busyPoll.onFound();
                return true;
            }
        } while (System.nanoTime() - start < nanos);
        busyPoll.onEmpty();
        return false;
    }

    @Override
    protected void signalWaiters() {
        events.signal();
    }

    /** Contains the device's descriptor and that of events raised here. */
    @Override
    protected int openDescriptor(Rollback undo) {
        EventDescriptor raised = EventDescriptor.open(error -> EpollSet.failure("eventfd", error));
        undo.add(raised::close);
        EpollSet both = new EpollSet();
        undo.add(both::close);
        both.add(events.descriptor());
        both.add(raised.number());
        watch(raised::set);
        return both.number();
    }

    @Override
    protected void release() {
        events.close();
    }
}
