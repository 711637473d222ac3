package org.panamaverbs.ddp.sctp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.panamaverbs.ddp.sctp.Chunks.sent;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.softiwarp.ddp.DdpTransmitter;
import org.panamaverbs.softiwarp.ddp.LowerLayer;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/** Segments as messages: their bytes, their greatest size (RFC 5043, 9), and their DDP-SSNs (5.2.1). */
class SctpSegmentsTest {
    private final Arena arena = Arena.ofAuto();
    private final Outbound out = new Outbound(arena);
    private final ActiveSession session = new ActiveSession(out, new byte[0]);
    private final SctpSegments segments = new SctpSegments(out, session, 520);
    private final DdpTransmitter transmitter = new DdpTransmitter(segments, 1);

    private void establish() {
        sent(session);
        Chunks.control(new MessageReader(session, arena), 0, 2);
    }

    /** Data Chunk of 1500 less 20 or 40 for IP, 12 and 16 for SCTP, 24 for a SACK, 2 for the DDP-SSN; padded to 4 bytes. */
    @ParameterizedTest
    @CsvSource({ "1500, false, 1426", "1500, true, 1406", "9000, false, 8926", "65536, false, 32768", "576, false, 516", "68, false, 516",
            "1501, false, 1426" })
    void shouldFillAPacketAndNoMore(int mtu, boolean ipv6, int mulpdu) {
        assertEquals(mulpdu, SctpSegments.mulpdu(mtu, ipv6));
    }

    @Test
    void shouldSendTheHeaderAndPayloadBehindTheDdpSsn() {
        establish();
        transmitter.message().tagged(0xAB, 0x01020304, 0x1112131415161718L);
        transmitter.message().source().wrap(MemorySegment.ofArray(new byte[] { 0, 7, 8, 9 }), 1, 3);
        transmitter.begin();
        assertEquals(DdpTransmitter.Outcome.LAST, transmitter.sendSegment());
        assertEquals(16, session.pollTransmit().protocol());
        assertArrayEquals(Chunks.tagged(1, true, 0xAB, 0x01020304, 0x1112131415161718L, (byte) 7, (byte) 8, (byte) 9), sent(session));
    }

    @Test
    void shouldHaveRoomForOneSegmentOfAnOpenSession() {
        SgeCursor empty = new SgeCursor();
        assertEquals(LowerLayer.NO_ROOM, segments.beginSegment(18, 0, empty, true), "the Initiate has not left");
        sent(session);
        assertEquals(LowerLayer.NO_ROOM, segments.beginSegment(18, 0, empty, true), "no answer has come (6.6)");
        Chunks.control(new MessageReader(session, arena), 0, 2);
        assertEquals(2, segments.beginSegment(18, 0, empty, true));
        assertTrue(segments.endSegment(empty));
        assertEquals(LowerLayer.NO_ROOM, segments.beginSegment(18, 0, empty, true));
        sent(session);
        session.terminate();
        assertEquals(LowerLayer.NO_ROOM, segments.beginSegment(18, 0, empty, true));
    }

    @Test
    void shouldRejectASegmentThatIsTooLong() {
        establish();
        SgeCursor source = new SgeCursor();
        source.wrap(arena.allocate(1000), 0, 1000);
        assertThrows(IllegalArgumentException.class, () -> segments.beginSegment(18, 503, source, true));
        assertEquals(2, segments.beginSegment(18, 502, source, true));
        assertThrows(IllegalArgumentException.class, () -> new SctpSegments(out, session, 515));
        assertThrows(IllegalArgumentException.class, () -> new SctpSegments(out, session, 32_769));
    }

    @Test
    void shouldNumberMessagesWithoutGapsAcrossTheWrap() {
        establish();
        SgeCursor empty = new SgeCursor();
        for (int i = 1; i < 140_000; i++) {
            segments.beginSegment(18, 0, empty, true);
            segments.endSegment(empty);
            byte[] message = sent(session);
            assertEquals(i & 0xFFFF, (message[0] & 0xFF) << 8 | message[1] & 0xFF);
        }
    }

    @Test
    void shouldTakeNoDdpSsnForMemoryThatIsGone() throws Exception {
        establish();
        RegisteredMemory memory = new RegisteredMemory(arena.allocate(8), this, 0);
        transmitter.message().tagged(0, 1, 0);
        transmitter.message().source().wrap(memory, 0, 8);
        transmitter.begin();
        memory.retire();
        assertEquals(DdpTransmitter.Outcome.BAD_MEMORY, transmitter.sendSegment());
        assertEquals(0, sent(session).length);
        session.terminate();
        assertArrayEquals(Chunks.control(1, 4), sent(session));
    }
}
