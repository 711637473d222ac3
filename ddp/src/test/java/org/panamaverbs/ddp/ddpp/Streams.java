package org.panamaverbs.ddp.ddpp;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A reader of a byte stream with its client, fed as a channel would feed it. */
final class Streams {
    final TestClient client = new TestClient();
    final Tally tally = new Tally();
    final StreamReader reader = new StreamReader(client, tally, Arena.ofAuto());
    final IoVector vector = new IoVector(16);

    /** Feeds at most {@code most} bytes at a time, until all are taken or there is an error. */
    StreamError feed(byte[] bytes, int most) {
        StreamError error = StreamError.NONE;
        int at = 0;
        while (at < bytes.length && error == StreamError.NONE) {
            reader.targets(vector);
            if (vector.bytes() == 0 || vector.bytes() != reader.asked()) {
                throw new AssertionError("targets of " + vector.bytes() + " bytes, asked for " + reader.asked());
            }
            if (!vector.enter()) {
                error = reader.onBadMemory();
                continue;
            }
            int count = (int) Math.min(Math.min(most, bytes.length - at), vector.bytes());
            scatter(bytes, at, count);
            vector.exit();
            at += count;
            error = reader.onReceived(count);
        }
        return error;
    }

    private void scatter(byte[] bytes, int from, int count) {
        int done = 0;
        for (int i = 0; done < count; i++) {
            int length = (int) Math.min(count - done, vector.length(i));
            MemorySegment.copy(bytes, from + done, vector.segment(i), ValueLayout.JAVA_BYTE, vector.offset(i), length);
            done += length;
        }
    }

    /** A stream: the preamble, and messages with their lengths. */
    static byte[] stream(byte[]... messages) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] preamble = new byte[Ddpp.PREAMBLE_SIZE];
        Ddpp.putPreamble(MemorySegment.ofArray(preamble), 0);
        bytes.writeBytes(preamble);
        for (byte[] message : messages) {
            bytes.writeBytes(framed(message));
        }
        return bytes.toByteArray();
    }

    static byte[] framed(byte[] message) {
        byte[] framed = new byte[Ddpp.LENGTH_SIZE + message.length];
        Ddpp.putLength(MemorySegment.ofArray(framed), 0, message.length);
        System.arraycopy(message, 0, framed, Ddpp.LENGTH_SIZE, message.length);
        return framed;
    }
}
