package org.panamaverbs.softiwarp.mpa;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;
import static org.panamaverbs.softiwarp.fixtures.Forge.fpdu;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.PlainLayer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Which bytes go straight to their place, which wait until their CRC is verified, and what an FPDU that is wrong comes to. */
class FpduReaderTest {
    private static final int MORE_TAGGED = 0x81;
    private static final int LONG = 8192;
    private static final int HEAD = 2 + 14;
    private static final int PLACED_LAST = 64;

    private final Arena arena = Arena.ofAuto();
    private final IoVector targets = new IoVector(8);
    private final Counters counters = new Counters();
    private PlainLayer layer = new PlainLayer(arena, 4 * LONG);
    private FpduReader reader;

    private static final class Counters implements ReceiveCounters {
        private int calls;
        private int placed;
        private int staged;
        private int fpdus;

        @Override
        public void onCall() {
            calls++;
        }

        @Override
        public void onPlaced(int bytes) {
            placed += bytes;
        }

        @Override
        public void onStaged(int bytes) {
            staged += bytes;
        }

        @Override
        public void onFpdu() {
            fpdus++;
        }
    }

    private void open(boolean crc, boolean verify) {
        reader = new FpduReader(new DdpReceiver(layer, 2), crc, verify, counters, arena);
    }

    /** Gives the reader as many bytes as it asks for at a time, at most {@code piece}. */
    private int feed(byte[] bytes, int from, int to, int piece) {
        int error = TerminateCode.NONE;
        for (int at = from; at < to && error == TerminateCode.NONE;) {
            reader.targets(targets);
            assertEquals(targets.bytes(), reader.asked());
            int count = (int) Math.min(Math.min(to - at, piece), reader.asked());
            assertTrue(count > 0, "asked for nothing");
            for (int done = 0, i = 0; done < count; i++) {
                int chunk = (int) Math.min(count - done, targets.length(i));
                MemorySegment.copy(bytes, at + done, targets.segment(i), ValueLayout.JAVA_BYTE, targets.offset(i), chunk);
                done += chunk;
            }
            at += count;
            error = reader.onReceived(count);
        }
        return error;
    }

    private int feed(byte[] bytes) {
        return feed(bytes, 0, bytes.length, Integer.MAX_VALUE);
    }

    private static byte[] write(int control, long at, int length) {
        return fpdu(Forge.tagged(control, WRITE, PlainLayer.STAG, 0x1000 + at, payload(length)), true);
    }

    private static byte[] send(int queue, int sequence, int length) {
        return fpdu(Forge.untagged(LAST_UNTAGGED, SEND, 0, queue, sequence, 0, payload(length)), true);
    }

    private static byte[] broken(byte[] fpdu) {
        byte[] bytes = fpdu.clone();
        bytes[bytes.length - 1] ^= 1;
        return bytes;
    }

    private void assertPlaced(RegisteredMemory memory, long at, int length) {
        assertArrayEquals(payload(length), memory.segment().asSlice(at, length).toArray(ValueLayout.JAVA_BYTE));
    }

    /** All of it went straight to its place, but for the few bytes that may come with the header. */
    private void assertStraight(int length) {
        assertTrue(counters.placed <= length && counters.placed >= length - 16, () -> counters.placed + " bytes");
    }

    @Test
    void shouldHoldBackTheFirstFpduOfAWriteUntilItIsVerified() {
        open(true, false);
        byte[] write = write(MORE_TAGGED, 0, LONG);
        assertEquals(TerminateCode.NONE, feed(write, 0, write.length - 1, Integer.MAX_VALUE));
        Rig.assertFilled(layer.region.segment());
        assertEquals(TerminateCode.NONE, feed(write, write.length - 1, write.length, Integer.MAX_VALUE));
        assertPlaced(layer.region, 0, LONG);
        assertEquals(List.of("tagged " + LONG), layer.events);
        assertEquals(0, counters.placed);
        assertEquals(LONG, counters.staged);
    }

