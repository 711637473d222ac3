package org.panamaverbs.rdmacore;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.rdmacore.event.EventChannel;
import org.panamaverbs.rdmacore.ffi.Calls;
import org.panamaverbs.rdmacore.queue.ExtendedQueue;
import org.panamaverbs.rdmacore.queue.PlainQueue;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;

/** Makes completion queues. A queue that reports to no channel has an event channel of its own, for threads that wait for its completions. */
final class CompletionQueueFactory {
    private CompletionQueueFactory() {
    }

    static CompletionQueue create(CoreDevice device, CompletionQueueAttributes wanted) {
        CoreCompletionChannel channel = (CoreCompletionChannel) wanted.channel();
        Children parent = channel == null ? device.children() : channel.children();
        parent.check();
        try (Rollback undo = new Rollback()) {
            EventChannel events = channel == null ? device.openEventChannel() : channel.events();
            if (channel == null) {
                undo.add(events::close);
            }
            PolledQueue queue = polledQueue(device, wanted, events.address());
            undo.add(() -> Calls.DESTROY_CQ.attempt(queue.address()));
            CoreCompletionQueue completionQueue = new CoreCompletionQueue(device, wanted, queue, events);
            undo.commit();
            return parent.adopt(completionQueue);
        }
    }

    private static PolledQueue polledQueue(CoreDevice device, CompletionQueueAttributes wanted, MemorySegment events) {
        int entries = device.posting().keepAlive().entries(wanted.entries(), device.attributes().maximumCompletionQueueEntries());
        return wanted.timestamps() ? new ExtendedQueue(device.context(), events, device.name(), entries, wanted.vector())
                : new PlainQueue(device.context(), events, device.ops().pollCq(), device.name(), entries, wanted.vector());
    }
}
