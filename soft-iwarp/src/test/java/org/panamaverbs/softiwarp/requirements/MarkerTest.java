package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.testing.conformance.Requirement;

/** The Markers that we send (RFC 5044, 4.2 to 4.5): byte-exact, and held against {@link MarkedStream}. */
class MarkerTest {
    private static final int TAGGED_SIZE = 14;
    private static final int MARKER_BEFORE = 4;
    private static final int LONGEST = 64_768;

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment memory = arena.allocate(1 << 17).copyFrom(MemorySegment.ofArray(Forge.payload(1 << 17)));
    private final SgeCursor source = new SgeCursor();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

    private FpduWriter writer(boolean crc) {
        return new FpduWriter(crc, true, LONGEST, 1, arena, new BufferPool(arena, FpduWriter.LARGE_BUFFER, 1));
    }

    /** Describes an FPDU with a ULPDU of this length; its header has the bytes e0, e1 and so on. */
    private boolean describe(FpduWriter writer, int ulpdu) {
        source.wrap(memory, 0, ulpdu - TAGGED_SIZE);
        long at = writer.beginSegment(TAGGED_SIZE, ulpdu - TAGGED_SIZE, source, true);
        if (at == LowerLayer.NO_ROOM) {
            return false;
        }
        for (int i = 0; i < TAGGED_SIZE; i++) {
            writer.headers().set(ValueLayout.JAVA_BYTE, at + i, (byte) (0xE0 + i));
        }
        assertTrue(writer.endSegment(source));
        return true;
    }

    /** Sends at most so many bytes of all that is described. */
    private void send(FpduWriter writer, long most) {
        IoVector vector = writer.vector();
        long left = Math.min(most, vector.bytes());
        long count = left;
        for (int i = 0; left > 0; i++) {
            long chunk = Math.min(left, vector.length(i));
            sent.writeBytes(vector.segment(i).asSlice(vector.offset(i), chunk).toArray(ValueLayout.JAVA_BYTE));
            left -= chunk;
        }
        if (count > 0) {
            writer.onSent(count);
        }
    }

    private static byte[] withCrc(byte[] covered) {
        CRC32C crc = new CRC32C();
        crc.update(covered);
        return ByteBuffer.allocate(covered.length + 4).order(ByteOrder.LITTLE_ENDIAN).put(covered).putInt((int) crc.getValue()).array();
    }

    private byte[] ulpdu(int length) {
        byte[] header = new byte[TAGGED_SIZE];
        for (int i = 0; i < TAGGED_SIZE; i++) {
            header[i] = (byte) (0xE0 + i);
        }
        return Forge.join(header, Forge.payload(length - TAGGED_SIZE));
    }

    // Vectors.

    /** RFC 5044, 7.1.2 (7): the first bytes are the Marker 0x00000000. The CRC of the FPDU behind it covers it. */
    @Test
    @Requirement({ "RFC5044-4.2-a", "RFC5044-4.3-e,g", "RFC5044-4.4-j" })
    void shouldBeginWithAMarkerOfZero() {
        FpduWriter writer = writer(true);
        describe(writer, 16);
        send(writer, Long.MAX_VALUE);
        assertArrayEquals(withCrc(HexFormat.of().parseHex("00000000" + "0010" + "e0e1e2e3e4e5e6e7e8e9eaebeced0108" + "0000")),
                sent.toByteArray());
    }

    /** The example of RFC 5044, figure 4: a ULPDU of 16 bytes, a Marker after its byte 9, FPDUPTR 0x000C, two bytes of padding. */
    @Test
    @Requirement({ "RFC5044-4.2-a..c", "RFC5044-4.3-c,i", "RFC5044-4.4-j" })
    void shouldSendTheFpduOfFigure4() {
        FpduWriter writer = writer(true);
        // The Marker at 0, and an FPDU of 2 + 490 + 4 bytes; so the next one begins at 500, 12 bytes before a Marker.
        describe(writer, 490);
        send(writer, Long.MAX_VALUE);
        assertEquals(500, sent.size());
        sent.reset();
        describe(writer, 16);
        send(writer, Long.MAX_VALUE);
        assertArrayEquals(withCrc(HexFormat.of().parseHex("0010" + "e0e1e2e3e4e5e6e7e8e9" + "0000000c" + "eaebeced0108" + "0000")),
                sent.toByteArray());
    }

