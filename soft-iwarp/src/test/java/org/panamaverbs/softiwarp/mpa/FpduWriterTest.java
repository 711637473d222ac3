package org.panamaverbs.softiwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;
import static org.panamaverbs.softiwarp.fixtures.Forge.fpdu;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.spi.AccessFlags;

/** FPDUs without Markers: their bytes, which payload is copied, how much one write takes, and the cut. Markers: MarkerTest. */
class FpduWriterTest {
    private static final int MULPDU = 64_768;
    private static final int LONG = 10_001;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment memory = arena.allocate(MULPDU).copyFrom(MemorySegment.ofArray(payload(MULPDU)));
    private final RegisteredMemory owner = new RegisteredMemory(memory, this, 0);
    private final BufferPool pool = new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1);
    private final SgeCursor source = new SgeCursor();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private FpduWriter writer = writer(true);

    private FpduWriter writer(boolean crc) {
        return new FpduWriter(crc, false, MULPDU, 1, arena, pool);
    }

    private boolean describe(RegisteredMemory from, int length, boolean stable) {
        source.wrap(from, 0, length);
        long at = writer.beginSegment(Ddp.TAGGED_SIZE, length, source, stable);
        if (at == LowerLayer.NO_ROOM) {
            return false;
        }
        MemorySegment.copy(Forge.tagged(LAST_TAGGED, WRITE, 7, 9, new byte[0]), 0, writer.headers(), ValueLayout.JAVA_BYTE, at,
                Ddp.TAGGED_SIZE);
        return writer.endSegment(source);
    }

    private boolean describe(int length) {
        return describe(owner, length, true);
    }

    private static byte[] expected(int length, boolean crc) {
        return fpdu(Forge.tagged(LAST_TAGGED, WRITE, 7, 9, payload(length)), crc);
    }

    private void send(long most) {
        IoVector vector = writer.vector();
        long count = Math.min(most, vector.bytes());
        for (long left = count, i = 0; left > 0; i++) {
            long chunk = Math.min(left, vector.length((int) i));
            sent.writeBytes(vector.segment((int) i).asSlice(vector.offset((int) i), chunk).toArray(ValueLayout.JAVA_BYTE));
            left -= chunk;
        }
        if (count > 0) {
            writer.onSent(count);
        }
    }

    private void send() {
        send(Long.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({ "true, 0", "true, 1", "true, 2", "true, 3", "true, 4", "true, 512", "true, 513", "true, 10001", "true, 64754", "false, 2",
            "false, 10001" })
    void shouldWriteLengthPaddingAndCrc(boolean crc, int length) {
        writer = writer(crc);
        assertTrue(describe(length));
        send();
        assertArrayEquals(expected(length, crc), sent.toByteArray());
        assertEquals(sent.size(), writer.described());
        assertEquals(sent.size(), writer.sent());
    }

    @Test
    void shouldNotDependOnHowMuchIsSentAtATime() {
        for (int piece : new int[] { 1, 13, 4096 }) {
            sent.reset();
            for (int round = 0; round < 3; round++) {
                assertTrue(describe(100));
                assertTrue(describe(LONG));
                while (writer.vector().bytes() > 0) {
                    send(piece);
                }
            }
            byte[] once = join(expected(100, true), expected(LONG, true));
            assertArrayEquals(join(once, once, once), sent.toByteArray());
        }
    }

    /** Short payload, and payload that may change between its checksum and the write. */
    @ParameterizedTest
    @CsvSource({ "512, true, true, true", "513, true, true, false", "513, true, false, true", "513, false, false, false" })
    void shouldCopyPayload(int length, boolean crc, boolean stable, boolean copied) {
        writer = writer(crc);
        describe(owner, length, stable);
        assertEquals(copied, writer.vector().isOwn());
        assertEquals(copied ? 1 : 3, writer.vector().size());
        memory.fill((byte) 0);
        send();
        assertEquals(copied, Arrays.equals(expected(length, crc), sent.toByteArray()));
    }

    @Test
    void shouldCopyWhatAPeerMayChange() {
        RegisteredMemory exposed = new RegisteredMemory(memory, this, AccessFlags.REMOTE_WRITE);
        describe(exposed, LONG, true);
        assertTrue(writer.vector().isOwn());
        writer.abandon();
        writer = writer(false);
        describe(exposed, LONG, true);
        assertFalse(writer.vector().isOwn(), "without a CRC nothing can disagree with the payload");
    }

    @Test
    void shouldSayWhenPayloadCanNoLongerChange() {
        writer = writer(false);
        describe(owner, LONG, true);
        assertTrue(writer.isFixed());
        describe(owner, LONG, false);
        assertFalse(writer.isFixed());
        send(writer.described() - 1);
        assertFalse(writer.isFixed());
        send();
        assertTrue(writer.isFixed());
    }

    /** The limits are a small buffer, the parts of one write, and the bytes of a batch. */
    @ParameterizedTest
    @CsvSource({ "1, 8000, 17000", "500, 8000, 17000", "600, 15000, 20000", "60000, 262144, 327680" })
    void shouldDescribeABatchAtATime(int length, int least, int most) {
        int count = 0;
        while (describe(length)) {
            count++;
        }
        assertTrue(writer.vector().bytes() >= least && writer.vector().bytes() <= most, () -> writer.vector().bytes() + " bytes");
        send();
        assertEquals((long) count * expected(length, true).length, sent.size());
        assertTrue(describe(length), "room again");
    }

    private long fill() {
        while (describe(owner, 20_000, false)) {
            // Each FPDU is copied, since its payload may change.
        }
        return writer.vector().bytes();
    }

    /** Two connections share the one buffer of the pool: the second makes do with a buffer for a single FPDU of any length. */
    @Test
    void shouldGiveTheBufferOfThePoolBack() {
        FpduWriter other = writer;
        assertTrue(fill() >= FpduWriter.BATCH);
        writer = writer(true);
        assertTrue(fill() < 70_000, () -> writer.vector().bytes() + " bytes");
        other.onSent(other.vector().bytes());
        writer = writer(true);
        assertTrue(fill() >= FpduWriter.BATCH, "the buffer of the pool is free again");
    }

    @Test
    void shouldCutBetweenFpdus() {
        describe(LONG);
        describe(LONG);
        assertTrue(writer.cut());
        assertEquals(0, writer.vector().bytes());
        assertEquals(0, writer.described());
        describe(1);
        send();
        assertArrayEquals(expected(1, true), sent.toByteArray());
    }

    /** The FPDU under way is sent to its end, out of a copy; the next one is never begun; more may follow. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 15, 17, 5000, LONG + 16 })
    void shouldCutAtTheEndOfTheFpduUnderWay(int already) {
        describe(LONG);
        describe(LONG);
        send(already);
        assertTrue(writer.cut());
        assertTrue(writer.vector().isOwn());
        memory.fill((byte) 0);
        describe(0);
        send();
        assertArrayEquals(join(expected(LONG, true), expected(0, true)), sent.toByteArray());
    }

    @Test
    void shouldNotCutIfTheMemoryOfTheFpduUnderWayIsGone() {
        describe(LONG);
        send(100);
        owner.retire();
        assertFalse(writer.cut());
    }

    @Test
    void shouldRefuseMemoryThatIsGone() {
        owner.retire();
        assertFalse(describe(LONG));
        assertFalse(describe(10));
        assertEquals(0, writer.vector().bytes());
    }

    @Test
    void shouldAbandonWhatIsDescribed() {
        describe(LONG);
        send(1);
        writer.abandon();
        assertEquals(1, writer.described());
        assertEquals(0, writer.vector().size());
    }

    /** The same bytes, the same room, and the same rest of a cut. */
    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldTakeShortPayloadInOneStepAsAnyOther(boolean crc) {
        FpduWriter other = new FpduWriter(crc, false, MULPDU, 1, arena, new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
        writer = writer(crc);
        SplittableRandom random = new SplittableRandom(1);
        for (int step = 0; step < 20_000; step++) {
            int length = random.nextInt(FpduWriter.COPIED_PAYLOAD + 1);
            long at = other.beginCopied(Ddp.TAGGED_SIZE, length);
            assertEquals(at != LowerLayer.NO_ROOM, describe(length));
            if (at != LowerLayer.NO_ROOM) {
                MemorySegment.copy(MemorySegment.ofArray(Forge.tagged(LAST_TAGGED, WRITE, 7, 9, payload(length))), 0, other.headers(), at,
                        Ddp.TAGGED_SIZE + length);
                assertEquals(writer.described(), other.endCopied());
            }
            if (random.nextInt(at == LowerLayer.NO_ROOM ? 1 : 200) == 0) {
                long count = random.nextBoolean() ? writer.vector().bytes() : 1 + random.nextLong(writer.vector().bytes());
                sendAlike(other, count);
                if (random.nextInt(4) == 0) {
                    assertEquals(writer.cut(), other.cut());
                    sendAlike(other, writer.vector().bytes());
                }
            }
        }
    }

    private void sendAlike(FpduWriter other, long count) {
        byte[] expected = bytes(writer.vector());
        assertArrayEquals(expected, bytes(other.vector()));
        if (count > 0) {
            writer.onSent(count);
            other.onSent(count);
        }
    }

    private static byte[] bytes(IoVector vector) {
        MemorySegment copy = MemorySegment.ofArray(new byte[(int) vector.bytes()]);
        assertTrue(vector.copyTo(copy));
        return copy.toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldNotTakeInOneStepWhatExceedsASegment() {
        writer.mulpdu(128);
        assertTrue(writer.beginCopied(Ddp.TAGGED_SIZE, 128 - Ddp.TAGGED_SIZE) >= 0);
        assertEquals(LowerLayer.NO_ROOM, writer.beginCopied(Ddp.TAGGED_SIZE, 129 - Ddp.TAGGED_SIZE));
    }
}
