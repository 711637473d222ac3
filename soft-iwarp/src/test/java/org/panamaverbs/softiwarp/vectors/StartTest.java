package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.FrameReader;
import org.panamaverbs.softiwarp.mpa.Initiator;
import org.panamaverbs.softiwarp.mpa.NotMpaException;
import org.panamaverbs.softiwarp.mpa.Responder;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** The Requests and Replies of other implementations, and what is none. */
class StartTest {
    @SuppressWarnings("unused") // by its name
    private static final List<String> CAPTURES = Capture.NAMES;

    /** Reads the frame from a stream, at most so many bytes at a time. */
    private static FrameReader read(byte[] stream, boolean request, int most) throws NotMpaException {
        FrameReader reader = new FrameReader(Arena.ofAuto().allocate(FrameReader.CAPACITY), request);
        while (reader.missing() > 0 && reader.filled() < stream.length) {
            int count = Math.min(most, Math.min(reader.missing(), stream.length - reader.filled()));
            MemorySegment.copy(stream, reader.filled(), reader.frame(), ValueLayout.JAVA_BYTE, reader.filled(), count);
            reader.onReceived(count);
        }
        return reader;
    }

    private static byte[] bytes(Flow flow) {
        return flow.stream().toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldUnderstandTheRequest(String name) throws NotMpaException {
        Flow flow = Capture.read(name).initiator();
        for (int most = 1; most <= flow.startSize(); most++) {
            FrameReader reader = read(bytes(flow), true, most);
            assertEquals(flow.startSize(), reader.filled(), "not one byte beyond the frame");
            Responder responder = new Responder(reader);
            assertEquals(MpaStart.ird(flow.stream(), 0), responder.remoteIrd());
            assertEquals(MpaStart.ord(flow.stream(), 0), responder.remoteOrd());
            byte[] data = flow.stream().asSlice(24, flow.startSize() - 24).toArray(ValueLayout.JAVA_BYTE);
            assertArrayEquals(data, responder.privateData());
        }
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldAgreeWithTheReply(String name) throws NotMpaException {
        Capture capture = Capture.read(name);
        Flow flow = capture.responder();
        for (int most = 1; most <= flow.startSize(); most++) {
            FrameReader reader = read(bytes(flow), false, most);
            assertEquals(flow.startSize(), reader.filled(), "not one byte beyond the frame");
            Initiator initiator = new Initiator(new Terms(2, capture.hasCrc(), 128, 128, new byte[0]));
            assertNull(initiator.rejection(reader));
            Agreement agreement = initiator.agree(reader);
            assertEquals(capture.hasCrc(), agreement.crc());
            assertEquals(MpaStart.ird(flow.stream(), 0), agreement.ord());
            assertFalse(agreement.sendReady());
        }
    }

    @Test
    void shouldAnswerRpingAsSiwDid() throws NotMpaException {
        Capture capture = Capture.read("rping");
        Responder responder = new Responder(read(bytes(capture.initiator()), true, 512));
        byte[] reply = responder.accept(new Terms(2, false, 1, 1, new byte[0]));
        Flow flow = capture.responder();
        assertArrayEquals(flow.stream().asSlice(0, flow.startSize()).toArray(ValueLayout.JAVA_BYTE), reply);
    }

    @ParameterizedTest
    @CsvSource({ "H, 1", "HTTP/1.1 400 Bad Request, 4", "MPA ID Req Frame, 16", "MPA ID Rep frame, 16", "SSH-2.0-x, 3" })
    void shouldShowWhatIsNoReply(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        NotMpaException failure = assertThrows(NotMpaException.class, () -> read(bytes, false, most));
        String shown = text.substring(0, Math.min(most, text.length()));
        assertTrue(failure.getMessage().startsWith("not an MPA peer: it answered with \"" + shown + "\" ("), failure.getMessage());
        assertTrue(failure.getMessage().contains("(%02x".formatted((int) text.charAt(0))), failure.getMessage());
    }

    @Test
    void shouldShowUnprintableBytesInHexadecimal() {
        byte[] hello = { 0x16, 0x03, 0x01, 0x02, 0x00, (byte) 0xFF };
        NotMpaException failure = assertThrows(NotMpaException.class, () -> read(hello, true, 6));
        assertTrue(failure.getMessage().contains("began with \"......\" (16 03 01 02 00 ff)"), failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({ "513", "65535" })
    void shouldRefuseMorePrivateDataThanThereMayBe(int length) {
        byte[] request = Forge.start(true, true, 1, 1);
        request[18] = (byte) (length >>> 8);
        request[19] = (byte) length;
        NotMpaException failure = assertThrows(NotMpaException.class, () -> read(request, true, 24));
        assertTrue(failure.getMessage().contains(length + " bytes of private data"), failure.getMessage());
    }

    /** Flags and revision of a Request, its private data's length, and what the message says. */
    @ParameterizedTest
    @CsvSource({ "10, 00, 4, revision 0", "10, 03, 4, revision 3", "10, ff, 4, revision 255", "90, 02, 4, Markers",
            "10, 02, 3, IRD and ORD", "10, 02, 0, IRD and ORD" })
    void shouldRefuseARequest(String flags, String revision, int length, String says) throws NotMpaException {
        byte[] request = Forge.start(true, false, 1, 1);
        request[16] = (byte) Integer.parseInt(flags, 16);
        request[17] = (byte) Integer.parseInt(revision, 16);
        request[19] = (byte) length;
        FrameReader reader = read(request, true, 24);
        NotMpaException failure = assertThrows(NotMpaException.class, () -> new Responder(reader));
        assertTrue(failure.getMessage().contains(says), failure.getMessage());
    }

    @ParameterizedTest
    @CsvSource({ "10, 00, 4, revision 0", "10, 03, 4, revision 3", "90, 02, 4, Markers", "50, 02, 3, IRD and ORD", "00, 02, 4, CRCs off" })
    void shouldRefuseAReply(String flags, String revision, int length, String says) throws NotMpaException {
        byte[] reply = Forge.start(false, false, 1, 1);
        reply[16] = (byte) Integer.parseInt(flags, 16);
        reply[17] = (byte) Integer.parseInt(revision, 16);
        reply[19] = (byte) length;
        FrameReader reader = read(reply, false, 24);
        Initiator initiator = new Initiator(new Terms(2, true, 16, 16, new byte[0]));
        NotMpaException failure = assertThrows(NotMpaException.class, () -> initiator.agree(reader));
        assertTrue(failure.getMessage().contains(says), failure.getMessage());
    }
}
