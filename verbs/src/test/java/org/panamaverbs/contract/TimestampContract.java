package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;

/** Completion queues by their attributes, and the time of completions. */
public abstract class TimestampContract extends ContractTest {
    @Test
    void shouldTellWhenRequestsCompleted() {
        assumeSupports(client.device, Capability.COMPLETION_TIMESTAMP);
        CompletionQueue queue = client.device.createCompletionQueue(CompletionQueueAttributes.of(64).withTimestamps());
        Link link = dialer().clientQueues(queue, queue).connect();
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        Completions cursor = Completions.allocate(1);
        long before = 0;
        for (int i = 0; i < 16; i++) {
            link.client().write(i, from, 0, 64, to, 0);
            assertEquals(1, queue.await(cursor, LIMIT));
            assertTrue(cursor.next());
            Completed.of(cursor).succeeded(i, CompletionOpcode.WRITE);
            assertTrue(cursor.timestamp() > before, "time should go on");
            before = cursor.timestamp();
        }
    }

    @Test
    void shouldMakeQueuesByTheirAttributes() {
        CompletionQueue queue = client.device
                .createCompletionQueue(CompletionQueueAttributes.of(128).withChannel(client.device.createCompletionChannel()));
        assertTrue(queue.capacity() >= 128);
        dialer().clientQueues(queue, queue).connect().exchange(1);
    }

    @Test
    void shouldSaySoWhereTheDeviceHasNoClock() {
        assertRefuses(client.device, Capability.COMPLETION_TIMESTAMP,
                () -> client.device.createCompletionQueue(CompletionQueueAttributes.of(64).withTimestamps()));
    }
}
