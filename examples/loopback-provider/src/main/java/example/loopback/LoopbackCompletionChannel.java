package example.loopback;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.spi.Children;
import org.panamaverbs.spi.Waits;

/** The completion queues that have raised an event, oldest first. */
final class LoopbackCompletionChannel implements CompletionChannel {
    private final Queue<LoopbackCompletionQueue> raised = new ArrayDeque<>();
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

    void raise(LoopbackCompletionQueue queue) {
        raised.add(queue);
        changed.signal();
    }

    /** Forgets a queue that closes. */
    void forget(LoopbackCompletionQueue queue) {
        raised.removeIf(other -> other == queue);
    }

    @Override
    public CompletionQueue await(Duration timeout) {
        long left = Waits.nanos(timeout);
        try (var _ = Fabric.enter()) {
            children.check();
            while (raised.isEmpty() && left > 0) {
                left = Waits.await(changed, left);
                children.check();
            }
            if (raised.isEmpty()) {
                throw Waits.timedOut("no completion queue raised an event", timeout);
            }
            return raised.remove();
        }
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                device.children.remove(this);
                changed.signalAll();
            }
        }
    }
}
