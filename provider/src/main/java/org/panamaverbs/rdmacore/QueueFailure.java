package org.panamaverbs.rdmacore;

import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.rdmacore.lifecycle.DeviceFailure;

/** Why a completion queue may have lost completions, or brings no more of them. Under the queue's lock. Each caller gets an exception of its own. */
final class QueueFailure {
    private final IntSupplier capacity;
    private final String device;
    private Supplier<VerbsException> loss;
    private boolean overran;
    private DeviceFailure ofDevice;

    /**
     * @param capacity of the queue
     * @param device   its name
     */
    QueueFailure(IntSupplier capacity, String device) {
        this.capacity = capacity;
        this.device = device;
    }

    private String name() {
        return "the completion queue of " + capacity.getAsInt() + " entries";
    }

    /** A poll failed; with what was thrown, or {@code null}. Memory may be short: the text is put together when a caller gets it. */
    void onPoll(String how, Throwable thrown) {
        if (loss == null) {
            loss = () -> ofPoll(how, thrown);
        }
    }

    private SystemException ofPoll(String how, Throwable thrown) {
        String reason = thrown == null ? how : how + " (" + thrown + ")";
        return new SystemException(
                "cannot poll " + name() + " of " + device + ": " + reason + "; completions may be lost, and its queue pairs are closed",
                Libc.EIO(), thrown);
    }

    /** The device had no room for a completion; gives the reason that its queue pairs end. */
    Supplier<VerbsException> onOverrun() {
        Supplier<VerbsException> reason = () -> new ResourceException(name() + " overran, and its queue pairs are closed: make it as large "
                + "as all queues together that complete in it, or poll more often");
        loss = loss == null ? reason : loss;
        overran = true;
        return reason;
    }

    void onDevice(DeviceFailure failure) {
        ofDevice = failure;
    }

    boolean hasOverrun() {
        return overran;
    }

    /** Why completions may be lost, or {@code null}. */
    Supplier<VerbsException> loss() {
        return loss;
    }

    /** How the device failed, or {@code null}. */
    DeviceFailure ofDevice() {
        return ofDevice;
    }
}
