package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class QueueRoomTest {
    private final QueueRoom room = new QueueRoom(10);

    @Test
    void shouldGiveNoMoreThanTheQueueHolds() {
        assertTrue(room.tryTake(6));
        assertFalse(room.tryTake(5));
        assertTrue(room.tryTake(4));
        assertFalse(room.tryTake(1));
        room.giveBack(6);
        assertFalse(room.tryTake(7));
        assertTrue(room.tryTake(6));
    }

    @Test
    void shouldRefuseWhatNoSumCanHold() {
        assertTrue(room.tryTake(1));
        assertFalse(room.tryTake(Integer.MAX_VALUE));
    }

    @Test
    void shouldGiveNothingOnceItIsClosed() {
        assertTrue(room.tryTake(1));
        assertTrue(room.close());
        assertFalse(room.close());
        room.giveBack(1);
        assertFalse(room.tryTake(1));
    }
}
