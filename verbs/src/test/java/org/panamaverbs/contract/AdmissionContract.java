package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ResourceException;
import org.panamaverbs.cm.Connector;

/** Queue pairs that share a completion queue with admission. */
abstract class AdmissionContract extends ContractTest {
    private static final int SENDS = 4;
    private static final int RECEIVES = 12;
    private static final int ENTRIES = SENDS + RECEIVES;
    private static final int LENGTH = 64;

    private CompletionQueue queue;
    private CompletionReader reader;

    /** Makes the queue with room for so many queue pairs, or more. */
    private void makeQueue(int queuePairs) {
        queue = client.device.createCompletionQueue(CompletionQueueAttributes.of(queuePairs * ENTRIES).withAdmission());
        reader = new CompletionReader(queue, client.arena, true, () -> "receives of queue pairs that were closed");
    }

    /** Makes a queue pair with all the receives that it can have. */
    private QueuePair fill() {
        Connector connector = closeLater(client.connections().connector(listener().address(), LIMIT));
        QueuePair pair = connector.createQueuePair(client.domain, QueuePairAttributes.of(queue).withDepths(SENDS, RECEIVES));
        MemoryRegion region = client.region(LENGTH);
        for (int i = 0; i < RECEIVES; i++) {
            pair.post(new ReceiveRequest().receive(i).local(region, 0, LENGTH));
        }
        return pair;
    }

    private boolean canResize() {
        return client.device.supports(Capability.RESIZE_COMPLETION_QUEUE);
    }

    /** Each of so many closed queue pairs has its receives flushed. */
    private void takeFlushed(int queuePairs) {
        reader.next(queuePairs * RECEIVES).forEach(each -> assertEquals(CompletionStatus.FLUSHED, each.status()));
    }

    @Test
    void shouldHaveRoomForEachQueuePairOrRefuseIt() {
        makeQueue(1);
        // A device may have made it larger than the program asked.
        int first = queue.capacity() / ENTRIES;
        QueuePair[] pairs = new QueuePair[canResize() ? first + 2 : first];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = fill();
        }
        assertTrue(queue.capacity() >= pairs.length * ENTRIES, () -> "holds " + queue.capacity());
        if (!canResize()) {
            ResourceException refused = assertThrows(ResourceException.class, this::fill);
            assertTrue(refused.getMessage().contains(ENTRIES + " completions"), refused::getMessage);
        }
        for (QueuePair pair : pairs) {
            pair.close();
        }
        takeFlushed(pairs.length);
        reader.nothing();
    }

    @Test
    void shouldGiveTheRoomOfAClosedQueuePairToTheNext() {
        makeQueue(2);
        int before = queue.capacity();
        for (int i = 0; i < 20; i++) {
            fill().close();
            takeFlushed(1);
        }
        assertEquals(before, queue.capacity());
    }

    @Test
    void shouldBecomeSmallerAgain() {
        assumeSupports(client.device, Capability.RESIZE_COMPLETION_QUEUE);
        makeQueue(1);
        int before = queue.capacity();
        QueuePair[] pairs = new QueuePair[20 * before / ENTRIES];
        for (int i = 0; i < pairs.length; i++) {
            pairs[i] = fill();
        }
        int grown = queue.capacity();
        for (QueuePair pair : pairs) {
            pair.close();
            takeFlushed(1);
        }
        assertTrue(queue.capacity() < grown / 4, () -> "holds " + queue.capacity() + ", and has held " + grown);
        assertTrue(queue.capacity() >= before, () -> "holds " + queue.capacity() + ", and was made with " + before);
    }

    @Test
    void shouldKeepTheRoomOfCompletionsThatWait() {
        makeQueue(1);
        int admitted = 0;
        for (int i = 0; i < 10; i++) {
            try {
                fill().close();
                admitted++;
            } catch (ResourceException e) {
                assertTrue(!canResize(), "it could have grown");
            }
        }
        takeFlushed(admitted);
        fill().close();
        takeFlushed(1);
    }

    @Test
    void shouldGiveRoomBackIfAQueuePairCannotBeMade() {
        makeQueue(1);
        int before = queue.capacity();
        QueuePairAttributes attributes = QueuePairAttributes.of(queue).withDepths(SENDS, RECEIVES);
        for (int i = 0; i < 3; i++) {
            Connector connector = client.connections().connector(listener().address(), LIMIT);
            connector.createQueuePair(client.domain, attributes);
            assertThrows(IllegalStateException.class, () -> connector.createQueuePair(client.domain, attributes), "the second time");
            connector.close();
        }
        fill();
        assertEquals(before, queue.capacity());
    }

    @Test
    void shouldRefuseToBecomeTooSmallForItsQueuePairs() {
        assumeSupports(client.device, Capability.RESIZE_COMPLETION_QUEUE);
        makeQueue(2);
        QueuePair pair = fill();
        int before = queue.capacity();
        assertThrows(IllegalArgumentException.class, () -> queue.resize(ENTRIES - 1));
        assertEquals(before, queue.capacity());
        queue.resize(ENTRIES);
        pair.close();
        takeFlushed(1);
    }
}
