package org.panamaverbs.rdmacore;

import java.util.concurrent.locks.LockSupport;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.bindings.rdma.ibv_qp;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.rdmacore.event.LiveObjects;
import org.panamaverbs.rdmacore.lifecycle.Closing;
import org.panamaverbs.rdmacore.lifecycle.QueuePairEnd;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.support.Rollback;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a native queue pair of any kind. At its end the device is to flush it, the rest is flushed here, and it is destroyed. No
 * request completes while the device may still use its memory.
 */
// Tested by LeakFaultsTest, FlushFaultsTest.
final class QueuePairLife {
    private static final Logger LOG = LoggerFactory.getLogger(QueuePairLife.class);
    private static final long PAUSE_NANOS = 500_000;

    private final WorkQueuePair owner;
    private final CoreDevice device;
    private final NativeQueuePair handle;
    private final int number;
    private final long tag;
    private final WorkQueues queues;
    private final QueuePairEnd end;
    private final Closing closing = new Closing();
    /** Whether the device refused to put it into error. */
    private volatile boolean unstopped;

    /** Makes the work queues of a queue pair of the device, which is destroyed if that fails. */
    QueuePairLife(WorkQueuePair owner, CoreProtectionDomain domain, QueuePairAttributes attributes, NativeQueuePair handle) {
        this.owner = owner;
        this.device = domain.device();
        this.handle = handle;
        this.number = ibv_qp.qp_num(handle.address());
        try (Rollback undo = new Rollback()) {
            undo.add(handle::destroy);
            // Throws if the system has no thread for what follows the end.
            this.end = new QueuePairEnd();
            AbstractCompletionQueue.admit(attributes);
            undo.add(() -> AbstractCompletionQueue.release(attributes));
            this.tag = device.wrIds().reserve();
            undo.add(() -> device.wrIds().remove(tag));
            this.queues = new WorkQueues(owner, domain, handle.address(), attributes, tag);
            undo.commit();
        }
    }

    /** From now on the device's events find the owner, and its parents may close it. If this fails, the owner is closed. */
    void attach() {
        try (Rollback undo = new Rollback()) {
            undo.add(owner::close);
            device.wrIds().publish(owner);
            LiveObjects.add(handle.address(), owner);
            // The others have no connection to find.
            queues.attach(!handle.endsAlone());
            undo.commit();
        }
    }

    NativeQueuePair handle() {
        return handle;
    }

    int number() {
        return number;
    }

    /** The tag that its requests carry. */
    long tag() {
        return tag;
    }

    WorkQueues queues() {
        return queues;
    }

    QueuePairEnd end() {
        return end;
    }

    /** The device flushes its requests. */
    void stop() {
        int error = handle.stop();
        if (error != 0 && !unstopped) {
            unstopped = true;
            LOG.warn("{} does not become an error ({}): it is destroyed before its requests are flushed", owner, Errno.describe(error));
        }
        end.see();
    }

    /**
     * Flushes the requests that are left, once the device will report nothing more.
     *
     * @param beforeFlush a step that comes first, while nothing is posted
     * @return whether it is done
     */
    boolean drain(Runnable beforeFlush) {
        if (!end.isSeen() || !queues.isSilent(end)) {
            return false;
        }
        if (unstopped || queues.awaitsReport()) {
            // Its requests may still be under way: a flushed one must not be, since the program then uses its memory again.
            destroy();
        }
        queues.whileNothingIsPosted(() -> {
            // Another thread may have finished, and given back the memory of the requests since.
            if (!end.isFinished()) {
                beforeFlush.run();
                queues.flush();
                end.finish();
            }
        });
        return true;
    }

    /**
     * Closes the queue pair, once; every thread returns when that is done.
     *
     * @param becomeClosed sets the state, while nothing is posted
     * @param afterDestroy gives back the objects that the native queue pair used
     */
    void close(Runnable becomeClosed, Runnable afterDestroy) {
        closing.once(() -> drainAll(becomeClosed), () -> destroyAll(afterDestroy));
    }

    /** Takes the steps of {@link #close} that need no wait; they may be taken again. */
    void startClosing(Runnable becomeClosed) {
        handle.wake("the queue pair was closed");
        end.begin(true);
        queues.whileNothingIsPosted(becomeClosed);
        stop();
    }

    private void drainAll(Runnable becomeClosed) {
        startClosing(becomeClosed);
        while (!owner.tryDrain()) {
            LockSupport.parkNanos(PAUSE_NANOS);
        }
    }

    private void destroyAll(Runnable afterDestroy) {
        destroy();
        afterDestroy.run();
        LiveObjects.remove(handle.address(), owner);
        device.wrIds().remove(tag);
        queues.detach();
        queues.free();
        AbstractCompletionQueue.release(owner.attributes());
        handle.release();
    }

    /** Once; no lock is held, since the call waits until all its events are acknowledged. */
    private void destroy() {
        queues.forgetNumber();
        queues.sends().release();
        handle.destroy();
    }
}
