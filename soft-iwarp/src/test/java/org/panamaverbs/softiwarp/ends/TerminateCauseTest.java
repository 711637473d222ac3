package org.panamaverbs.softiwarp.ends;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.Terminate;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** The cause that a Terminate names (RFC 5040, 4.8 and 7.1; RFC 5041, 7.2), and the cause that is taken from one that the peer sent. */
class TerminateCauseTest {
    private static final int LENGTH = 1 << 20;
    private static final int REQUEST_SIZE = 28;
    private static final int UNTAGGED_HEADER = 18;
    /** Of the payload: layer, type, code, and the bits M, D and R; then the DDP segment's length, then its header. */
    private static final int BITS_AT = 2;
    private static final int SEGMENT_LENGTH_AT = 4;
    private static final int DDP_HEADER_AT = 6;
    private static final int REQUEST_AT = DDP_HEADER_AT + UNTAGGED_HEADER;
    private static final int M_AND_D = 0xC0;
    private static final int M_D_AND_R = 0xE0;

    private final Rig rig = new Rig(Rig.Options.of(true), 3 * Rig.room(LENGTH));

    private Segment terminate() {
        Segment last = rig.sent().getLast();
        assertEquals(Rdmap.TERMINATE, last.opcode());
        return last;
    }

    /** RFC 5041, 7.2 knows no missing right: the STag is not valid for a Write. RDMAP's codes are for what RDMAP checks. */
    @Test
    @Requirement("RFC5041-7.2-a")
    void shouldCallAWriteWithoutTheRightAnErrorOfDdp() {
        RegisteredMemory readOnly = rig.region(100, Access.REMOTE_READ);
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, readOnly.stag(), readOnly.base(), Forge.payload(40)), true));
        Segment last = terminate();
        assertEquals(TerminateCode.describe(TerminateCode.TAGGED_INVALID_STAG),
                TerminateCode.describe(Terminate.error(last.stream(), last.payloadAt())));
        assertEquals(M_AND_D, last.payload()[BITS_AT] & 0xFF, "M, D and R");
    }

    private byte[] request() {
        RegisteredMemory source = rig.region(LENGTH, Access.REMOTE_READ);
        rig.silence();
        byte[] request = Forge.readRequest(0x77, 0x1000, LENGTH, source.stag(), source.base());
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, request), true));
        revoked = source;
        return request;
    }

    private RegisteredMemory revoked;

    private void assertNamesTheRequest(byte[] request) {
        Segment last = terminate();
        byte[] payload = last.payload();
        assertEquals(TerminateCode.describe(TerminateCode.RDMA_INVALID_STAG),
                TerminateCode.describe(Terminate.error(last.stream(), last.payloadAt())));
        assertEquals(M_D_AND_R, payload[BITS_AT] & 0xFF, "M, D and R");
        assertEquals(UNTAGGED_HEADER + REQUEST_SIZE, ByteBuffer.wrap(payload).getShort(SEGMENT_LENGTH_AT), "DDP segment length");
        byte[] header = Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, new byte[0]);
        assertArrayEquals(header, Arrays.copyOfRange(payload, DDP_HEADER_AT, REQUEST_AT), "DDP header");
        assertArrayEquals(request, Arrays.copyOfRange(payload, REQUEST_AT, payload.length), "Read Request header");
    }

    @Test
    void shouldNameTheReadWhoseSourceWasRevokedBeforeItsAnswer() {
        byte[] request = request();
        rig.deregister(revoked);
        rig.transmit();
        assertNamesTheRequest(request);
    }

    /** Another request came after it: the Terminate names the one that failed. */
    @Test
    void shouldNameTheReadWhoseSourceWasRevokedAndNotTheLastThatCame() {
        byte[] request = request();
        RegisteredMemory other = rig.region(100, Access.REMOTE_READ);
        rig.feed(Forge.read(2, 100, other.stag(), other.base(), true));
        rig.deregister(revoked);
        rig.transmit();
        assertNamesTheRequest(request);
    }

    /** RFC 5040, 4.8: then the header says how far the Read had come. */
    @Test
    @Requirement("RFC5040-4.8-k")
    void shouldSayHowFarTheReadHadComeWhoseSourceWasRevokedDuringItsAnswer() {
        byte[] request = request();
        rig.transmit(100);
        rig.deregister(revoked);
        rig.transmit();
        List<Segment> sent = rig.sent();
        int done = sent.subList(0, sent.size() - 1).stream().mapToInt(Segment::payloadLength).sum();
        assertTrue(done > 0 && done < LENGTH, "the answer had begun: " + done);
        ByteBuffer header = ByteBuffer.wrap(request);
        header.putLong(4, header.getLong(4) + done).putInt(12, LENGTH - done).putLong(20, header.getLong(20) + done);
        assertNamesTheRequest(request);
    }

    /** Posts a Read, lets the peer send a Terminate of a protection error, and returns the Read's outcome. */
    private CompletionStatus outcomeOfARead(int code, int bits) {
        RegisteredMemory sink = rig.region(100, Access.LOCAL_WRITE);
        rig.read(7, sink, 0x1000, 0x77);
        byte[] request = rig.sent().getFirst().payload();
        ByteBuffer payload = ByteBuffer.allocate(REQUEST_AT + REQUEST_SIZE).putShort((short) code).put((byte) bits).put((byte) 0);
        // siw's bits are the low ones of the byte, its layer and type the other way round; the rest is the same.
        boolean siw = (bits & 0x07) != 0;
        if (siw) {
            payload.put(0, (byte) ((code >>> 8 & 0x0F) << 4 | code >>> 12));
        }
        boolean read = (bits & 0x24) != 0;
        if (read) {
            payload.putShort((short) (UNTAGGED_HEADER + REQUEST_SIZE))
                    .put(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, request));
        } else {
            payload.putShort((short) (14 + 40)).put(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, 0x99, 0x2000, new byte[0]));
        }
        byte[] terminate = Arrays.copyOf(payload.array(), payload.position());
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, terminate), true));
        rig.end();
        List<Rig.Done> done = rig.completions();
        assertEquals(1, done.size());
        return done.getFirst().status();
    }

    /** The peer blames a Write of ours. */
    @ParameterizedTest
    @ValueSource(ints = { 0xC0, 0x03 })
    void shouldNotBlameOurReadForATerminateThatDoesNotCarryARequest(int bits) {
        assertEquals(CompletionStatus.FLUSHED, outcomeOfARead(TerminateCode.RDMA_ACCESS, bits));
    }

    @ParameterizedTest
    @ValueSource(ints = { 0xE0, 0x07 })
    void shouldBlameOurReadForATerminateThatCarriesItsRequest(int bits) {
        assertEquals(CompletionStatus.REMOTE_ACCESS_ERROR, outcomeOfARead(TerminateCode.RDMA_ACCESS, bits));
    }
}
