package org.panamaverbs.softiwarp.captures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.MpaStart;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * The bytes that other implementations sent: read by the wire classes to the last byte, and written again by them to the same bytes.
 *
 * <p>The counts are those that Wireshark's dissectors find; with its command line, segments by source port, opcode and last flag, and the
 * bytes of each stream:
 *
 * <pre>
 * tshark -r FILE -Y iwarp_ddp -T fields -e tcp.srcport -e iwarp_rdma.opcode -e iwarp_ddp.last_flag | sort | uniq -c
 * tshark -r FILE -T fields -e tcp.srcport -e tcp.len | awk '{s[$1]+=$2} END {for (p in s) print p, s[p]}'
 * tshark -r FILE -Y 'iwarp_mpa.req || iwarp_mpa.rep' -O iwarp_mpa
 * </pre>
 */
class CaptureTest {
    @SuppressWarnings("unused") // by its name
    private static final List<String> CAPTURES = Capture.NAMES;

    /** The content of a direction: its bytes, the size of its Request or Reply, segments by opcode, and messages by opcode. */
    private record Inventory(long bytes, int startSize, Map<Integer, Integer> segments, Map<Integer, Integer> messages) {
        static Inventory of(Flow flow) {
            Map<Integer, Integer> segments = new TreeMap<>();
            flow.segments().forEach(segment -> segments.merge(segment.opcode(), 1, Integer::sum));
            Map<Integer, Integer> messages = new TreeMap<>();
            flow.messages().forEach(message -> messages.merge(message.opcode(), 1, Integer::sum));
            return new Inventory(flow.stream().byteSize(), flow.startSize(), segments, messages);
        }

        static Inventory of(long bytes, int startSize, Map<Integer, Integer> both) {
            return new Inventory(bytes, startSize, both, both);
        }
    }

    @Test
    void shouldHoldTwoRoundsOfRping() {
        Capture capture = Capture.read("rping");
        assertEquals(Inventory.of(424, 24, Map.of(Rdmap.READ_RESPONSE, 2, Rdmap.SEND, 4)), Inventory.of(capture.initiator()));
        assertEquals(Inventory.of(528, 24, Map.of(Rdmap.WRITE, 2, Rdmap.READ_REQUEST, 2, Rdmap.SEND, 4)),
                Inventory.of(capture.responder()));
    }

    @Test
    void shouldHoldTwoRoundsOfRpingWithCrc() {
        Capture capture = Capture.read("rping-crc");
        assertTrue(capture.hasCrc());
        assertEquals(new Inventory(10360, 24, Map.of(Rdmap.READ_RESPONSE, 8, Rdmap.SEND, 4), Map.of(Rdmap.READ_RESPONSE, 2, Rdmap.SEND, 4)),
                Inventory.of(capture.initiator()));
        assertEquals(Inventory.of(10328, 24, Map.of(Rdmap.WRITE, 2, Rdmap.READ_REQUEST, 2, Rdmap.SEND, 4)),
                Inventory.of(capture.responder()));
    }

    @Test
    void shouldHoldOneSendEachWay() {
        Capture capture = Capture.read("rdma-client-server");
        assertEquals(Inventory.of(64, 24, Map.of(Rdmap.SEND, 1)), Inventory.of(capture.initiator()));
        assertEquals(Inventory.of(64, 24, Map.of(Rdmap.SEND, 1)), Inventory.of(capture.responder()));
    }

