package org.panamaverbs.softiwarp.captures;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.qp.StreamState;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;

/**
 * One direction of a capture, played to a stream that stands where the captured receiver stood: with receives posted for its Sends,
 * memory registered for its Writes and Read Requests, and the Reads under way that its Read Responses answer.
 *
 * <p>STags and Tagged Offsets are addresses of the captured program: they are replaced by those of this one, each Write and each Read
 * having memory of its own, and the CRCs of those FPDUs are made anew. All else is played as it was captured.
 */
final class Scene {
    private record Expected(long id, RegisteredMemory memory, byte[] payload, RegisteredMemory invalidated) {
    }

    private final Rig rig;
    private final boolean crc;
    private final MemorySegment stream;
    private final List<Message> inbound;
    private final List<Message> ownReads;
    private final List<Message> ownAnswers;

    private final List<Expected> receives = new ArrayList<>();
    private final List<Expected> writes = new ArrayList<>();
    private final Deque<Expected> reads = new ArrayDeque<>();
    private final List<Expected> finishedReads = new ArrayList<>();
    private final List<RegisteredMemory> sources = new ArrayList<>();
    /** By STag as captured: the memory that stands for it. */
    private final Map<Integer, RegisteredMemory> named = new HashMap<>();

    /** Sets it up; {@code toResponder} tells the direction. */
    Scene(Capture capture, boolean toResponder, Rig.Options options) {
        Flow in = toResponder ? capture.initiator() : capture.responder();
        Flow out = toResponder ? capture.responder() : capture.initiator();
        crc = options.crc();
        inbound = Message.of(copyOf(in));
        stream = inbound.getFirst().first().stream();
        ownReads = out.messages().stream().filter(message -> message.opcode() == Rdmap.READ_REQUEST).toList();
        ownAnswers = out.messages().stream().filter(message -> message.opcode() == Rdmap.READ_RESPONSE).toList();
        long size = Rig.room(0);
        for (Message message : inbound) {
            size += Rig.room(message.payload().length) + Rig.room(0);
        }
        for (Message message : ownAnswers) {
            size += Rig.room(message.payload().length);
        }
        for (Message message : ownReads) {
            size += Rig.room(ReadRequest.length(MemorySegment.ofArray(message.payload()), 0));
        }
        rig = new Rig(options, size);
        ownReads.forEach(this::postRead);
        inbound.forEach(this::prepare);
    }

    private static List<Segment> copyOf(Flow flow) {
        byte[] bytes = flow.fullOperation();
        MemorySegment copy = Arena.ofAuto().allocate(bytes.length);
        MemorySegment.copy(bytes, 0, copy, ValueLayout.JAVA_BYTE, 0, bytes.length);
        return flow.segments().stream().map(segment -> new Segment(copy, segment.at() - flow.startSize())).toList();
    }

    private void postRead(Message request) {
        MemorySegment header = MemorySegment.ofArray(request.payload());
        RegisteredMemory sink = rig.region(ReadRequest.length(header, 0), Access.LOCAL_WRITE);
        long id = 1000 + reads.size();
        rig.read(id, sink, ReadRequest.sourceOffset(header, 0), ReadRequest.sourceStag(header, 0));
        reads.add(new Expected(id, sink, null, null));
    }