    /**
     * A first FPDU moves the second to any distance before the Marker at 512. The second has a ULPDU of 29 bytes, so 2 + 29 + 1 bytes and
     * the CRC: the Marker is before the length, in the header, the payload, before the word of the padding, between padding and CRC; or
     * after the CRC, and so a part of the third.
     */
    @ParameterizedTest
    @CsvSource({ "0, '0 | 0 | | '", "4, '0 | 4 | | '", "8, '0 | 8 | | '", "12, '0 | 12 | | '", "16, '0 | 16 | | '", "20, '0 | 20 | | '",
            "24, '0 | 24 | | '", "28, '0 | 28 | | '", "32, '0 | 32 | | '", "36, '0 | | 0 | '", "40, '0 | | 4 | '" })
    @Requirement({ "RFC5044-4.2-c", "RFC5044-4.3-b,c,e,i", "RFC5044-4.4-j" })
    void shouldInsertTheMarkerWhereverItFalls(int distance, String places) {
        FpduWriter writer = writer(true);
        int first = 512 - distance - MARKER_BEFORE;
        describe(writer, first - 6);
        describe(writer, 29);
        describe(writer, 29);
        send(writer, Long.MAX_VALUE);
        byte[] bytes = sent.toByteArray();
        MarkedStream stream = new MarkedStream(true);
        stream.add(bytes);
        assertEquals(places, stream.places());
        // The FPDUPTR counts from the length field; that of the third FPDU is 36 bytes behind that of the second.
        int pointer = distance <= 32 ? distance : distance - 36;
        assertEquals(pointer, ByteBuffer.wrap(bytes).getInt(512));
        assertArrayEquals(Forge.join(Forge.fpdu(ulpdu(first - 6), true), Forge.fpdu(ulpdu(29), true), Forge.fpdu(ulpdu(29), true)),
                stream.plain());
    }

    /** RFC 5044, 4.3: all Markers of an FPDU point to its length field, which is behind the first Marker here. */
    @Test
    @Requirement({ "RFC5044-4.2-b", "RFC5044-4.3-c,g,h", "RFC5044-4.4-j" })
    void shouldPointToTheSameFpduFromAllItsMarkers() {
        FpduWriter writer = writer(true);
        describe(writer, LONGEST);
        send(writer, Long.MAX_VALUE);
        ByteBuffer bytes = ByteBuffer.wrap(sent.toByteArray());
        assertEquals(0, bytes.getInt(0));
        int markers = 1;
        for (int at = 512; at < bytes.capacity(); at += 512) {
            assertEquals(at - MARKER_BEFORE, bytes.getInt(at), "the Marker at " + at);
            markers++;
        }
        assertEquals(128, markers);
        MarkedStream stream = new MarkedStream(true);
        stream.add(bytes.array());
        assertArrayEquals(Forge.fpdu(ulpdu(LONGEST), true), stream.plain());
    }

    /** Any lengths, with CRCs and without, any number of FPDUs for one write, bytes taken in any pieces, FPDUs dropped that did not go. */
    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    @Requirement("RFC5044-4.3-b,g,i")
    void shouldKeepTheIntervalWhateverIsSent(long seed) {
        Random random = new Random(seed);
        boolean crc = random.nextInt(4) > 0;
        FpduWriter writer = writer(crc);
        for (int i = 0; i < 300; i++) {
            boolean room = describe(writer, TAGGED_SIZE + random.nextInt(random.nextInt(10) == 0 ? LONGEST - TAGGED_SIZE + 1 : 1500));
            if (!room || random.nextInt(4) == 0) {
                send(writer, random.nextInt(1, 1 << random.nextInt(1, 18)));
            }
            if (random.nextInt(40) == 0) {
                assertTrue(writer.cut());
            }
        }
        send(writer, Long.MAX_VALUE);
        MarkedStream stream = new MarkedStream(crc);
        stream.add(sent.toByteArray());
        int whole = stream.plain().length;
        stream.end();
        assertEquals(whole, stream.plain().length, "an FPDU that is not whole");
        assertEquals((sent.size() - 1) / 512 + 1, stream.markers());
    }

    // A whole stream.

    /** Sends, Writes, an answer to a Read and a Terminate: the same as without Markers, but for the Markers. */
    @ParameterizedTest
    @CsvSource({ "true, 1454", "true, 64768", "false, 1454", "true, 128" })
    void shouldSendTheSameMessagesAsWithoutMarkers(boolean crc, int mulpdu) {
        byte[] marked = messages(Rig.Options.of(crc).marked(mulpdu));
        byte[] plain = messages(new Rig.Options(crc, false, 16, 16, mulpdu, false, Rig.Options.of(crc).ready()));
        MarkedStream stream = new MarkedStream(crc);
        stream.add(marked);
        assertArrayEquals(plain, stream.plain());
        assertEquals((marked.length - 1) / 512 + 1, stream.markers());
    }

