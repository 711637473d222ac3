package org.panamaverbs.softiwarp.captures;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.softiwarp.fixtures.Segment;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * An RDMAP message, put together from its segments.
 *
 * @param segments first to last
 * @param payload  of all of them
 */
record Message(List<Segment> segments, byte[] payload) {
    /** Puts messages together; those captured do not interleave. */
    static List<Message> of(List<Segment> segments) {
        List<Message> messages = new ArrayList<>();
        List<Segment> parts = new ArrayList<>();
        for (Segment segment : segments) {
            if (!parts.isEmpty() && parts.getFirst().opcode() != segment.opcode()) {
                throw new IllegalStateException(segment + " interrupts " + parts.getFirst());
            }
            parts.add(segment);
            if (segment.isLast()) {
                ByteArrayOutputStream payload = new ByteArrayOutputStream();
                parts.forEach(part -> payload.writeBytes(part.payload()));
                messages.add(new Message(List.copyOf(parts), payload.toByteArray()));
                parts.clear();
            }
        }
        if (!parts.isEmpty()) {
            throw new IllegalStateException("the message of " + parts.getFirst() + " has no last segment");
        }
        return messages;
    }

    Segment first() {
        return segments.getFirst();
    }

    int opcode() {
        return first().opcode();
    }

    boolean isSend() {
        return Rdmap.isSend(opcode());
    }
}
