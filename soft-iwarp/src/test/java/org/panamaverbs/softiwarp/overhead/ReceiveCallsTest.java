package org.panamaverbs.softiwarp.overhead;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.Counters;
import org.panamaverbs.softiwarp.qp.StreamState;

/** How many calls receive long Writes of which all is there. Each call is one of the system's. */
class ReceiveCallsTest {
    private static final int FIRST = 832;
    private static final int LONGEST = 64704;
    private static final int MESSAGES = 20;
    /** Until what follows a long FPDU is known, and the stage is large enough. */
    private static final int AT_FIRST = 4;

    private final Rig rig = new Rig(Rig.Options.of(true), Rig.room(4 * LONGEST));
    private final RegisteredMemory target = rig.region(4 * LONGEST, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
    private final ByteArrayOutputStream stream = new ByteArrayOutputStream();

    /** Adds a Write of the target's first bytes to the stream, cut as our sender does it. */
    private byte[] write(int length) {
        byte[] message = Forge.payload(length);
        int to;
        for (int at = 0; at < length; at = to) {
            to = Math.min(length, at + (at == 0 ? FIRST : LONGEST));
            stream.writeBytes(Forge.fpdu(Forge.tagged(to == length ? Forge.LAST_TAGGED : Forge.LAST_TAGGED & ~0x40, Forge.WRITE,
                    target.stag(), target.base() + at, Arrays.copyOfRange(message, at, to)), true));
        }
        return message;
    }

    private void assertPlaced(byte[] message) {
        assertEquals(StreamState.RTS, rig.stream().state());
        assertArrayEquals(message, target.segment().asSlice(0, message.length).toArray(ValueLayout.JAVA_BYTE));
        rig.assertGuards();
    }

    @ParameterizedTest(name = "{0} bytes: {1} calls")
    @CsvSource({ "64704, 1", "65536, 1", "66560, 1", "66700, 1", "66800, 3", "131072, 2", "180000, 3" })
    void shouldReceiveAShortRestWithTheLongFpduBeforeIt(int length, int calls) {
        byte[] message = null;
        for (int i = 0; i < MESSAGES; i++) {
            message = write(length);
        }
        rig.feed(stream.toByteArray());
        assertPlaced(message);
        Counters counters = rig.stream().counters();
        assertTrue(counters.readCalls() <= AT_FIRST + (long) MESSAGES * calls, () -> counters.readCalls() + " calls");
        // The first FPDU, the last bytes, and a rest that is short.
        int rest = (length - FIRST) % LONGEST;
        long copied = MESSAGES * (FIRST + 64 + 32L + (rest < 4096 ? rest : 0));
        assertTrue(counters.bytesStaged() <= copied, () -> counters.bytesStaged() + " bytes were copied, not " + copied);
    }

    /** Each must be whole before its address counts, which must not cost a call for each. */
    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = { 1, 64, 65, 512, 1440, 4000 })
    void shouldReceiveManyShortWritesAtATime(int length) {
        int writes = 200_000 / length;
        byte[] message = null;
        for (int i = 0; i < writes; i++) {
            message = write(length);
        }
        rig.feed(stream.toByteArray());
        assertPlaced(message);
        long calls = rig.stream().counters().readCalls();
        assertTrue(calls <= 20 + stream.size() / 16_384, () -> calls + " calls for " + writes + " Writes");
    }

    /** Their payload goes to no registered memory, so the reader may stand within one of them at each call. */
    @ParameterizedTest(name = "{0} bytes")
    @ValueSource(ints = { 0, 8 })
    void shouldReceiveManyMessagesWithoutMemoryAtATime(int length) {
        int batches = 50;
        int messages = 0;
        for (int batch = 0; batch < batches; batch++) {
            stream.reset();
            for (int i = 0; i < Rig.DEPTH; i++) {
                rig.receive(messages, target);
                stream.writeBytes(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, length == 0 ? Forge.SEND : Forge.IMMEDIATE, 0, 0,
                        ++messages, 0, new byte[length]), true));
            }
            rig.feed(stream.toByteArray());
            assertEquals(Rig.DEPTH, rig.completions().size());
        }
        long calls = rig.stream().counters().readCalls();
        assertTrue(calls <= 20 + 2 * batches, () -> calls + " calls for " + batches + " times " + Rig.DEPTH + " messages");
    }

    @Test
    void shouldReceiveRestsOfChangingLengths() {
        for (int rest : new int[] { 64, 512, 0, 1, 513, 100, 5000, 3, 511, 64, 64 }) {
            stream.reset();
            byte[] message = write(LONGEST + rest);
            target.segment().fill((byte) 0);
            rig.feed(stream.toByteArray());
            assertPlaced(message);
        }
    }
}
