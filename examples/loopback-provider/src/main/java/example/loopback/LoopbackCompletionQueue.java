package example.loopback;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.Condition;
import org.panamaverbs.AsynchronousEvent;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Device;
import org.panamaverbs.ResourceException;
import org.panamaverbs.spi.AbstractCompletionQueue;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.support.Waits;

/** A ring of completions, laid out as a poll gives them to the program. */
final class LoopbackCompletionQueue extends AbstractCompletionQueue {
    private enum Notification {
        NONE, SOLICITED, ALL
    }

    private final LoopbackDevice device;
    private final LoopbackCompletionChannel channel;
    private final int capacity;
    private final MemorySegment ring;
    private final Object[] attachments;
    private final Condition changed = Fabric.newCondition();
    /** The queue pairs that use it. */
    final Children children;
    private final Children owner;

    private int first;
    private int count;
    private long polled;
    private boolean overrun;
    private Notification wanted = Notification.NONE;

    LoopbackCompletionQueue(LoopbackDevice device, CompletionQueueAttributes attributes) {
        super(attributes);
        this.device = device;
        this.channel = (LoopbackCompletionChannel) attributes.channel();
        this.capacity = attributes.entries();
        this.ring = MemorySegment.ofArray(new long[Math.toIntExact(capacity * CompletionBuffer.SIZE / Long.BYTES)]);
        this.attachments = new Object[capacity];
        this.children = new Children(toString());
        this.owner = channel == null ? device.children : channel.children();
        owner.add(this);
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public int capacity() {
        return capacity;
    }

    /** Adds a completion. If there is no room, the queue breaks, and the queue pairs that use it fail. */
    void add(LoopbackQueuePair queuePair, long id, CompletionStatus status, CompletionOpcode opcode, long length, boolean solicited) {
        if (overrun) {
            return;
        }
        if (count == capacity) {
            overrun = true;
            changed.signalAll();
            device.publish(AsynchronousEvent.Type.COMPLETION_QUEUE_ERROR, this);
            ResourceException failure = overrun();
            children.open().forEach(user -> ((LoopbackQueuePair) user).fail(failure));
            return;
        }
        int place = (first + count++) % capacity;
        long base = place * CompletionBuffer.SIZE;
        ring.set(ValueLayout.JAVA_LONG, base + CompletionBuffer.ID, id);
        ring.set(ValueLayout.JAVA_INT, base + CompletionBuffer.STATUS, status.value());
        ring.set(ValueLayout.JAVA_INT, base + CompletionBuffer.OPCODE, opcode.value());
        ring.set(ValueLayout.JAVA_INT, base + CompletionBuffer.BYTE_LENGTH, (int) length);
        ring.set(ValueLayout.JAVA_INT, base + CompletionBuffer.QUEUE_PAIR, queuePair.number());
        attachments[place] = queuePair.attributes().attachment();
        changed.signal();
        if (wanted == Notification.ALL || wanted == Notification.SOLICITED && (solicited || status != CompletionStatus.SUCCESS)) {
            wanted = Notification.NONE;
            channel.raise(this);
        }
    }

    private ResourceException overrun() {
        return new ResourceException(this + " of " + capacity + " entries overran: make it as large as the queues that complete in it");
    }

    @Override
    protected int takeAvailable(CompletionBuffer into) {
        try (var _ = Fabric.enter()) {
            return take(into);
        }
    }

    private int take(CompletionBuffer into) {
        children.check();
        if (overrun) {
            throw overrun();
        }
        int taken = Math.min(count, into.capacity());
        for (int i = 0; i < taken; i++) {
            MemorySegment.copy(ring, first * CompletionBuffer.SIZE, into.memory(), i * CompletionBuffer.SIZE, CompletionBuffer.SIZE);
            into.attach(i, attachments[first]);
            attachments[first] = null;
            first = (first + 1) % capacity;
        }
        count -= taken;
        polled += taken;
        into.filled(taken);
        return taken;
    }

    @Override
    protected int awaitAvailable(CompletionBuffer into, long nanos, boolean wakeable) {
        try (var _ = Fabric.enter()) {
            long left = nanos;
            int taken = take(into);
            while (taken == 0 && !(wakeable && consumeWakeup()) && left > 0) {
                left = Waits.await(changed, left);
                taken = take(into);
            }
            return taken;
        }
    }

    @Override
    protected long added() {
        try (var _ = Fabric.enter()) {
            return polled + count;
        }
    }

    @Override
    protected long polled() {
        try (var _ = Fabric.enter()) {
            return polled;
        }
    }

    @Override
    protected void signalWaiters() {
        try (var _ = Fabric.enter()) {
            changed.signalAll();
        }
    }

    @Override
    public void requestNotification(boolean solicitedOnly) {
        if (channel == null) {
            throw new IllegalStateException(this + " was made without a channel: see CompletionQueueAttributes.withChannel");
        }
        try (var _ = Fabric.enter()) {
            children.check();
            wanted = solicitedOnly && wanted != Notification.ALL ? Notification.SOLICITED : Notification.ALL;
        }
    }

    @Override
    public void close() {
        try (var _ = Fabric.enter()) {
            if (children.close()) {
                owner.remove(this);
                if (channel != null) {
                    channel.remove(this);
                }
                changed.signalAll();
            }
        }
    }

    @Override
    public String toString() {
        return "a completion queue of " + device.name();
    }
}
