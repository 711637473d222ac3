package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The messages and targets that a peer may send, and those that end its stream. */
class StreamCoreTest {
    private static final int CREDITS = 8;
    private static final int GRANTED = 100;
    private static final long ADDRESS = 0x7000;

    private final MemorySegment table = Arena.ofAuto().allocate(StreamCore.TABLE_LENGTH, 8);
    private final StreamCore core = core(false);

    private StreamCore core(boolean bySends) {
        return new StreamCore(new PrivateData(false, CREDITS, 0x2000, 1, 2, ADDRESS, 2, 50, false), table, CREDITS, GRANTED, bySends, true);
    }

    private static int data(int bytes) {
        return Message.of(Message.DATA, bytes);
    }

    private static int credits(int limit) {
        return Message.of(Message.CREDITS, limit);
    }

    private static int control(int content) {
        return Message.of(Message.CONTROL, content);
    }

    private void entry(int slot, long address, int length) {
        table.set(ValueLayout.JAVA_LONG, (long) slot * Target.LENGTH, address);
        table.set(ValueLayout.JAVA_INT, (long) slot * Target.LENGTH + Target.SIZE, length);
    }

    private void refuses(String why, int... messages) throws StreamProtocolException {
        StreamCore victim = core(false);
        for (int i = 0; i < messages.length - 1; i++) {
            victim.receive(messages[i]);
        }
        String message = assertThrows(StreamProtocolException.class, () -> victim.receive(messages[messages.length - 1])).getMessage();
        assertTrue(message.contains(why), message);
    }

    @Test
    void shouldRefuseDataThatItsTargetCannotHold() throws StreamProtocolException {
        refuses("a message for 101 bytes; its target has room for 100", data(101));
        refuses("a message for 0 bytes", data(0));
        refuses("a message for 1 bytes; its target has room for 0", data(60), data(40), data(1));
        refuses("a message for 536870911 bytes", data(Message.MOST_DATA));
    }

    @Test
    void shouldRefuseDataWithoutACredit() throws StreamProtocolException {
        refuses("data without a credit", data(1), data(1), data(1), data(1), data(1), data(1), data(1), data(1), data(1));
    }

    @Test
    void shouldRefuseDataAfterTheEnd() throws StreamProtocolException {
        refuses("data after the end of its output", control(Message.SHUTDOWN), data(1));
        refuses("data after the end of its output", control(Message.DISCONNECT), data(1));
    }

    @Test
    void shouldRefuseCreditsThatCannotBe() throws StreamProtocolException {
        refuses("a limit of 9 messages", credits(9));
        refuses("a limit of 7 messages, after 8", credits(7));
        refuses("a limit of 65536 messages", credits(0x10000));
        refuses("a limit of 65535 messages", credits(0xFFFF));
    }

    @Test
    void shouldRefuseUnknownMessages() throws StreamProtocolException {
        for (int operation = 1; operation < 7; operation++) {
            if (operation != Message.CREDITS) {
                refuses("operation " + operation, Message.of(operation, 0));
            }
        }
        refuses("control message with content 3", control(3));
        core.receive(control(Message.KEEPALIVE));
    }

    @Test
    void shouldGoOnInTheNextTargetOnlyOnceItIsAnnounced() throws StreamProtocolException {
        assertEquals(50, core.room());
        assertEquals(ADDRESS, core.address());
        assertEquals(data(20), core.send(20));
        assertEquals(ADDRESS + 20, core.address());
        core.send(30);
        entry(1, 0x9000, 70);
        assertEquals(0, core.room());
        core.receive(credits(CREDITS + 1));
        assertEquals(70, core.room());
        assertEquals(0x9000, core.address());
        assertEquals(0, table.get(ValueLayout.JAVA_INT, Target.LENGTH + Target.SIZE));
        core.send(70);
        core.receive(credits(CREDITS + 1));
        assertEquals(0, core.room());
    }

    @Test
    void shouldRefuseATargetThatCannotBe() throws StreamProtocolException {
        core.send(core.room());
        core.receive(credits(CREDITS));
        entry(1, 0x9000, -1);
        assertThrows(StreamProtocolException.class, core::room);
        StreamCore other = core(false);
        other.send(other.room());
        other.receive(credits(CREDITS));
        entry(1, -2, 10);
        assertThrows(StreamProtocolException.class, other::room);
    }

