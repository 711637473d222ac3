package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A stream and a hostile peer: any private data and messages, and Writes into the table at any moment. The program of this side makes the
 * calls that a driver may make. Nothing is thrown but {@link StreamProtocolException}; no byte is read beyond a grant, and none is sent beyond
 * the peer's credits and targets.
 */
public final class HostilePeerFuzz {
    private static final int CREDITS = 12;
    private static final int GRANTED = 64;
    /** From this number on, both sides know messages that carry bytes. */
    private static final int CARRIES = 128;
    private static final int CARRIED = 32;

    private final FuzzInput input;
    private final MemorySegment table = Arena.ofAuto().allocate(StreamCore.TABLE_LENGTH, 8);
    private final int[] lengths = new int[StreamCore.GRANTS];
    private final int[] filled = new int[StreamCore.GRANTS];
    private final StreamCore core;
    private int limit;
    private int sent;
    private int taken;
    /** What messages carry that are not read yet, by place. */
    private final Map<Integer, Integer> carried = new HashMap<>();
    private int offered;
    private int itsOffer;

    private HostilePeerFuzz(FuzzInput input) throws StreamProtocolException {
        this.input = input;
        PrivateData data = PrivateData.decode(input.take(PrivateData.LENGTH));
        int mode = input.octet();
        boolean carries = mode >= CARRIES;
        PrivateData peer = new PrivateData(data.bigEndian(), data.credits(), data.tableAddress(), data.tableKey(), data.tableEntries(),
                data.address(), data.key(), data.length(), carries);
        core = new StreamCore(peer, table, CREDITS, GRANTED, mode % 2 == 0, carries);
        limit = peer.credits();
        lengths[0] = GRANTED;
    }

    public static void fuzzerTestOneInput(byte[] bytes) {
        FuzzInput input = new FuzzInput(bytes);
        try {
            HostilePeerFuzz run = new HostilePeerFuzz(input);
            while (input.hasMore()) {
                run.step();
            }
        } catch (StreamProtocolException e) {
            // The stream ends.
        }
    }

    private void step() throws StreamProtocolException {
        switch (input.below(10)) {
            case 0 -> receive(input.integer());
            case 1 -> receive(Message.of(Message.DATA, input.octet()));
            case 2 -> table.set(ValueLayout.JAVA_BYTE, input.below(StreamCore.TABLE_LENGTH), (byte) input.octet());
            case 3 -> send(input.word());
            case 4 -> consume(input.octet());
            case 5 -> control();
            case 7 -> receiveCarrying(input.octet(), input.word());
            case 8 -> receiveCarrying(Message.of(Message.DATA, 1 + input.below(CARRIED)), limit);
            case 9 -> carry(input.octet());
            default -> end(input.octet());
        }
    }

    private void receive(int message) throws StreamProtocolException {
        boolean ended = core.inputEnded();
        core.receive(message);
        int content = Message.content(message);
        if (Message.operation(message) == Message.DATA) {
            assertFalse(ended, "data after the end");
            taken++;
            int range = core.grant();
            int at = filled[range] < lengths[range] ? range : (range + 1) % StreamCore.GRANTS;
            filled[at] += content;
            assertTrue(filled[at] <= lengths[at], "data beyond a grant");
        } else if (Message.operation(message) == Message.CREDITS) {
            limit = content;
        } else if (Message.operation(message) == Message.CARRY) {
            assertTrue(content > 0 && content <= Message.MOST_CARRIED && itsOffer == 0, "a peer takes messages of " + content + " bytes");
            itsOffer = content;
        }
    }

    private void receiveCarrying(int message, int next) throws StreamProtocolException {
        int bytes = Message.content(message) & 0xFFFF;
        boolean ended = core.inputEnded();
        core.receive(message, next, bytes, taken);
        assertTrue(!ended && bytes > 0 && bytes <= offered, "a message carries " + bytes + " bytes");
        carried.put(taken, bytes);
        taken++;
        limit = next;
        assertTrue(carried.size() <= CREDITS, "messages without a credit");
    }

    private void carry(int most) {
        int room = core.carried();
        if (room > 0 && most > 0 && core.canCarry(Math.min(room, most))) {
            assertTrue(room == itsOffer && (limit - sent & 0xFFFF) > 0, "a message that the peer does not take");
            int bytes = Math.min(room, most);
            assertTrue(core.carry(bytes) == Message.of(Message.DATA, bytes));
            assertTrue(core.limit() == (taken - carried.size() + CREDITS & 0xFFFF));
            sent++;
        }
    }

    private void send(int most) throws StreamProtocolException {
        int room = core.room();
        assertTrue(room >= 0 && room <= Message.MOST_DATA);
        if (room > 0 && most > 0) {
            assertTrue((limit - sent & 0xFFFF) > 0, "data without a credit");
            int bytes = Math.min(room, most);
            assertTrue(Long.compareUnsigned(core.address(), core.address() + bytes) < 0 || core.address() + bytes == 0,
                    "data beyond the last address");
            int message = core.send(bytes);
            assertTrue(Message.operation(message) == Message.DATA && Message.content(message) == bytes);
            sent++;
        }
    }

    private void consume(int most) {
        int unread = core.unread();
        int place = core.place();
        if (place >= 0) {
            assertTrue(unread > 0 && core.offset() + unread == carried.get(place), "bytes beyond a message");
            if (most > 0 && core.consume(Math.min(unread, most))) {
                carried.remove(place);
            }
            return;
        }
        int range = core.grant();
        assertTrue(unread >= 0 && core.offset() + unread <= lengths[range], "bytes beyond a grant");
        if (unread > 0 && most > 0 && core.consume(Math.min(unread, most))) {
            lengths[range] = 0;
            filled[range] = 0;
        }
    }

    private void control() {
        while (core.wantsGrant()) {
            int range = core.nextGrant();
            int length = 1 + input.below(GRANTED);
            assertTrue(lengths[range] == 0, "a grant that is in use is given again");
            lengths[range] = length;
            core.entryAddress();
            core.grant(length);
        }
        if (core.owesCredits()) {
            int message = core.credits();
            assertTrue(Message.operation(message) == Message.CREDITS
                    && Message.content(message) == (taken - carried.size() + CREDITS & 0xFFFF));
        }
        if (core.mayOffer()) {
            offered = 1 + input.below(CARRIED);
            assertTrue(core.offer(offered) == Message.of(Message.CARRY, offered));
        }
    }

    private void end(int which) {
        if (!core.outputEnded() && which < 16) {
            core.shutdown();
        } else if (!core.disconnected() && which < 20) {
            core.disconnect();
        }
        if (core.outputEnded()) {
            assertFalse(core.mayHaveRoom(), "data may follow the end");
        }
    }
}
