package example.loopback;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.CompletionChannel;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.spi.Waits;

/** The completion queues that have raised an event, oldest first. */
final class LoopbackCompletionChannel implements CompletionChannel {
    private final Queue<LoopbackCompletionQueue> raised = new ArrayDeque<>();
    private final Condition changed = Fabric.newCondition();
    private final LoopbackDevice device;
    final Lifetime lifetime;

    LoopbackCompletionChannel(LoopbackDevice device) {
        this.device = device;
        this.lifetime = new Lifetime("a completion channel of " + device.name(), changed::signalAll, device.lifetime);
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
            lifetime.check();
            while (raised.isEmpty() && left > 0) {
                left = Waits.await(changed, left);
                lifetime.check();
            }
            if (raised.isEmpty()) {
                throw Waits.timedOut("no completion queue raised an event", timeout);
            }
            return raised.remove();
        }
    }

    @Override
    public void close() {
        lifetime.close();
    }
}
