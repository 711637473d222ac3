package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/**
 * Bytes that a CRC has not covered yet are not trusted (RFC 5044, 3 and 6): bits that flipped on their way change no memory beside the
 * message's own, and the cause that is told is the CRC; and the CRC is that of the bytes that came, whatever the program does with them
 * meanwhile.
 */
class PlacementTrustTest {
    private static final int LENGTH = 64 * 1024;
    private static final int TAGGED_HEADER = 14;
    private static final int UNTAGGED_HEADER = 18;
    /** Of an FPDU: the header follows its length. */
    private static final int HEADER_AT = 2;
    private static final int STAG_AT = 4;
    private static final int OFFSET_AT = 8;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Rig rig;
    private RegisteredMemory target;
    private RegisteredMemory other;
    private RegisteredMemory receive;

    @BeforeEach
    void connect() {
        rig = new Rig(Rig.Options.of(true), 4 * Rig.room(LENGTH));
        target = rig.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        other = rig.region(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
        receive = rig.region(LENGTH, Access.LOCAL_WRITE);
    }

    private byte[] write(boolean last, int offset, int length) {
        return Forge.fpdu(
                Forge.tagged(last ? Forge.LAST_TAGGED : 0x81, Forge.WRITE, target.stag(), target.base() + offset, Forge.payload(length)),
                true);
    }

    private static byte[] send(int length) {
        return Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(length)), true);
    }

    private static byte[] flipped(byte[] bytes, int bit) {
        byte[] result = bytes.clone();
        result[bit / 8] ^= (byte) (0x80 >>> bit % 8);
        return result;
    }

    private void assertTerminatedForTheCrc() {
        assertTerminatedForTheCrc("what was damaged");
    }

    private void assertTerminatedForTheCrc(String damaged) {
        assertEquals(TerminateCode.describe(TerminateCode.MPA_CRC), TerminateCode.describe(rig.errorCode()), damaged);
        Segment last = rig.sent().getLast();
        assertEquals(Rdmap.TERMINATE, last.opcode());
        assertEquals(TerminateCode.MPA_CRC, Terminate.error(last.stream(), last.payloadAt()));
    }

    private void assertUntouched() {
        rig.assertGuards();
        Rig.assertFilled(target.segment());
        Rig.assertFilled(other.segment());
    }

    /** Some of these bits name other memory of the domain, some none: neither is acted upon. */
    @ParameterizedTest
    @ValueSource(ints = { 40, 4096, 60_000 })
    @Requirement({ "RFC5041-3-g", "RFC5044-4.4-k,l", "RFC5044-6-a,b" })
    void shouldBlameTheCrcForAFlippedBitInTheHeaderOfAWrite(int length) {
        for (int bit = 8 * HEADER_AT; bit < 8 * (HEADER_AT + TAGGED_HEADER); bit++) {
            connect();
            rig.feed(flipped(write(true, 0, length), bit));
            assertTerminatedForTheCrc("bit " + bit);
            assertUntouched();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, 4096, 60_000 })
    @Requirement({ "RFC5041-3-g", "RFC5044-4.4-k,l", "RFC5044-6-a,b" })
    void shouldBlameTheCrcForAFlippedBitInTheHeaderOfASend(int length) {
        for (int bit = 8 * HEADER_AT; bit < 8 * (HEADER_AT + UNTAGGED_HEADER); bit++) {
            connect();
            rig.receive(1, receive);
            rig.feed(flipped(send(length), bit));
            assertTerminatedForTheCrc("bit " + bit);
            assertUntouched();
            assertTrue(rig.completions().isEmpty(), "no receive completes");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 40, 4096, 60_000 })
    void shouldWriteNothingToAnotherRegionThatAWrongStagNames(int length) {
        byte[] bytes = write(true, 0, length);
        MemorySegment.ofArray(bytes).set(INT, STAG_AT, other.stag());
        // The offset is the other region's too, as if both had been damaged: a CRC is all that tells.
        MemorySegment.ofArray(bytes).set(LONG, OFFSET_AT, other.base());
        rig.feed(bytes);
        assertTerminatedForTheCrc();
        assertUntouched();
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 40, 4096, 30_000 })
    void shouldWriteNothingToAnOffsetWithAFlippedBit(int length) {
        // 16 KiB further, which is within the region.
        int offset = (int) (target.base() & 0x4000);
        byte[] damaged = write(true, offset, length);
        damaged[OFFSET_AT + 6] ^= (byte) 0x40;
        rig.feed(damaged);
        assertTerminatedForTheCrc();
        assertUntouched();
    }

    /** The first FPDU is sound and in place; the second does not go on where it ended. */
    @Test
    void shouldWriteNothingToAWrongOffsetInTheMiddleOfAMessage() {
        byte[] second = write(true, 20_000, 20_000);
        MemorySegment.ofArray(second).set(LONG, OFFSET_AT, target.base() + 40_000);
        rig.feed(Forge.join(write(false, 0, 20_000), second));
        assertTerminatedForTheCrc();
        Rig.assertFilled(target.segment().asSlice(40_000));
    }

    /**
     * A program that polls for the last byte of a Write may clear it as soon as it is there, which is before the receiving thread goes on.
     * A thread that polls has the whole message then.
     */
    @ParameterizedTest
    @ValueSource(ints = { 1, 8, 64, 100, 4096, 60_000 })
    void shouldLetAProgramChangeTheEndOfAWriteAsSoonAsItIsThere(int length) {
        for (int chop : new int[] { Integer.MAX_VALUE, 5000, 1000, 17 }) {
            play(length, chop);
        }
    }

    private void play(int length, int chop) {
        byte[] payload = Forge.payload(length);
        payload[length - 1] = 1;
        MemorySegment memory = target.segment();
        memory.fill((byte) 0);
        boolean[] seen = new boolean[1];
        Runnable program = () -> {
            if (memory.get(ValueLayout.JAVA_BYTE, length - 1) == 1) {
                seen[0] = true;
                assertEquals(-1, Arrays.mismatch(payload, memory.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE)), "the whole message");
                memory.set(ValueLayout.JAVA_BYTE, length - 1, (byte) 0);
            }
        };
        byte[] bytes = Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, target.stag(), target.base(), payload), true);
        for (int at = 0; at < bytes.length; at = chop < bytes.length - at ? at + chop : bytes.length) {
            rig.feed(bytes, at, chop < bytes.length - at ? at + chop : bytes.length, program);
        }
        program.run();
        assertEquals(TerminateCode.NONE, rig.errorCode(),
                () -> TerminateCode.describe(rig.errorCode()) + ", with " + chop + " bytes at a time");
        assertEquals(StreamState.RTS, rig.stream().state());
        assertTrue(seen[0]);
    }
}