    @Test
    void shouldHoldASessionOfNfs() {
        Capture capture = Capture.read("nfs4-rdma");
        assertEquals(Inventory.of(39264, 32, Map.of(Rdmap.READ_RESPONSE, 1, Rdmap.SEND, 44)), Inventory.of(capture.initiator()));
        assertEquals(Inventory.of(48456, 32, Map.of(Rdmap.WRITE, 20, Rdmap.READ_REQUEST, 1, Rdmap.SEND, 26, Rdmap.SEND_INVALIDATE, 18)),
                Inventory.of(capture.responder()));
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldWriteEveryStartOfMpaAsItWas(String name) {
        Capture capture = Capture.read(name);
        for (Flow flow : List.of(capture.initiator(), capture.responder())) {
            MemorySegment in = flow.stream();
            assertEquals(MpaStart.KEY_SIZE, MpaStart.matches(in, 0, MpaStart.KEY_SIZE, flow.isRequest()));
            assertEquals(2, MpaStart.revision(in, 0));
            int flags = MpaStart.flags(in, 0);
            assertEquals(MpaStart.ENHANCED, flags & ~MpaStart.CRC, "only S, and C where there are CRCs");
            MemorySegment out = Arena.ofAuto().allocate(flow.startSize());
            MpaStart.put(out, 0, flow.isRequest(), flags, MpaStart.revision(in, 0), MpaStart.privateLength(in, 0));
            MpaStart.depths(out, 0, MpaStart.ird(in, 0), MpaStart.ord(in, 0));
            long data = MpaStart.SIZE + MpaStart.ENHANCED_SIZE;
            MemorySegment.copy(in, data, out, data, flow.startSize() - data);
            assertEquals(-1, out.mismatch(in.asSlice(0, flow.startSize())));
        }
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldWriteEveryFpduAsItWas(String name) {
        Capture capture = Capture.read(name);
        for (Flow flow : List.of(capture.initiator(), capture.responder())) {
            long at = flow.startSize();
            for (Segment segment : flow.segments()) {
                assertEquals(at, segment.at(), "where an FPDU starts");
                MemorySegment written = write(segment, capture.hasCrc());
                assertEquals(segment.bytes(), written.asByteBuffer(), segment::toString);
                at = segment.end();
            }
            assertEquals(flow.stream().byteSize(), at, "where the last FPDU ends");
        }
    }

    /** Writes an FPDU from nothing but what the wire classes read of it. */
    private static MemorySegment write(Segment segment, boolean crc) {
        MemorySegment out = Arena.ofAuto().allocate(Fpdu.size(segment.ulpduLength()));
        assertEquals(Ddp.VERSION, Ddp.version(segment.control()), segment::toString);
        assertEquals(Rdmap.VERSION, Rdmap.version(segment.ulp()), segment::toString);
        Fpdu.length(out, 0, segment.ulpduLength());
        int ulp = Rdmap.control(segment.opcode());
        if (segment.isTagged()) {
            assertTrue(Rdmap.isTagged(segment.opcode()), segment::toString);
            Ddp.putTagged(out, Fpdu.LENGTH_SIZE, segment.isLast(), ulp, segment.stag(), segment.taggedOffset());
        } else {
            assertTrue(Rdmap.isFor(segment.opcode(), segment.queue()), segment::toString);
            Ddp.putUntagged(out, Fpdu.LENGTH_SIZE, segment.isLast(), ulp, segment.word(), segment.queue(), segment.messageSequence(),
                    segment.messageOffset());
        }
        long payload = segment.payloadAt() - segment.at();
        if (segment.opcode() == Rdmap.READ_REQUEST) {
            MemorySegment in = segment.stream();
            long from = segment.payloadAt();
            assertEquals(ReadRequest.SIZE, segment.payloadLength());
            ReadRequest.put(out, payload, ReadRequest.sinkStag(in, from), ReadRequest.sinkOffset(in, from),
                    (int) ReadRequest.length(in, from), ReadRequest.sourceStag(in, from), ReadRequest.sourceOffset(in, from));
        } else {
            MemorySegment.copy(segment.stream(), segment.payloadAt(), out, payload, segment.payloadLength());
        }
        Fpdu.crc(out, out.byteSize() - Fpdu.CRC_SIZE, crc ? new Segment(out, 0).computedCrc() : 0);
        return out;
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldCountUntaggedMessagesFromOne(String name) {
        Capture capture = Capture.read(name);
        for (Flow flow : List.of(capture.initiator(), capture.responder())) {
            int[] expected = new int[Rdmap.QUEUES];
            for (Message message : flow.messages()) {
                if (!message.first().isTagged()) {
                    assertEquals(++expected[message.first().queue()], message.first().messageSequence(), message.first()::toString);
                }
                long offset = 0;
                for (Segment segment : message.segments()) {
                    assertEquals(offset, segment.isTagged() ? segment.taggedOffset() - message.first().taggedOffset()
                            : Integer.toUnsignedLong(segment.messageOffset()), segment::toString);
                    offset += segment.payloadLength();
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("CAPTURES")
    void shouldAnswerEachReadRequestWithWhatItAsksFor(String name) {
        Capture capture = Capture.read(name);
        List<Message> requests = capture.responder().messages().stream().filter(m -> m.opcode() == Rdmap.READ_REQUEST).toList();
        List<Message> responses = capture.initiator().messages().stream().filter(m -> m.opcode() == Rdmap.READ_RESPONSE).toList();
        assertEquals(requests.size(), responses.size());
        for (int i = 0; i < requests.size(); i++) {
            MemorySegment request = MemorySegment.ofArray(requests.get(i).payload());
            assertEquals(ReadRequest.sinkStag(request, 0), responses.get(i).first().stag());
            assertEquals(ReadRequest.sinkOffset(request, 0), responses.get(i).first().taggedOffset());
            assertEquals(ReadRequest.length(request, 0), responses.get(i).payload().length);
        }
    }

    @Test
    void shouldFindTheTextOfRpingInTheFirstReadResponse() {
        Message response = Capture.read("rping").initiator().messages().get(1);
        byte[] text = MemorySegment.ofArray(response.payload()).asSlice(0, 13).toArray(ValueLayout.JAVA_BYTE);
        assertArrayEquals("rdma-ping-0: ".getBytes(StandardCharsets.US_ASCII), text);
    }
}