    @Test
    void shouldPlaceWhatContinuesAWriteStraight() {
        open(true, false);
        feed(write(MORE_TAGGED, 0, 832));
        byte[] next = write(MORE_TAGGED, 832, LONG);
        feed(next, 0, HEAD, Integer.MAX_VALUE);
        reader.targets(targets);
        assertSame(layer.region.segment(), targets.segment(0));
        assertEquals(832, targets.offset(0));
        assertEquals(LONG, targets.length(0));
        assertEquals(TerminateCode.NONE, feed(next, HEAD, next.length, Integer.MAX_VALUE));
        assertPlaced(layer.region, 832, LONG);
        assertEquals(LONG, counters.placed);
        assertEquals(2, counters.fpdus);
    }

    @Test
    void shouldHoldBackAWriteToAnotherPlaceThanTheNext() {
        open(true, false);
        feed(write(MORE_TAGGED, 0, 832));
        byte[] next = write(MORE_TAGGED, 833, LONG);
        feed(next, 0, next.length - 1, Integer.MAX_VALUE);
        Rig.assertFilled(layer.region.segment().asSlice(832));
        assertEquals(TerminateCode.MPA_CRC, feed(new byte[] { (byte) ~next[next.length - 1] }));
        Rig.assertFilled(layer.region.segment().asSlice(832));
        assertEquals(0, reader.headerSize());
    }

    /** A program may poll the last bytes of a Write. */
    @Test
    void shouldPlaceTheEndOfAWriteAfterItsCrc() {
        open(true, false);
        feed(write(MORE_TAGGED, 0, 832));
        byte[] last = write(LAST_TAGGED, 832, LONG);
        feed(last, 0, last.length - 1, Integer.MAX_VALUE);
        assertPlaced(layer.region, 832, LONG - PLACED_LAST);
        Rig.assertFilled(layer.region.segment().asSlice(832 + LONG - PLACED_LAST));
        feed(last, last.length - 1, last.length, Integer.MAX_VALUE);
        assertPlaced(layer.region, 832, LONG);
        assertStraight(LONG - PLACED_LAST);
        assertEquals(List.of("tagged 832", "tagged " + LONG + " last"), layer.events);
    }