    private static byte[] messages(Rig.Options options) {
        int size = 100_001;
        Rig rig = new Rig(options, 3 * Rig.room(size));
        RegisteredMemory source = rig.region(size, Access.REMOTE_READ);
        MemorySegment.copy(Forge.payload(size), 0, source.segment(), ValueLayout.JAVA_BYTE, 0, size);
        rig.send(1, source);
        rig.write(2, source, 0x1000, 0x77);
        rig.transmit(700);
        rig.transmit();
        rig.feed(Forge.read(1, size - 3, source.stag(), source.base(), options.crc()));
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 9, 1, 0, new byte[3]), options.crc()));
        return rig.bytesSent();
    }

    @Test
    void shouldCutAtTheEndOfAnFpduAndPutAMarkerIntoTheTerminate() {
        int size = 60_000;
        Rig rig = new Rig(Rig.Options.of(true).marked(1454), Rig.room(size));
        rig.send(1, rig.region(size));
        rig.transmit(3000);
        rig.stream().close();
        rig.transmit();
        MarkedStream stream = new MarkedStream(true);
        stream.add(rig.bytesSent());
        byte[] plain = stream.plain();
        assertTrue(plain.length < 6000, () -> plain.length + " bytes");
        // Length, header, and the RDMAP control byte in it: a Terminate without headers is 2 + 18 + 4 bytes and the CRC.
        assertEquals(Forge.TERMINATE, plain[plain.length - 28 + 3]);
    }

    /** RFC 5044, 4.5: if the segments of the path change, so do the FPDUs, from the next one on. */
    @Test
    @Requirement("RFC5041-3-b,c")
    void shouldFollowASmallerSegmentWithinAMessage() {
        // More than one write describes.
        int size = 600_000;
        Rig rig = new Rig(Rig.Options.of(true).marked(8870), Rig.room(size));
        rig.send(1, rig.region(size));
        rig.transmit(10_000);
        rig.stream().outbound().mulpdu(1430);
        rig.transmit();
        MarkedStream stream = new MarkedStream(true);
        stream.add(rig.bytesSent());
        ByteBuffer plain = ByteBuffer.wrap(stream.plain());
        List<Integer> lengths = new ArrayList<>();
        for (int at = 0; at < plain.capacity(); at += (2 + lengths.getLast() + 3) / 4 * 4 + 4) {
            lengths.add(Short.toUnsignedInt(plain.getShort(at)));
        }
        assertEquals(8870, lengths.get(1), "the second FPDU; the first is short");
        assertEquals(1430, lengths.get(lengths.size() - 2));
        assertTrue(lengths.lastIndexOf(8870) < lengths.indexOf(1430), lengths::toString);
    }

    @Test
    void shouldAllocateNothing() {
        FpduWriter writer = writer(true);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int round = 0; round < 3; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 5000; i++) {
                source.wrap(memory, 0, 1400);
                long at = writer.beginSegment(TAGGED_SIZE, 1400, source, true);
                Fpdu.length(writer.headers(), at, i);
                writer.endSegment(source);
                writer.onSent(writer.vector().bytes());
            }
            long allocated = threads.getCurrentThreadAllocatedBytes() - before;
            if (round == 2) {
                assertTrue(allocated < 20_000, () -> allocated + " bytes for 5000 FPDUs");
            }
        }
    }

    /** RFC 5044, 4.5: EMSS - (6 + 4 * ceiling(EMSS / 512) + EMSS mod 4) with Markers, at least 128. */
    @ParameterizedTest
    @CsvSource({ "1460, 1442", "1448, 1430", "1449, 1430", "512, 502", "513, 498", "8948, 8870", "140, 130", "88, 128", "0, 128",
            "65483, 64768" })
    @Requirement({ "RFC5044-4.5-a,d", "RFC5044-5.1-a" })
    void shouldLeaveRoomForMarkersInASegment(int segmentSize, int mulpdu) {
        assertEquals(mulpdu, Fpdu.mulpdu(segmentSize, true));
    }

    /** Wherever an FPDU of that length begins, it fits into the segment with all its Markers. */
    @ParameterizedTest
    @ValueSource(ints = { 536, 1448, 1460, 8948 })
    @Requirement("RFC5044-4.5-a")
    void shouldFitIntoASegmentWithItsMarkers(int segmentSize) {
        int ulpdu = Fpdu.mulpdu(segmentSize, true);
        FpduWriter writer = writer(false);
        for (int i = 0; i < 600; i++) {
            long before = writer.described();
            describe(writer, ulpdu);
            long size = writer.described() - before;
            assertTrue(size <= segmentSize, () -> size + " bytes at " + before);
            send(writer, Long.MAX_VALUE);
            describe(writer, TAGGED_SIZE);
        }
    }
}
