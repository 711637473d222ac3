package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Messages that carry bytes: both sides must have named them, and a side says from when on it takes them. */
class CarryingCoreTest {
    private static final int CREDITS = 8;
    private static final int GRANTED = 100;
    private static final int MOST = 40;

    private final MemorySegment table = Arena.ofAuto().allocate(StreamCore.TABLE_LENGTH, 8);
    private final StreamCore core = core(true, true);

    private StreamCore core(boolean carries, boolean peerCarries) {
        return new StreamCore(new PrivateData(false, CREDITS, 0x2000, 1, 2, 0x7000, 2, 50, peerCarries), table, CREDITS, GRANTED, true,
                carries);
    }

    private static int data(int bytes) {
        return Message.of(Message.DATA, bytes);
    }

    private static int carry(int most) {
        return Message.of(Message.CARRY, most);
    }

    private void refuses(String why, int message, int limit, int bytes) {
        String reason = assertThrows(StreamProtocolException.class, () -> core.receive(message, limit, bytes, 0)).getMessage();
        assertTrue(reason.contains(why), reason);
    }

    @Test
    void shouldCarryNothingUnlessBothSidesNameIt() throws StreamProtocolException {
        for (StreamCore one : new StreamCore[] { core(false, false), core(true, false), core(false, true) }) {
            one.receive(data(1));
            assertFalse(one.mayOffer());
            String reason = assertThrows(StreamProtocolException.class, () -> one.receive(carry(MOST))).getMessage();
            assertTrue(reason.contains("a message with operation 5"), reason);
            assertEquals(0, one.carried());
        }
        assertFalse(core.mayOffer(), "the peer sends nothing");
        core.receive(data(1));
        assertTrue(core.mayOffer());
    }

    @Test
    void shouldCarryWhatThePeerTakes() throws StreamProtocolException {
        assertEquals(0, core.carried());
        core.receive(carry(MOST));
        assertEquals(MOST, core.carried());
        assertTrue(core.canCarry(MOST));
        assertFalse(core.canCarry(MOST + 1));
        assertEquals(data(7), core.carry(7));
        assertEquals(50, core.room());
        core.send(20);
        assertFalse(core.canCarry(30), "the target would not be filled, and the next one not be used");
        core.send(30);
        assertEquals(0, core.room());
        assertEquals(MOST, core.carried());
    }

    @Test
    void shouldRefuseASecondOrEmptyOffer() throws StreamProtocolException {
        assertThrows(StreamProtocolException.class, () -> core.receive(carry(0)));
        assertThrows(StreamProtocolException.class, () -> core.receive(carry(Message.MOST_CARRIED + 1)));
        core.receive(carry(MOST));
        assertThrows(StreamProtocolException.class, () -> core.receive(carry(MOST)));
    }

    @Test
    void shouldKeepCreditsBack() throws StreamProtocolException {
        core.receive(carry(MOST));
        for (int i = 0; i < CREDITS - 4; i++) {
            assertEquals(MOST, core.carried());
            core.carry(1);
        }
        assertEquals(0, core.carried());
        core.receive(Message.of(Message.CREDITS, CREDITS + 1));
        assertEquals(MOST, core.carried());
        core.shutdown();
        assertEquals(0, core.carried());
    }

    @Test
    void shouldRefuseWhatItHasNotOfferedToTake() {
        refuses("operation 0 and content 1 that carries 1 bytes; it may carry 0", data(1), CREDITS, 1);
        assertEquals(carry(MOST), core.offer(MOST));
        assertFalse(core.mayOffer());
        refuses("content 41 that carries 41 bytes; it may carry 40", data(MOST + 1), CREDITS, MOST + 1);
        refuses("content 5 that carries 4 bytes", data(5), CREDITS, 4);
        refuses("carries 0 bytes", data(0), CREDITS, 0);
        refuses("operation 4", Message.of(Message.CREDITS, 4), CREDITS, 4);
        refuses("a limit of 7 messages, after 8", data(4), CREDITS - 1, 4);
        refuses("a limit of 9 messages", data(4), CREDITS + 1, 4);
        refuses("a limit of -1 messages", data(4), -1, 4);
    }

    @Test
    void shouldRefuseMoreMessagesThanCreditsUntilTheirBytesAreRead() throws StreamProtocolException {
        core.offer(MOST);
        for (int i = 0; i < CREDITS; i++) {
            core.receive(data(2), CREDITS, 2, i);
        }
        assertTrue(core.isFull());
        refuses("data without a credit", data(2), CREDITS, 2);
        assertThrows(StreamProtocolException.class, () -> core.receive(data(2)));
        assertFalse(core.owesCredits());
        assertEquals(CREDITS, core.limit());
        for (int i = 0; i < CREDITS / 2; i++) {
            assertEquals(i, core.place());
            assertFalse(core.consume(1));
            assertFalse(core.owesCredits());
            assertTrue(core.consume(1));
        }
        assertTrue(core.owesCredits());
        assertEquals(CREDITS + CREDITS / 2, core.limit());
        core.receive(data(2), CREDITS, 2, 0);
    }

    @Test
    void shouldRefuseBytesAfterTheEnd() throws StreamProtocolException {
        core.offer(MOST);
        core.receive(Message.of(Message.CONTROL, Message.SHUTDOWN));
        refuses("data after the end of its output", data(1), CREDITS, 1);
        assertFalse(core.mayOffer());
    }

    @Test
    void shouldReadBytesInTheOrderOfTheirMessages() throws StreamProtocolException {
        core.offer(MOST);
        core.receive(data(60));
        core.receive(data(30));
        core.receive(data(20), CREDITS, 20, 3);
        core.receive(data(10));
        core.receive(data(5), CREDITS, 5, 9);
        assertEquals(125, core.available());
        read(-1, 0, 90, false);
        read(3, 0, 20, true);
        assertEquals(90, core.offset());
        read(-1, 90, 10, true);
        assertEquals(9, core.place());
        assertFalse(core.consume(2));
        read(9, 2, 3, true);
        assertEquals(0, core.available());
        assertEquals(0, core.unread());
        assertEquals(-1, core.place());
        assertEquals(1, core.grant());
    }

    private void read(int place, int offset, int bytes, boolean free) {
        assertEquals(place, core.place());
        assertEquals(offset, core.offset());
        assertEquals(bytes, core.unread());
        assertEquals(free, core.consume(bytes));
    }
}