    @Test
    void shouldPlaceAnAnswerToItsReadStraight() {
        open(true, false);
        byte[] answer = fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000, payload(LONG)), true);
        feed(answer, 0, answer.length - 1, Integer.MAX_VALUE);
        assertPlaced(layer.sink, 0, LONG);
        assertTrue(layer.events.isEmpty());
        feed(answer, answer.length - 1, answer.length, Integer.MAX_VALUE);
        assertEquals(List.of("tagged " + LONG + " last"), layer.events);
    }

    @ParameterizedTest
    @CsvSource({ "0, false", "1, true" })
    void shouldTakeAReceiveThatStreamsShareForAVerifiedFpduAlone(int queue, boolean straight) {
        open(true, false);
        byte[] send = send(queue, 1, LONG);
        feed(send, 0, send.length - 1, Integer.MAX_VALUE);
        assertEquals(straight ? List.of("receive 1") : List.of(), layer.events);
        feed(send, send.length - 1, send.length, Integer.MAX_VALUE);
        assertPlaced(layer.receive, 0, LONG);
        assertStraight(straight ? LONG : 0);
        assertEquals(List.of("receive " + queue, "untagged " + queue + " " + LONG), layer.events);
    }

    @Test
    void shouldPlaceNothingBeforeItsCrcIfItVerifiesFirst() {
        open(true, true);
        feed(write(MORE_TAGGED, 0, 832));
        assertEquals(TerminateCode.MPA_CRC, feed(broken(write(MORE_TAGGED, 832, LONG))));
        Rig.assertFilled(layer.region.segment().asSlice(832));
        assertEquals(0, counters.placed);
    }

    @Test
    void shouldPlaceAllStraightIfThereAreNoCrcs() {
        open(false, false);
        byte[] write = broken(write(LAST_TAGGED, 0, LONG));
        feed(write, 0, write.length - 4, Integer.MAX_VALUE);
        assertPlaced(layer.region, 0, LONG);
        assertFalse(reader.hasVerified());
        assertEquals(TerminateCode.NONE, feed(write, write.length - 4, write.length, Integer.MAX_VALUE));
        assertTrue(reader.hasVerified());
        assertStraight(LONG);
    }

    /** Another process may cut a file short under a checksum, which would end the JVM. */
    @Test
    void shouldComputeTheChecksumForAMappedFileInTheStage(@TempDir Path folder) throws IOException {
        try (Arena mapping = Arena.ofShared();
                FileChannel file = FileChannel.open(folder.resolve("mapped"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            layer = new PlainLayer(file.map(FileChannel.MapMode.READ_WRITE, 0, 2L * LONG, mapping), arena, LONG);
            open(true, false);
            feed(write(MORE_TAGGED, 0, 832));
            feed(write(MORE_TAGGED, 832, LONG));
            assertPlaced(layer.region, 832, LONG);
            assertEquals(0, counters.placed);
            assertEquals(832 + LONG, counters.staged);
        }
    }

    @Test
    void shouldActOnAnErrorOfAHeaderAfterTheCheckOfItsCrc() {
        open(true, false);
        byte[] wrong = fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, 0xDEAD, 0, payload(LONG)), true);
        assertEquals(TerminateCode.NONE, feed(wrong, 0, wrong.length - 1, Integer.MAX_VALUE));
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, feed(wrong, wrong.length - 1, wrong.length, Integer.MAX_VALUE));
        assertTrue(reader.hasVerified());
        assertEquals(14, reader.headerSize());
        assertArrayEquals(Arrays.copyOfRange(wrong, 2, HEAD), reader.header().asSlice(0, 14).toArray(ValueLayout.JAVA_BYTE));
        assertEquals(14 + LONG, reader.ulpduLength());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 100, Integer.MAX_VALUE })
    void shouldNameTheCrcIfThatIsWrongToo(int piece) {
        open(true, false);
        byte[] wrong = broken(fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, 0xDEAD, 0, payload(LONG)), true));
        assertEquals(TerminateCode.MPA_CRC, feed(wrong, 0, wrong.length, piece));
        assertFalse(reader.hasVerified());
        assertEquals(0, reader.headerSize());
    }

    @Test
    void shouldActOnAnErrorOfAHeaderAtOnceIfThereAreNoCrcs() {
        open(false, false);
        byte[] wrong = fpdu(Forge.tagged(LAST_TAGGED, WRITE, 0xDEAD, 0, payload(LONG)), false);
        assertEquals(TerminateCode.TAGGED_INVALID_STAG, feed(wrong, 0, HEAD, Integer.MAX_VALUE));
        assertEquals(14, reader.headerSize());
    }

    @Test
    void shouldTellTheLayerAboveOfAMessageThatIsTooLong() {
        open(true, false);
        assertEquals(TerminateCode.UNTAGGED_TOO_LONG, feed(send(1, 1, 4 * LONG + 1)));
        assertEquals(List.of("receive 1", "too long 1"), layer.events);
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 2, 13 })
    void shouldTakeALengthWithoutRoomForAHeaderForACorruptOne(int length) {
        open(true, false);
        byte[] ulpdu = Arrays.copyOf(Forge.tagged(LAST_TAGGED, WRITE, PlainLayer.STAG, 0x1000, new byte[0]), Math.max(2, length));
        byte[] bytes = fpdu(ulpdu, true);
        bytes[1] = (byte) length;
        assertEquals(TerminateCode.MPA_CRC, feed(bytes));
        assertEquals(0, reader.headerSize());
    }

    /** All kinds of FPDUs, in pieces of each length from 1: the same bytes at the same places, and the same deliveries. */
    @ParameterizedTest
    @CsvSource({ "true, false", "true, true", "false, false" })
    void shouldNotDependOnHowTheStreamIsCut(boolean crc, boolean verify) {
        byte[] stream = join(write(MORE_TAGGED, 0, 832), write(LAST_TAGGED, 832, 5000), send(0, 1, 3), send(1, 1, 4500), send(0, 2, 0),
                fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000, payload(4097)), true), send(1, 2, 77));
        for (int piece = 1; piece < stream.length; piece += piece < 40 ? 1 : 997) {
            layer = new PlainLayer(arena, 4 * LONG);
            open(crc, verify);
            assertEquals(TerminateCode.NONE, feed(stream, 0, stream.length, piece));
            assertTrue(reader.isAtBoundary());
            assertPlaced(layer.region, 832, 5000);
            assertPlaced(layer.sink, 0, 4097);
            assertEquals(List.of("tagged 832", "tagged 5000 last", "receive 0", "untagged 0 3", "receive 1", "untagged 1 4500", "receive 0",
                    "untagged 0 0", "tagged 4097 last", "receive 1", "untagged 1 77"), layer.events);
        }
    }

    @Test
    void shouldBeAtABoundaryBetweenMessagesAlone() {
        open(true, false);
        assertTrue(reader.isAtBoundary());
        byte[] write = write(MORE_TAGGED, 0, 8);
        feed(write, 0, 1, 1);
        assertFalse(reader.isAtBoundary());
        feed(write, 1, write.length, Integer.MAX_VALUE);
        assertFalse(reader.isAtBoundary(), "the Write goes on");
        feed(write(LAST_TAGGED, 8, 8));
        assertTrue(reader.isAtBoundary());
    }

    @Test
    void shouldAskForManyBytesAfterARunOfShortFpdus() {
        open(true, false);
        reader.targets(targets);
        assertTrue(reader.asked() < 100, "an idle connection needs a small stage: " + reader.asked());
        for (int i = 1; i <= 8; i++) {
            feed(send(0, i, 8));
        }
        int calls = counters.calls;
        byte[] many = new byte[0];
        for (int i = 9; i <= 108; i++) {
            many = join(many, send(0, i, 8));
        }
        feed(many);
        assertTrue(counters.calls - calls <= 3, () -> counters.calls - calls + " calls");
        assertEquals(108, counters.fpdus);
    }

    /** Long FPDUs with a short one between them: the pattern repeats, and the short one comes with the payload before it. */
    @Test
    void shouldLearnAPatternOfLongAndShortFpdus() {
        open(true, false);
        int sequence = 1;
        for (int round = 0; round < 3; round++) {
            feed(fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000, payload(LONG)), true));
            feed(send(0, sequence++, 300));
        }
        byte[] both = join(fpdu(Forge.tagged(LAST_TAGGED, READ_RESPONSE, PlainLayer.STAG, 0x1000, payload(LONG)), true),
                send(0, sequence, 300));
        int calls = counters.calls;
        assertEquals(TerminateCode.NONE, feed(both));
        assertEquals(2, counters.calls - calls, "one for the header, one for the rest");
        assertTrue(reader.isAtBoundary());
    }

    @Test
    void shouldSayWhoseMemoryIsGone() {
        open(true, false);
        assertEquals(TerminateCode.DDP_LOCAL_CATASTROPHIC, reader.onBadMemory());
        feed(send(1, 1, LONG), 0, 30, Integer.MAX_VALUE);
        assertEquals(PlainLayer.BAD_MEMORY, reader.onBadMemory());
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, LONG })
    void shouldNotPlaceIntoMemoryThatIsRetired(int length) {
        open(true, false);
        byte[] send = send(1, 1, length);
        feed(send, 0, 20, Integer.MAX_VALUE);
        layer.receive.retire();
        assertEquals(PlainLayer.BAD_MEMORY, feed(send, 20, send.length, Integer.MAX_VALUE));
        assertEquals(List.of("receive 1"), layer.events);
    }
}
