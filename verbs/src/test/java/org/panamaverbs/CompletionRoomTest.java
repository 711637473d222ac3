package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.device.Transport;

/** On a queue that has a capacity and nothing else. */
class CompletionRoomTest {
    private static final int MOST = 200;
    private int capacity = 20;
    private boolean canResize = true;
    private RuntimeException refusal;
    private final List<Integer> sizes = new ArrayList<>();
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
    private final CompletionQueue queue = fake(CompletionQueue.class);

    private <T> T fake(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] { type },
                (_, method, arguments) -> switch (method.getName()) {
                    case "capacity" -> capacity;
                    case "device" -> device;
                    case "attributes" -> attributes;
                    case "supports" -> arguments[0] == Capability.RESIZE_COMPLETION_QUEUE && canResize;
                    case "resize" -> {
                        if (refusal != null) {
                            throw refusal;
                        }
                        capacity = (int) arguments[0];
                        sizes.add(capacity);
                        yield null;
                    }
                    default -> throw new AssertionError(method);
                }));
    }

    /** Two polls that empty the queue: the second one began after all that was given back. */
    private static void drain(CompletionRoom room) {
        room.polled(true);
        room.polled(true);
    }

    @Test
    void shouldGiveNoMoreThanTheQueueHolds() {
        CompletionRoom room = CompletionRoom.of(queue, 10);
        assertTrue(room.tryTake(6));
        assertFalse(room.tryTake(5));
        assertTrue(room.tryTake(4));
        assertFalse(room.tryTake(1));
        assertTrue(room.tryTake(0));
        assertEquals(10, room.taken());
        assertEquals(List.of(), sizes);
    }

    @Test
    void shouldRefuseSumsBeyondAnInt() {
        CompletionRoom room = CompletionRoom.growing(queue);
        assertTrue(room.tryTake(20));
        assertFalse(room.tryTake(Integer.MAX_VALUE));
        assertEquals(20, room.taken());
    }

    @Test
    void shouldFreeEntriesOnlyOnceALaterPollHasEmptiedTheQueue() {
        CompletionRoom room = CompletionRoom.of(queue, 10);
        assertTrue(room.tryTake(10));
        room.giveBack(4);
        assertFalse(room.tryTake(4));
        // This poll may have begun before.
        room.polled(true);
        assertFalse(room.tryTake(4));
        // A full batch: there may be more in the queue.
        room.polled(false);
        assertFalse(room.tryTake(4));
        room.giveBack(1);
        room.polled(true);
        assertFalse(room.tryTake(5));
        assertTrue(room.tryTake(4));
        room.polled(true);
        assertTrue(room.tryTake(1));
    }

    @Test
    void shouldGrowUpToTheLimitOfTheDevice() {
        CompletionRoom room = CompletionRoom.growing(queue);
        assertTrue(room.tryTake(15));
        assertEquals(List.of(), sizes);
        assertTrue(room.tryTake(15));
        assertTrue(room.tryTake(60));
        assertTrue(room.tryTake(100));
        assertFalse(room.tryTake(11));
        assertTrue(room.tryTake(10));
        assertEquals(List.of(40, 90, 190, MOST), sizes);
    }

    @Test
    void shouldNotGrowOnADeviceThatCannot() {
        canResize = false;
        CompletionRoom room = CompletionRoom.growing(queue);
        assertTrue(room.tryTake(20));
        assertFalse(room.tryTake(1));
        room.giveBack(20);
        drain(room);
        assertTrue(room.tryTake(20));
    }

    @Test
    void shouldShrinkAgainButNotBelowItsFirstSize() {
        CompletionRoom room = CompletionRoom.growing(queue);
        for (int i = 0; i < 16; i++) {
            assertTrue(room.tryTake(10));
        }
        assertEquals(160, capacity);
        for (int i = 0; i < 12; i++) {
            room.giveBack(10);
        }
        drain(room);
        assertEquals(160, capacity, "a quarter of it is taken");
        room.giveBack(10);
        drain(room);
        assertEquals(80, capacity);
        room.giveBack(30);
        drain(room);
        assertEquals(20, capacity);
    }

    @Test
    void shouldStayAsItIsIfTheQueueCannotBeResized() {
        CompletionRoom room = CompletionRoom.growing(queue);
        refusal = new ResourceException("no memory");
        assertTrue(room.tryTake(20));
        assertThrows(ResourceException.class, () -> room.tryTake(1));
        assertEquals(20, room.taken());
        refusal = null;
        assertTrue(room.tryTake(60));
        refusal = new ResourceException("no memory");
        room.giveBack(80);
        drain(room);
        assertEquals(0, room.taken());
        assertEquals(80, capacity);
    }

    @Test
    void shouldRefuseNumbersThatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> CompletionRoom.of(queue, 21));
        assertThrows(IllegalArgumentException.class, () -> CompletionRoom.of(queue, -1));
        CompletionRoom room = CompletionRoom.of(queue, 20);
        assertThrows(IllegalArgumentException.class, () -> room.tryTake(-1));
        assertTrue(room.tryTake(5));
        assertThrows(IllegalArgumentException.class, () -> room.giveBack(-1));
        assertThrows(IllegalArgumentException.class, () -> room.giveBack(6));
        room.giveBack(5);
        assertThrows(IllegalArgumentException.class, () -> room.giveBack(1), "twice");
    }

    /** A model of the queue: each closed queue pair may leave as many completions as it took, and they are polled a batch at a time. */
    @Test
    void shouldNeverLetTheQueueOverrun() {
        Random random = new Random(20);
        CompletionRoom room = CompletionRoom.growing(queue);
        List<Integer> open = new ArrayList<>();
        int inQueue = 0;
        for (int step = 0; step < 20_000; step++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    int entries = 1 + random.nextInt(15);
                    if (room.tryTake(entries)) {
                        open.add(entries);
                    }
                }
                case 2 -> {
                    if (!open.isEmpty()) {
                        int entries = open.remove(random.nextInt(open.size()));
                        inQueue += entries;
                        room.giveBack(entries);
                    }
                }
                default -> {
                    int batch = 16;
                    int polled = Math.min(batch, inQueue);
                    inQueue -= polled;
                    // Another thread closes a queue pair between the poll and the report of it.
                    if (!open.isEmpty() && random.nextBoolean()) {
                        int entries = open.removeFirst();
                        inQueue += entries;
                        room.giveBack(entries);
                    }
                    room.polled(polled < batch);
                }
            }
            int outstanding = inQueue + open.stream().mapToInt(Integer::intValue).sum();
            assertTrue(outstanding <= capacity, () -> "the queue of " + capacity + " entries overruns");
        }
        assertTrue(sizes.size() > 2, "the queue was never resized");
    }
}
