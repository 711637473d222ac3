package example.loopback;

import java.util.concurrent.locks.Condition;
import org.panamaverbs.Device;
import org.panamaverbs.spi.AbstractCompletionChannel;
import org.panamaverbs.spi.support.Waits;

/** A completion channel: its base keeps the queues and the events. */
final class LoopbackCompletionChannel extends AbstractCompletionChannel {
    private final Condition changed = Fabric.newCondition();
    private final LoopbackDevice device;

    LoopbackCompletionChannel(LoopbackDevice device) {
        super(device.children);
        this.device = device;
        device.children.add(this);
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    protected void awaitChange(long nanos) {
        long left = nanos;
        try (var _ = Fabric.enter()) {
            while (!isPending() && left > 0) {
                left = Waits.await(changed, left);
            }
        }
    }

    @Override
    protected void signalWaiters() {
        try (var _ = Fabric.enter()) {
            changed.signalAll();
        }
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            super.close();
        }
    }
}
