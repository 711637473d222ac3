package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.Device;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;

/** On queues that have a capacity and two counts, and nothing else. */
class CompletionRoomTest {
    private static final int MOST = 200;
    private boolean canResize = true;
    private RuntimeException refusal;
    private final DeviceAttributes attributes = new DeviceAttributes() {
        @Override
        public Transport transport() {
            return Transport.OTHER;
        }

        @Override
        public int maximumCompletionQueueEntries() {
            return MOST;
        }
    };
    private final Device device = fake(Device.class);

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "attributes" -> attributes;
                    case "supports" -> arguments[0] == Capability.RESIZE_COMPLETION_QUEUE && canResize;
                    case "depth" -> 6;
                    case "name", "toString" -> type.getSimpleName();
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == arguments[0];
                    default -> throw new AssertionError(method);
                }));
    }

    private final class Queue extends AbstractCompletionQueue {
        final List<Integer> sizes = new ArrayList<>();
        int capacity;
        long added;
        long polled;

        Queue(int entries, boolean admits) {
            super(admits ? CompletionQueueAttributes.of(entries).withAdmission() : CompletionQueueAttributes.of(entries));
            capacity = entries;
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public int capacity() {
            return capacity;
        }

        @Override
        protected void resizeTo(int entries) {
            if (refusal != null) {
                throw refusal;
            }
            capacity = entries;
            sizes.add(entries);
        }

        @Override
        protected long added() {
            return added;
        }

        @Override
        protected long polled() {
            return polled;
        }

        @Override
        protected int takeAvailable(CompletionBuffer into) {
            throw new AssertionError();
        }

        @Override
        protected int awaitAvailable(CompletionBuffer into, long nanos, boolean wakeable) {
            throw new AssertionError();
        }

        @Override
        protected void signalWaiters() {
            throw new AssertionError();
        }

        @Override
        public void requestNotification(boolean solicitedOnly) {
            throw new AssertionError();
        }

        @Override
        public void close() {
            throw new AssertionError();
        }

        @Override
        public String toString() {
            return "the queue";
        }
    }

    private static QueuePairAttributes pair(AbstractCompletionQueue queue, int sends, int receives) {
        return QueuePairAttributes.of(queue).withDepths(sends, receives);
    }

    /** A queue pair that can have so many completions outstanding. */
    private static QueuePairAttributes pair(AbstractCompletionQueue queue, int entries) {
        return pair(queue, 1, entries - 1);
    }

    private static void admit(AbstractCompletionQueue queue, int entries) {
        AbstractCompletionQueue.admit(pair(queue, entries));
    }

    private static void release(AbstractCompletionQueue queue, int entries) {
        AbstractCompletionQueue.release(pair(queue, entries));
    }

    private static void refuses(AbstractCompletionQueue queue, int entries) {
        assertThrows(ResourceException.class, () -> admit(queue, entries));
    }

    @Test
    void shouldTakeTheSumOfTheDepths() {
        canResize = false;
        Queue queue = new Queue(10, true);
        AbstractCompletionQueue.admit(pair(queue, 4, 2));
        ResourceException refused = assertThrows(ResourceException.class, () -> AbstractCompletionQueue.admit(pair(queue, 2, 3)));
        assertTrue(refused.getMessage().contains("5 completions outstanding: of 10 entries 6 are taken"), refused::getMessage);
        AbstractCompletionQueue.admit(pair(queue, 1, 3));
        refuses(queue, 2);
        assertEquals(List.of(), queue.sizes);
    }

    @Test
    void shouldTakeFromEachOfTwoQueuesWhatCompletesThere() {
        canResize = false;
        Queue sends = new Queue(10, true);
        Queue receives = new Queue(10, true);
        QueuePairAttributes pair = QueuePairAttributes.of(sends, receives);
        AbstractCompletionQueue.admit(pair.withDepths(10, 9));
        refuses(sends, 2);
        refuses(receives, 2);
        AbstractCompletionQueue.release(pair.withDepths(10, 9));
        // The queue of receives refuses: that of sends has all its room.
        assertThrows(ResourceException.class, () -> AbstractCompletionQueue.admit(pair.withDepths(5, 11)));
        AbstractCompletionQueue.admit(pair.withDepths(10, 10));
    }

    @Test
    void shouldCountNothingOnAQueueWithoutAdmission() {
        Queue queue = new Queue(10, false);
        admit(queue, 1000);
        Queue receives = new Queue(10, true);
        AbstractCompletionQueue.admit(QueuePairAttributes.of(queue, receives).withDepths(1000, 10));
        AbstractCompletionQueue.release(QueuePairAttributes.of(queue, receives).withDepths(1000, 10));
        release(queue, 1000);
        assertEquals(10, queue.capacity);
        assertEquals(10, receives.capacity);
    }

    @Test
    void shouldCountReceivesOfASharedQueueOnce() {
        canResize = false;
        Queue queue = new Queue(10, true);
        SharedReceiveQueue receives = fake(SharedReceiveQueue.class);
        QueuePairAttributes pair = QueuePairAttributes.of(queue).withDepths(2, 100).withSharedReceiveQueue(receives);
        AbstractCompletionQueue.admit(pair);
        AbstractCompletionQueue.admit(pair);
        assertThrows(ResourceException.class, () -> AbstractCompletionQueue.admit(pair));
        AbstractCompletionQueue.release(pair);
        refuses(queue, 3);
        admit(queue, 2);
        AbstractCompletionQueue.release(pair);
        admit(queue, 8);
    }

    @Test
    void shouldRefuseSumsBeyondAnInt() {
        Queue queue = new Queue(20, true);
        admit(queue, 20);
        assertThrows(ResourceException.class, () -> AbstractCompletionQueue.admit(pair(queue, 1, Integer.MAX_VALUE - 1)));
        assertThrows(ArithmeticException.class, () -> AbstractCompletionQueue.admit(pair(queue, Integer.MAX_VALUE, Integer.MAX_VALUE)));
        assertEquals(List.of(), queue.sizes);
    }

    @Test
    void shouldFreeEntriesOnceTheCompletionsOfAClosedQueuePairArePolled() {
        canResize = false;
        Queue queue = new Queue(10, true);
        admit(queue, 4);
        admit(queue, 6);
        queue.added = 5;
        release(queue, 4);
        refuses(queue, 2);
        queue.polled = 2;
        // 3 completions wait, and may all be of that queue pair.
        refuses(queue, 2);
        queue.polled = 3;
        admit(queue, 2);
        // Completions that were added after the close are not of it.
        queue.added = 10;
        refuses(queue, 2);
        queue.polled = 5;
        admit(queue, 2);
    }

    @Test
    void shouldFreeEntriesAtOnceIfNothingWaits() {
        canResize = false;
        Queue queue = new Queue(10, true);
        for (int i = 0; i < 100; i++) {
            admit(queue, 10);
            release(queue, 10);
        }
    }

    @Test
    void shouldGrowUpToTheLimitOfTheDevice() {
        Queue queue = new Queue(20, true);
        admit(queue, 15);
        assertEquals(List.of(), queue.sizes);
        admit(queue, 15);
        admit(queue, 60);
        admit(queue, 100);
        refuses(queue, 11);
        admit(queue, 10);
        assertEquals(List.of(40, 90, 190, MOST), queue.sizes);
    }

    @Test
    void shouldShrinkAgainButNotBelowTheSizeThatTheProgramGave() {
        Queue queue = new Queue(20, true);
        for (int i = 0; i < 16; i++) {
            admit(queue, 10);
        }
        assertEquals(160, queue.capacity);
        for (int i = 0; i < 12; i++) {
            release(queue, 10);
        }
        assertEquals(160, queue.capacity, "a quarter of it is taken");
        release(queue, 10);
        assertEquals(80, queue.capacity);
        queue.resize(40);
        for (int i = 0; i < 3; i++) {
            release(queue, 10);
        }
        assertEquals(40, queue.capacity, "the program has asked for so many since");
    }

    @Test
    void shouldNotBecomeTooSmallForItsQueuePairs() {
        Queue queue = new Queue(20, true);
        admit(queue, 15);
        assertThrows(IllegalArgumentException.class, () -> queue.resize(14));
        assertEquals(20, queue.capacity);
        queue.resize(15);
        assertEquals(15, queue.capacity);
    }

    @Test
    void shouldStayAsItIsIfTheQueueCannotBeResized() {
        Queue queue = new Queue(20, true);
        refusal = new ResourceException("no memory");
        admit(queue, 20);
        refuses(queue, 2);
        refusal = null;
        admit(queue, 60);
        assertEquals(80, queue.capacity);
        for (RuntimeException failure : List.of(new ResourceException("no memory"), new IllegalArgumentException("too many wait"))) {
            refusal = failure;
            release(queue, 40);
            assertEquals(80, queue.capacity);
        }
        admit(queue, 80);
    }

    /** Each closed queue pair may leave as many completions as it took, between those of others, and they are polled a batch at a time. */
    @Test
    void shouldNeverLetTheQueueOverrun() {
        Random random = new Random(20);
        Queue queue = new Queue(20, true);
        List<Integer> open = new ArrayList<>();
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    int entries = 2 + random.nextInt(15);
                    try {
                        admit(queue, entries);
                        open.add(entries);
                    } catch (ResourceException e) {
                        assertTrue(queue.capacity + entries > MOST, "it could have grown");
                    }
                }
                case 2 -> {
                    if (!open.isEmpty()) {
                        int entries = open.remove(random.nextInt(open.size()));
                        queue.added += entries;
                        release(queue, entries);
                    }
                }
                default -> queue.polled += Math.min(16, queue.added - queue.polled);
            }
            long outstanding = queue.added - queue.polled + open.stream().mapToInt(Integer::intValue).sum();
            assertTrue(outstanding <= queue.capacity, () -> "the queue of " + queue.capacity + " entries overruns");
        }
        assertTrue(queue.sizes.size() > 2, "the queue was never resized");
    }
}