    @Test
    void shouldKeepCreditsBackWhereMessagesNeedReceives() throws StreamProtocolException {
        StreamCore bySends = core(true);
        for (int i = 0; i < CREDITS - 4; i++) {
            assertTrue(bySends.room() > 0);
            bySends.send(1);
        }
        assertEquals(0, bySends.room());
        bySends.receive(credits(CREDITS + 1));
        assertTrue(bySends.room() > 0);
    }

    @Test
    void shouldCountCreditsAcrossTheirWrap() throws StreamProtocolException {
        int sent = 0;
        int slot = 1;
        for (int i = 0; i < 70_000; i++) {
            int room = core.room();
            core.send(room);
            sent++;
            entry(slot, 0x9000, 5);
            slot = 1 - slot;
            core.receive(credits(sent + CREDITS & 0xFFFF));
        }
        assertTrue(core.room() > 0);
    }

    @Test
    void shouldUseAndGiveAsManyCreditsAsTheirFieldHolds() throws StreamProtocolException {
        int most = 0xFFFF;
        StreamCore wide = new StreamCore(new PrivateData(false, most, 0x2000, 1, 2, ADDRESS, 2, 1 << 20, true), table, most, 1 << 20, false,
                false);
        assertFalse(wide.owesCredits());
        for (int i = 0; i < most; i++) {
            assertTrue(wide.room() > 0, "no room after " + i);
            wide.send(1);
        }
        assertEquals(0, wide.room());
        wide.receive(credits(most + 40_000 & 0xFFFF));
        assertTrue(wide.room() > 0);
        for (int i = 0; i < most; i++) {
            wide.receive(data(1));
        }
        assertTrue(wide.owesCredits());
        wide.credits();
        assertFalse(wide.owesCredits());
    }

    @Test
    void shouldGrantASecondRangeOnceThePeerSends() throws StreamProtocolException {
        assertFalse(core.wantsGrant());
        core.receive(data(60));
        assertTrue(core.wantsGrant());
        assertEquals(0x2000 + Target.LENGTH, core.entryAddress());
        assertEquals(1, core.nextGrant());
        core.grant(30);
        assertFalse(core.wantsGrant());
        core.receive(data(40));
        core.receive(data(30));
        assertEquals(100, core.unread());
        assertFalse(core.consume(99));
        assertTrue(core.consume(1));
        assertEquals(1, core.grant());
        assertEquals(30, core.unread());
        assertTrue(core.wantsGrant());
        assertEquals(0x2000, core.entryAddress());
    }

    @Test
    void shouldEndBothDirectionsEachWay() throws StreamProtocolException {
        assertEquals(control(Message.SHUTDOWN), core.shutdown());
        assertEquals(0, core.room());
        core.receive(data(1));
        assertFalse(core.disconnected());
        core.receive(control(Message.SHUTDOWN));
        assertTrue(core.disconnected());

        StreamCore second = core(false);
        second.receive(control(Message.SHUTDOWN));
        assertTrue(second.room() > 0);
        assertEquals(control(Message.DISCONNECT), second.shutdown());
        assertTrue(second.disconnected());
    }

    @Test
    void shouldTakeAnyMessagesWithoutHarm() {
        Random random = new Random(30);
        for (int run = 0; run < 20_000; run++) {
            StreamCore victim = core(random.nextBoolean());
            for (int i = 0; i < StreamCore.TABLE_LENGTH; i++) {
                table.set(ValueLayout.JAVA_BYTE, i, random.nextInt(3) == 0 ? (byte) random.nextInt() : 0);
            }
            try {
                for (int step = 0; step < 50; step++) {
                    int room = victim.room();
                    assertTrue(room >= 0 && (room == 0 || Long.compareUnsigned(victim.address() + room - 1, victim.address()) >= 0));
                    if (room > 0) {
                        victim.send(1 + random.nextInt(room));
                    }
                    int content = random.nextInt(8) == 0 ? random.nextInt() & Message.MOST_DATA : random.nextInt(CREDITS * 3);
                    victim.receive(Message.of(random.nextInt(8) < 6 ? random.nextInt(2) * Message.CREDITS : Message.CONTROL, content));
                    assertTrue(victim.unread() >= 0 && victim.offset() + victim.unread() <= GRANTED);
                    victim.consume(random.nextInt(victim.unread() + 1));
                    while (victim.wantsGrant()) {
                        victim.grant(GRANTED);
                    }
                }
            } catch (StreamProtocolException e) {
                assertTrue(e.getMessage().startsWith("the peer broke the protocol of streams: "), e.getMessage());
            }
        }
    }
}
