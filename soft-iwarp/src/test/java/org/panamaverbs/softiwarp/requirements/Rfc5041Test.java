package org.panamaverbs.softiwarp.requirements;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.testing.conformance.Requirement;

/** The segments of a message, and the numbers of messages (RFC 5041, 4 to 6). */
class Rfc5041Test {
    private static final int LENGTH = 100_000;
    private static final int KEY = 0x77;
    private static final long OFFSET = 0xFFFF_0000L;
    /** The longest segment of the rig, header included. */
    private static final int MULPDU = 0x8000;
    /** T, L and the version; the four bits between are reserved. */
    private static final int RESERVED = 0x3C;
    private static final int VERSION = 0x03;
    /** The cuts of a message that a peer sends. */
    private static final int[] CUTS = { 0, 1, 5000, 5001, 60_000, LENGTH };

    private final byte[] payload = Forge.payload(LENGTH);
    private final Rig rig = new Rig(Rig.Options.of(true), 3 * Rig.room(LENGTH));
    private RegisteredMemory memory;

    @BeforeEach
    void register() {
        memory = rig.advertised(LENGTH, Access.LOCAL_WRITE, Access.REMOTE_WRITE, Access.REMOTE_READ);
    }

    private void fill() {
        MemorySegment.copy(payload, 0, memory.segment(), ValueLayout.JAVA_BYTE, 0, LENGTH);
    }

    private List<Segment> sent() {
        rig.transmit();
        return rig.sent();
    }

    /** The segments are those of one whole message, in increasing order, each as long as the layer below takes at most. */
    private void assertWhole(List<Segment> segments) {
        assertTrue(segments.size() > 3, segments.size() + " segments");
        int at = 0;
        for (Segment segment : segments) {
            assertTrue(segment.ulpduLength() <= MULPDU, segment::toString);
            assertEquals(1, segment.control() & VERSION, "version");
            assertEquals(0, segment.control() & RESERVED, "reserved bits");
            assertEquals(segment == segments.getLast(), segment.isLast(), "L of the segment at " + at);
            assertEquals(segments.getFirst().ulp(), segment.ulp(), "ULP octet of the segment at " + at);
            assertEquals(-1, Arrays.mismatch(Arrays.copyOfRange(payload, at, at + segment.payloadLength()), segment.payload()));
            at += segment.payloadLength();
        }
        assertEquals(LENGTH, at, "bytes of the message");
    }

    @Test
    @Requirement({ "RFC5041-4.1-c..e,h..j", "RFC5041-4.2-a,b,d,e,g,i,j", "RFC5041-5.2-a,c,g", "RFC5041-5.3-c", "RFC5044-3-c" })
    void shouldCutATaggedMessageIntoSegmentsThatFollowEachOther() {
        fill();
        rig.write(1, memory, OFFSET, KEY);
        List<Segment> segments = sent();
        assertWhole(segments);
        long at = OFFSET;
        for (Segment segment : segments) {
            assertTrue(segment.isTagged());
            assertEquals(KEY, segment.stag());
            assertEquals(at, segment.taggedOffset());
            at += segment.payloadLength();
        }
    }

    @Test
    @Requirement({ "RFC5041-4.1-c..f,h..j", "RFC5041-4.3-a,b,d,f,g,k..m", "RFC5041-5.2-a,c,e", "RFC5041-5.3-c", "RFC5044-3-c" })
    void shouldCutAnUntaggedMessageIntoSegmentsThatFollowEachOther() {
        fill();
        rig.send(1, memory, SendQueue.INVALIDATE, KEY);
        List<Segment> segments = sent();
        assertWhole(segments);
        int at = 0;
        for (Segment segment : segments) {
            assertFalse(segment.isTagged());
            assertEquals(KEY, segment.word(), "ULP word");
            assertEquals(0, segment.queue());
            assertEquals(1, segment.messageSequence());
            assertEquals(at, segment.messageOffset());
            at += segment.payloadLength();
        }
    }

