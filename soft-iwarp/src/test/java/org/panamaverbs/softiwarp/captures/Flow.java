package org.panamaverbs.softiwarp.captures;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.MpaStart;

/** One direction of an iWARP connection: a frame that starts MPA, then FPDUs up to the last byte. */
final class Flow {
    private final MemorySegment stream;
    private final boolean request;
    private final List<Segment> segments = new ArrayList<>();

    /** Takes it apart with the wire classes; {@code request} is true for the initiator's. */
    Flow(byte[] bytes, boolean request) {
        this.stream = Arena.ofAuto().allocate(Math.max(1, bytes.length), 8);
        this.request = request;
        MemorySegment.copy(bytes, 0, stream, ValueLayout.JAVA_BYTE, 0, bytes.length);
        for (long at = startSize(); at < bytes.length; at = segments.getLast().end()) {
            segments.add(new Segment(stream, at));
        }
    }

    MemorySegment stream() {
        return stream;
    }

    boolean isRequest() {
        return request;
    }

    /** The size of the Request or Reply. */
    int startSize() {
        return MpaStart.SIZE + MpaStart.privateLength(stream, 0);
    }

    boolean asksForCrc() {
        return (MpaStart.flags(stream, 0) & MpaStart.CRC) != 0;
    }

    /** The bytes that follow the Request or Reply. */
    byte[] fullOperation() {
        return stream.asSlice(startSize()).toArray(ValueLayout.JAVA_BYTE);
    }

    List<Segment> segments() {
        return segments;
    }

    List<Message> messages() {
        return Message.of(segments);
    }
}
