package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.SendWorkRequest;
import org.panamaverbs.testing.conformance.Requirement;

/** The bytes of each message of RFC 5040, and the fields that a receiver ignores. The bytes are made without the classes under test. */
class Rfc5040MessagesTest {
    private static final int LENGTH = 100;
    private static final int KEY = 0x77;
    private static final long OFFSET = 0x1000;

    private final byte[] payload = Forge.payload(LENGTH);
    private final Rig rig = new Rig(Rig.Options.of(true), 3 * Rig.room(LENGTH));
    private RegisteredMemory memory;

    @BeforeEach
    void register() {
        memory = rig.advertised(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
        MemorySegment.copy(payload, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, LENGTH);
    }

    private void assertSent(byte[] fpdu) {
        ByteArrayOutputStream sent = new ByteArrayOutputStream();
        rig.sent().forEach(segment -> sent
                .writeBytes(segment.stream().asSlice(segment.at(), segment.end() - segment.at()).toArray(ValueLayout.JAVA_BYTE)));
        assertEquals(HexFormat.of().formatHex(fpdu), HexFormat.of().formatHex(sent.toByteArray()));
    }

    @Test
    @Requirement({ "RFC5040-4.1-a,b,d..i", "RFC5040-4.2-a", "RFC5040-5.1-a,b" })
    void shouldSendAWriteAsATaggedMessage() {
        rig.write(1, memory, OFFSET, KEY);
        rig.transmit();
        assertSent(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE, KEY, OFFSET, payload), true));
    }

    /** Flags of the request, and the control field and STag that they make. */
    @ParameterizedTest
    @CsvSource({ "0, 67, 0", "4, 69, 0", "131072, 68, 153", "131076, 70, 153" })
    @Requirement({ "RFC5040-4.1-a..j", "RFC5040-4.2-a", "RFC5040-5.3-a,b,e,h,i" })
    void shouldSendEachKindOfSendToQueueZero(int flags, int control, int invalidated) {
        assertEquals(4, SendWorkRequest.SOLICITED);
        assertEquals(131072, SendQueue.INVALIDATE);
        rig.send(1, memory, flags, invalidated);
        rig.transmit();
        assertSent(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, control, invalidated, 0, 1, 0, payload), true));
    }

    @Test
    @Requirement({ "RFC5040-4.1-a,b,d..j", "RFC5040-4.2-a", "RFC5040-4.4-a", "RFC5040-5.2.1-a,b,f,g" })
    void shouldSendAReadRequestToQueueOne() {
        rig.read(1, memory, OFFSET, KEY);
        byte[] request = Forge.readRequest(memory.stag(), memory.base(), LENGTH, KEY, OFFSET);
        assertSent(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, 0, 1, 1, 0, request), true));
    }

    /** The sink's STag and offset are the peer's own: they mean nothing here, and come back as they are. */
    @Test
    @Requirement({ "RFC5040-4.1-a,b,d..i", "RFC5040-4.2-a", "RFC5040-4.4-b", "RFC5040-5.2.1-l", "RFC5040-5.2.2-a,b" })
    void shouldAnswerAReadByATaggedMessageToTheSinkOfTheRequest() {
        rig.feed(Forge.read(1, LENGTH, memory.stag(), memory.base(), true));
        assertSent(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, KEY, OFFSET, payload), true));
    }

    /** The error is not the peer's: memory that this side would send is not registered any more. */
    @Test
    @Requirement({ "RFC5040-4.1-d..j", "RFC5040-4.2-a", "RFC5040-4.8-a", "RFC5040-5.4-a..c", "RFC5040-7.1-b" })
    void shouldSendATerminateWithoutHeadersInPlaceOfARequestThatItCannotMake() {
        rig.send(1, memory);
        rig.deregister(memory);
        rig.transmit();
        assertSent(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[4]), true));
    }

    /** Bits 26 and 27, which are to be 0, in each message that a peer may begin. */
    @ParameterizedTest
    @ValueSource(ints = { 0x10, 0x20, 0x30 })
    @Requirement("RFC5040-4.1-i")
    void shouldIgnoreTheReservedBitsOfTheControlField(int reserved) {
        rig.receive(7, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.WRITE | reserved, memory.stag(), memory.base(), new byte[LENGTH]), true));
        assertEquals(-1, memory.segment().mismatch(MemorySegment.ofArray(new byte[LENGTH])), "the Write is in its place");
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND | reserved, 0, 0, 1, 0, payload), true));
        assertEquals(7, rig.completions().getFirst().id());
        byte[] request = Forge.readRequest(KEY, OFFSET, LENGTH, memory.stag(), memory.base());
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST | reserved, 0, 1, 1, 0, request), true));
        assertSent(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, KEY, OFFSET, new byte[LENGTH]), true));
    }

    /** Send, and Send with Solicited Event. */
    @ParameterizedTest
    @ValueSource(ints = { 0x43, 0x45 })
    @Requirement("RFC5040-4.1-j")
    void shouldIgnoreTheInvalidateStagOfAMessageThatInvalidatesNothing(int control) {
        rig.receive(7, rig.region(LENGTH, Access.LOCAL_WRITE));
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, control, memory.stag(), 0, 1, 0, payload), true));
        assertFalse(rig.completions().getFirst().invalidated());
        byte[] request = Forge.readRequest(KEY, OFFSET, LENGTH, memory.stag(), memory.base());
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.READ_REQUEST, memory.stag(), 1, 1, 0, request), true));
        assertSent(Forge.fpdu(Forge.tagged(Forge.LAST_TAGGED, Forge.READ_RESPONSE, KEY, OFFSET, payload), true));
        rig.feed(Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, memory.stag(), 2, 1, 0, new byte[] { 0x12, 2, 0, 0 }),
                true));
        assertEquals(TerminateCode.UNTAGGED_NO_BUFFER, rig.errorCode());
        assertTrue(memory.isLive(), "the STag was invalidated");
    }
}