    private void prepare(Message message) {
        byte[] payload = message.payload();
        switch (message.opcode()) {
            case Rdmap.WRITE -> {
                RegisteredMemory target = rig.advertised(payload.length, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                named.put(message.first().stag(), target);
                writes.add(new Expected(0, target, payload, null));
                redirect(message, target);
            }
            case Rdmap.READ_RESPONSE -> {
                Expected read = reads.remove();
                finishedReads.add(new Expected(read.id(), read.memory(), payload, null));
                redirect(message, read.memory());
            }
            case Rdmap.READ_REQUEST -> {
                byte[] answer = ownAnswers.get(sources.size()).payload();
                RegisteredMemory source = rig.advertised(answer.length, Access.REMOTE_READ);
                MemorySegment.copy(answer, 0, source.segment(), ValueLayout.JAVA_BYTE, 0, answer.length);
                sources.add(source);
                long at = message.first().payloadAt();
                ReadRequest.put(stream, at, ReadRequest.sinkStag(stream, at), ReadRequest.sinkOffset(stream, at), answer.length,
                        source.stag(), source.base());
                seal(message.first());
            }
            default -> {
                assertTrue(message.isSend(), message.first()::toString);
                RegisteredMemory invalidated = Rdmap.invalidates(message.opcode()) ? invalidate(message) : null;
                RegisteredMemory place = rig.region(payload.length, Access.LOCAL_WRITE);
                long id = receives.size() + 1;
                rig.receive(id, place);
                receives.add(new Expected(id, place, payload, invalidated));
            }
        }
    }

    private void redirect(Message message, RegisteredMemory target) {
        long first = message.first().taggedOffset();
        for (Segment segment : message.segments()) {
            Ddp.putTagged(stream, segment.header(), segment.isLast(), segment.ulp(), target.stag(),
                    target.base() + segment.taggedOffset() - first);
            seal(segment);
        }
    }

    private RegisteredMemory invalidate(Message message) {
        RegisteredMemory memory = named.remove(message.first().word());
        if (memory == null) {
            memory = rig.advertised(0, Access.REMOTE_READ);
        }
        for (Segment segment : message.segments()) {
            Ddp.putUntagged(stream, segment.header(), segment.isLast(), segment.ulp(), memory.stag(), segment.queue(),
                    segment.messageSequence(), segment.messageOffset());
            seal(segment);
        }
        return memory;
    }

    private void seal(Segment segment) {
        if (crc) {
            Fpdu.crc(stream, segment.crcAt(), segment.computedCrc());
        }
    }

    Rig rig() {
        return rig;
    }

    byte[] bytes() {
        return stream.toArray(ValueLayout.JAVA_BYTE);
    }

    /** The segments, each with the place where its FPDU starts. */
    List<Segment> segments() {
        return inbound.stream().flatMap(message -> message.segments().stream()).toList();
    }

    /** Asserts that all of it arrived, once the bytes were fed: completions, placed bytes, invalidated STags, and the answers given. */
    void assertArrived() {
        assertEquals(StreamState.RTS, rig.stream().state(), "error 0x" + Integer.toHexString(rig.errorCode()));
        List<Rig.Done> received = new ArrayList<>();
        List<Rig.Done> read = new ArrayList<>();
        rig.completions().forEach(done -> (done.opcode() == CompletionOpcode.RECEIVE ? received : read).add(done));
        assertEquals(receives.size(), received.size(), "receives");
        for (int i = 0; i < receives.size(); i++) {
            Expected expected = receives.get(i);
            RegisteredMemory invalidated = expected.invalidated();
            assertEquals(new Rig.Done(expected.id(), CompletionStatus.SUCCESS, CompletionOpcode.RECEIVE, 0, expected.payload().length,
                    invalidated != null, received.get(i).key()), received.get(i));
            assertTrue(invalidated == null || invalidated.stag() == received.get(i).key() && invalidated.isRetired());
        }
        assertEquals(finishedReads.size(), read.size(), "Reads");
        for (int i = 0; i < finishedReads.size(); i++) {
            assertEquals(finishedReads.get(i).id(), read.get(i).id());
            assertEquals(CompletionStatus.SUCCESS, read.get(i).status());
        }
        for (List<Expected> each : List.of(receives, writes, finishedReads)) {
            each.forEach(expected -> assertArrayEquals(expected.payload(), expected.memory().segment().toArray(ValueLayout.JAVA_BYTE)));
        }
        assertAnswered();
        rig.assertGuards();
    }

    /**
     * Asserts what holds whatever was fed, after the end: each request completed once, with one of these outcomes; nothing is written
     * where the peer may not write.
     */
    void assertConsistent(Set<CompletionStatus> outcomes) {
        Map<Long, CompletionStatus> completed = new HashMap<>();
        for (Rig.Done done : rig.completions()) {
            assertTrue(outcomes.contains(done.status()), done::toString);
            assertEquals(null, completed.put(done.id(), done.status()), done::toString);
        }
        assertEquals(receives.size() + ownReads.size(), completed.size(), "completions");
        for (int i = 0; i < sources.size(); i++) {
            assertArrayEquals(ownAnswers.get(i).payload(), sources.get(i).segment().toArray(ValueLayout.JAVA_BYTE), "source of a Read");
        }
        rig.assertGuards();
    }

    /** The stream sent the captured Read Requests, but for its own sinks, and the captured Read Responses, but for how they are cut. */
    private void assertAnswered() {
        List<Segment> segments = rig.sent();
        for (Segment segment : segments) {
            assertEquals(crc ? segment.computedCrc() : 0, segment.crc(), segment::toString);
        }
        List<Message> sent = Message.of(segments);
        List<Message> requests = sent.stream().filter(message -> message.opcode() == Rdmap.READ_REQUEST).toList();
        List<Message> responses = sent.stream().filter(message -> message.opcode() == Rdmap.READ_RESPONSE).toList();
        assertEquals(ownReads.size(), requests.size());
        assertEquals(ownAnswers.size(), responses.size());
        assertEquals(sent.size(), requests.size() + responses.size(), "nothing else");
        for (int i = 0; i < requests.size(); i++) {
            byte[] expected = ownReads.get(i).payload();
            byte[] actual = requests.get(i).payload();
            // STag and TO of the sink are this program's.
            assertArrayEquals(Arrays.copyOfRange(expected, 12, 28), Arrays.copyOfRange(actual, 12, 28));
        }
        for (int i = 0; i < responses.size(); i++) {
            assertEquals(ownAnswers.get(i).first().stag(), responses.get(i).first().stag());
            assertEquals(ownAnswers.get(i).first().taggedOffset(), responses.get(i).first().taggedOffset());
            assertArrayEquals(ownAnswers.get(i).payload(), responses.get(i).payload());
        }
    }
}
