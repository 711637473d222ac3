package org.panamaverbs.softiwarp.captures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.panamaverbs.softiwarp.fixtures.Chopped;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.wire.MpaStart;
import org.panamaverbs.testing.conformance.Requirement;

/** The Requests and Replies of other implementations, and what is none, each chopped at every byte. */
class StartTest {
    @SuppressWarnings("unused") // by its name
    private static final List<String> CAPTURES = Capture.NAMES;

    private static byte[] bytes(Flow flow) {
        return flow.stream().toArray(ValueLayout.JAVA_BYTE);
    }

    private static byte[] start(Flow flow) {
        return flow.stream().asSlice(0, flow.startSize()).toArray(ValueLayout.JAVA_BYTE);
    }

    private static InitiatorHandshake waiting(Terms terms) {
        InitiatorHandshake initiator = new InitiatorHandshake(terms);
        Chopped.drain(initiator);
        return initiator;
    }

    private static ResponderHandshake requested(byte[] stream, IntSupplier most) {
        ResponderHandshake responder = new ResponderHandshake();
        int taken = Chopped.feed(responder, stream, most);
        assertEquals(Handshake.State.REQUESTED, responder.state());
        assertTrue(taken < stream.length, "not one byte beyond the frame");
        return responder;
    }

    /** The first piece has so many bytes, the second the rest. */
    private static IntSupplier cut(int first) {
        int[] pieces = { 0 };
        return () -> pieces[0]++ == 0 ? first : Integer.MAX_VALUE;
    }

    private static void assertUnderstood(Flow flow, IntSupplier most) {
        ResponderHandshake responder = requested(bytes(flow), most);
        assertEquals(MpaStart.ird(flow.stream(), 0), responder.remoteIrd());
        assertEquals(MpaStart.ord(flow.stream(), 0), responder.remoteOrd());
        byte[] data = flow.stream().asSlice(24, flow.startSize() - 24).toArray(ValueLayout.JAVA_BYTE);
        assertArrayEquals(data, responder.privateData());
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldUnderstandTheRequest(String name) {
        Flow flow = Capture.read(name).initiator();
        for (int at = 1; at <= flow.startSize(); at++) {
            int most = at;
            assertUnderstood(flow, () -> most);
            assertUnderstood(flow, cut(at));
        }
    }

    private static void assertAgreed(Capture capture, IntSupplier most) {
        Flow flow = capture.responder();
        InitiatorHandshake initiator = waiting(new Terms(2, capture.hasCrc(), 128, 128, new byte[0]));
        assertEquals(flow.startSize(), Chopped.feed(initiator, bytes(flow), most), "not one byte beyond the frame");
        assertEquals(Handshake.State.AGREED, initiator.state());
        Agreement agreement = initiator.agreement();
        assertEquals(capture.hasCrc(), agreement.crc());
        assertEquals(MpaStart.ird(flow.stream(), 0), agreement.ord());
        assertEquals(ReadyIndication.NONE, agreement.ready());
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldAgreeWithTheReply(String name) {
        Capture capture = Capture.read(name);
        for (int at = 1; at <= capture.responder().startSize(); at++) {
            int most = at;
            assertAgreed(capture, () -> most);
            assertAgreed(capture, cut(at));
        }
    }

    @Test
    void shouldAnswerRpingAsSiwDid() {
        Capture capture = Capture.read("rping");
        byte[] expected = start(capture.responder());
        for (int at = 1; at <= expected.length; at++) {
            int most = at;
            ResponderHandshake responder = requested(bytes(capture.initiator()), () -> Integer.MAX_VALUE);
            responder.accept(new Terms(2, false, 1, 1, new byte[0]));
            assertArrayEquals(expected, Chopped.drain(responder, () -> most));
            assertEquals(Handshake.State.AGREED, responder.state());
        }
    }

    private static void assertFails(Handshake machine, byte[] stream, int most, String says) {
        Chopped.feed(machine, stream, () -> most);
        assertEquals(Handshake.State.FAILED, machine.state());
        assertTrue(machine.failure().contains(says), machine.failure());
    }

    private static final Terms WITH_CRC = new Terms(2, true, 16, 16, new byte[0]);

    @ParameterizedTest
    @CsvSource({ "H, 1", "HTTP/1.1 400 Bad Request, 4", "MPA ID Req Frame, 16", "MPA ID Rep frame, 16", "SSH-2.0-x, 3" })
    @Requirement({ "RFC5044-7.1.1-d", "RFC5044-7.1.2-k,m,q" })
    void shouldShowWhatIsNoReply(String text, int most) {
        byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
        InitiatorHandshake initiator = waiting(WITH_CRC);
        String shown = text.substring(0, Math.min(most, text.length()));
        assertFails(initiator, bytes, most, "not an MPA peer: it answered with \"" + shown + "\" (");
        assertTrue(initiator.failure().contains("(%02x".formatted((int) text.charAt(0))), initiator.failure());
    }

    @Test
    void shouldShowUnprintableBytesInHexadecimal() {
        byte[] hello = { 0x16, 0x03, 0x01, 0x02, 0x00, (byte) 0xFF };
        assertFails(new ResponderHandshake(), hello, 6, "began with \"......\" (16 03 01 02 00 ff)");
    }

    @ParameterizedTest
    @CsvSource({ "513", "65535" })
    @Requirement({ "RFC5044-7.1.1-r,s", "RFC5044-7.1.2-o,q" })
    void shouldRefuseMorePrivateDataThanThereMayBe(int length) {
        byte[] request = Forge.start(true, true, 1, 1);
        request[18] = (byte) (length >>> 8);
        request[19] = (byte) length;
        assertFails(new ResponderHandshake(), request, 24, length + " bytes of private data");
    }

    /** Flags and revision of a Request, its private data's length, and what the message says. */
    @ParameterizedTest
    @CsvSource({ "10, 00, 4, revision 0", "10, 03, 4, revision 3", "10, ff, 4, revision 255", "10, 02, 3, IRD and ORD",
            "10, 02, 0, IRD and ORD" })
    @Requirement({ "RFC5044-7.1.1-o,p", "RFC5044-7.1.2-q" })
    void shouldRefuseARequest(String flags, String revision, int length, String says) {
        byte[] request = Chopped.frame(true, Integer.parseInt(flags, 16), Integer.parseInt(revision, 16), new byte[length]);
        for (int most = 1; most <= request.length; most++) {
            assertFails(new ResponderHandshake(), request, most, says);
        }
    }

    @ParameterizedTest
    @CsvSource({ "10, 00, 4, revision 0", "10, 03, 4, revision 3", "50, 02, 3, IRD and ORD" })
    @Requirement({ "RFC5044-7.1.1-o,p", "RFC5044-7.1.2-q" })
    void shouldRefuseAReply(String flags, String revision, int length, String says) {
        byte[] reply = Chopped.frame(false, Integer.parseInt(flags, 16), Integer.parseInt(revision, 16), new byte[length]);
        for (int most = 1; most <= reply.length; most++) {
            assertFails(waiting(WITH_CRC), reply, most, says);
        }
    }
}
