package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A stream and a hostile peer: any private data and messages, and Writes into the table at any moment. The program of this side makes the
 * calls that a driver may make. Nothing is thrown but {@link StreamProtocolException}; no byte is read beyond a grant, and none is sent beyond
 * the peer's credits and targets.
 */
public final class HostilePeerFuzz {
    private static final int CREDITS = 12;
    private static final int GRANTED = 64;

    private final FuzzInput input;
    private final MemorySegment table = Arena.ofAuto().allocate(StreamCore.TABLE_LENGTH, 8);
    private final int[] lengths = new int[StreamCore.GRANTS];
    private final int[] filled = new int[StreamCore.GRANTS];
    private final StreamCore core;
    private int limit;
    private int sent;
    private int taken;

    private HostilePeerFuzz(FuzzInput input) throws StreamProtocolException {
        this.input = input;
        PrivateData peer = PrivateData.decode(input.take(PrivateData.LENGTH));
        core = new StreamCore(peer, table, CREDITS, GRANTED, input.below(2) == 0);
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
        switch (input.below(7)) {
            case 0 -> receive(input.integer());
            case 1 -> receive(Message.of(Message.DATA, input.octet()));
            case 2 -> table.set(ValueLayout.JAVA_BYTE, input.below(StreamCore.TABLE_LENGTH), (byte) input.octet());
            case 3 -> send(input.word());
            case 4 -> consume(input.octet());
            case 5 -> control();
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
            assertTrue(Message.operation(message) == Message.CREDITS && Message.content(message) == (taken + CREDITS & 0xFFFF));
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
