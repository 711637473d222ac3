package example.loopback;

import java.util.concurrent.locks.Condition;
import org.panamaverbs.Device;
import org.panamaverbs.spi.AbstractCompletionChannel;
import org.panamaverbs.spi.Children;
import org.panamaverbs.spi.Waits;

/** A completion channel: its base keeps the events. */
final class LoopbackCompletionChannel extends AbstractCompletionChannel {
    private final Condition changed = Fabric.newCondition();
    private final LoopbackDevice device;
    final Children children;

    LoopbackCompletionChannel(LoopbackDevice device) {
        this.device = device;
        this.children = new Children("a completion channel of " + device.name());
        device.children.add(this);
    }

    @Override
    public Device device() {
        return device;
    }

    void add(LoopbackCompletionQueue queue) {
        raise(queue);
    }

    void remove(LoopbackCompletionQueue queue) {
        forget(queue);
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
            if (children.close()) {
                endClosed();
                device.children.remove(this);
            }
        }
    }
}