    /** Sends, Writes and Read Requests by turns: a Write has no number. */
    @Test
    @Requirement({ "RFC5041-4.3-h,i", "RFC5041-5.3-a,b" })
    void shouldNumberTheMessagesOfEachQueueFromOneAndSendThemInOrder() {
        RegisteredMemory small = rig.region(1, Access.LOCAL_WRITE);
        for (int i = 0; i < 3; i++) {
            rig.send(1, small);
            rig.write(2, small, OFFSET, KEY);
            rig.read(3, small, OFFSET, KEY);
        }
        List<Segment> segments = sent();
        assertEquals(9, segments.size());
        for (int i = 0; i < 9; i += 3) {
            assertEquals(Rdmap.SEND, segments.get(i).opcode());
            assertEquals(0, segments.get(i).queue());
            assertEquals(1 + i / 3, segments.get(i).messageSequence(), "MSN of the Send");
            assertEquals(Rdmap.WRITE, segments.get(i + 1).opcode());
            assertEquals(Rdmap.READ_REQUEST, segments.get(i + 2).opcode());
            assertEquals(1, segments.get(i + 2).queue());
            assertEquals(1 + i / 3, segments.get(i + 2).messageSequence(), "MSN of the Read Request");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Requirement({ "RFC5041-4.1-c", "RFC5041-4.4-a", "RFC5041-5.2-h" })
    void shouldSendAMessageOfNoBytesAsOneSegment(boolean write) {
        RegisteredMemory nothing = rig.region(0);
        if (write) {
            rig.write(1, nothing, OFFSET, KEY);
        } else {
            rig.send(1, nothing);
        }
        List<Segment> segments = sent();
        assertEquals(1, segments.size());
        assertEquals(write, segments.getFirst().isTagged());
        assertTrue(segments.getFirst().isLast());
        assertEquals(0, segments.getFirst().payloadLength());
    }

    // Received messages.

    private byte[] tagged(int reserved) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 1; i < CUTS.length; i++) {
            int control = (i == CUTS.length - 1 ? 0xC1 : 0x81) | reserved;
            all.add(Forge.fpdu(Forge.tagged(control, Forge.WRITE, memory.stag(), memory.base() + CUTS[i - 1],
                    Arrays.copyOfRange(payload, CUTS[i - 1], CUTS[i])), true));
        }
        return Forge.join(all.toArray(byte[][]::new));
    }

    private byte[] untagged(int reserved) {
        List<byte[]> all = new ArrayList<>();
        for (int i = 1; i < CUTS.length; i++) {
            int control = (i == CUTS.length - 1 ? 0x41 : 0x01) | reserved;
            all.add(Forge.fpdu(Forge.untagged(control, Forge.SEND, 0, 0, 1, CUTS[i - 1], Arrays.copyOfRange(payload, CUTS[i - 1], CUTS[i])),
                    true));
        }
        return Forge.join(all.toArray(byte[][]::new));
    }

    private void assertPlaced() {
        assertEquals(-1, memory.segment().mismatch(MemorySegment.ofArray(payload)));
        rig.assertGuards();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 0x04, 0x20, RESERVED })
    @Requirement({ "RFC5041-4.1-a,h", "RFC5041-5.2-d" })
    void shouldPlaceEachSegmentOfATaggedMessage(int reserved) {
        rig.feed(tagged(reserved));
        assertPlaced();
        assertTrue(rig.completions().isEmpty(), "a Tagged Buffer takes no receive");
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 0x04, 0x20, RESERVED })
    @Requirement({ "RFC5041-4.1-b,g,h", "RFC5041-5.2-d", "RFC5041-5.4-a,b" })
    void shouldPlaceEachSegmentOfAnUntaggedMessageAndDeliverItOnce(int reserved) {
        rig.receive(5, memory);
        rig.receive(6, rig.region(10, Access.LOCAL_WRITE));
        byte[] bytes = untagged(reserved);
        rig.feed(bytes, 0, bytes.length - 1);
        assertTrue(rig.completions().isEmpty(), "the message is not whole");
        rig.feed(bytes, bytes.length - 1, bytes.length);
        assertPlaced();
        List<Rig.Done> done = rig.completions();
        assertEquals(1, done.size());
        assertEquals(new Rig.Done(5, CompletionStatus.SUCCESS, done.getFirst().opcode(), 0, LENGTH, false, done.getFirst().key()),
                done.getFirst());
    }

    // Ends.

    @Test
    @Requirement("RFC5041-6.2.1-a")
    void shouldFlushARequestThatIsPostedAfterTheDisconnect() {
        RegisteredMemory small = rig.region(1);
        rig.send(1, small);
        rig.stream().disconnect();
        rig.transmit();
        assertEquals(List.of(CompletionStatus.SUCCESS), rig.completions().stream().map(Rig.Done::status).toList());
        rig.send(2, small);
        rig.transmit();
        rig.stream().endDrain();
        rig.transmit();
        assertEquals(1, rig.sent().size(), "segments");
        List<Rig.Done> done = rig.completions();
        assertEquals(1, done.size());
        assertEquals(2, done.getFirst().id());
        assertEquals(CompletionStatus.FLUSHED, done.getFirst().status());
    }
}
