package org.panamaverbs.softiwarp.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.panamaverbs.softiwarp.wire.Bytes.AT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 5044, 7.1.1; RFC 6581, 6 and 9. */
class MpaStartTest {
    private static final String REQUEST_KEY = "4d 50 41 20 49 44 20 52 65 71 20 46 72 61 6d 65";
    private static final String REPLY_KEY = "4d 50 41 20 49 44 20 52 65 70 20 46 72 61 6d 65";

    @Test
    void shouldReadAndWriteARequestOfRevisionOne() {
        String wire = REQUEST_KEY + "40 01 0003";
        MemorySegment in = Bytes.of(wire);
        assertEquals(16, MpaStart.matches(in, AT, 16, true));
        assertEquals(MpaStart.CRC, MpaStart.flags(in, AT));
        assertEquals(1, MpaStart.revision(in, AT));
        assertEquals(3, MpaStart.privateLength(in, AT));
        MemorySegment out = Bytes.blank(MpaStart.SIZE);
        MpaStart.put(out, AT, true, MpaStart.CRC, 1, 3);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAReplyThatRejects() {
        String wire = REPLY_KEY + "20 01 0000";
        MemorySegment in = Bytes.of(wire);
        assertEquals(16, MpaStart.matches(in, AT, 16, false));
        assertEquals(MpaStart.REJECTED, MpaStart.flags(in, AT));
        MemorySegment out = Bytes.blank(MpaStart.SIZE);
        MpaStart.put(out, AT, false, MpaStart.REJECTED, 1, 0);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAnEnhancedRequestForPeerToPeer() {
        String wire = REQUEST_KEY + "50 02 0004" + "8010 8020";
        MemorySegment in = Bytes.of(wire);
        assertEquals(MpaStart.CRC | MpaStart.ENHANCED, MpaStart.flags(in, AT));
        assertEquals(MpaStart.PEER_TO_PEER | 16, MpaStart.ird(in, AT));
        assertEquals(MpaStart.RTR_WRITE | 32, MpaStart.ord(in, AT));
        MemorySegment out = Bytes.blank(24);
        MpaStart.put(out, AT, true, MpaStart.CRC | MpaStart.ENHANCED, 2, 4);
        MpaStart.depths(out, AT, MpaStart.PEER_TO_PEER | 16, MpaStart.RTR_WRITE | 32);
        Bytes.assertBytes(wire, out);
    }

    @Test
    void shouldReadAndWriteAllBitsOfTheDepths() {
        MemorySegment out = Bytes.blank(24);
        MpaStart.put(out, AT, false, MpaStart.MARKERS, 2, 512);
        MpaStart.depths(out, AT, MpaStart.RTR_SEND | MpaStart.DEPTH, MpaStart.RTR_READ | MpaStart.DEPTH);
        Bytes.assertBytes(REPLY_KEY + "80 02 0200" + "7fff 7fff", out);
        assertEquals(MpaStart.DEPTH, MpaStart.ird(out, AT) & MpaStart.DEPTH);
        assertEquals(512, MpaStart.privateLength(out, AT));
    }

    @Test
    void shouldReadLengthsAsUnsigned() {
        assertEquals(0xFFFF, MpaStart.privateLength(Bytes.of(REPLY_KEY + "00 ff ffff"), AT));
        assertEquals(255, MpaStart.revision(Bytes.of(REPLY_KEY + "00 ff ffff"), AT));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 5, 9, 15 })
    void shouldTellWhereAKeyIsWrong(int wrong) {
        MemorySegment in = Bytes.of(REQUEST_KEY);
        in.set(ValueLayout.JAVA_BYTE, AT + wrong, (byte) 0);
        assertEquals(wrong, MpaStart.matches(in, AT, 16, true));
        assertEquals(wrong, MpaStart.matches(in, AT, wrong, true), "the bytes before it agree");
    }

    @Test
    void shouldTellARequestFromAReply() {
        assertEquals(9, MpaStart.matches(Bytes.of(REQUEST_KEY), AT, 16, false));
        assertEquals(9, MpaStart.matches(Bytes.of(REPLY_KEY), AT, 16, true));
        assertArrayEquals("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII), MpaStart.key(true));
    }
}
