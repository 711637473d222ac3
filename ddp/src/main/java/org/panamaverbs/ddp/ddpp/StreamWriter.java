package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/**
 * The sending half over a byte stream: describes the preamble and the parts of messages in one {@link IoVector}. Payload goes from the
 * caller's memory. The caller begins a message, and polls and reports bytes until the vector is empty:
 *
 * <pre>{@code
 * writer.beginDecorated(...);
 * writer.source().wrap(memory, from, length);
 * while (writer.poll().size() > 0) {
 *     writer.onSent(channel.write(writer.poll()));
 * }
 * }</pre>
 *
 * <p>Only the transmitting thread uses it.
 */
public final class StreamWriter {
    /** The most bytes of payload in a decorated part. */
    public static final int MOST_DECORATED = Ddpp.MOST_LENGTH - Ddpp.DECORATED_SIZE;
    /** The most bytes of payload in an undecorated message. */
    public static final int MOST_UNDECORATED = Ddpp.MOST_LENGTH - Ddpp.UNDECORATED_SIZE;

    /** Headers of parts that one write carries; with parts as long as they are, further ones are of no use. */
    private static final int MOST_PARTS = 8;
    private static final int HEADER = Ddpp.LENGTH_SIZE + Ddpp.DECORATED_SIZE;

    private final DdppTransmitter transmitter;
    private final SgeCursor source = new SgeCursor();
    private final MemorySegment headers;
    private final IoVector vector;
    private int used = Ddpp.PREAMBLE_SIZE;

    /**
     * Makes a writer at the start of a stream. The preamble waits in its vector.
     *
     * @param memory allocates native memory that any thread may use
     */
    public StreamWriter(SegmentAllocator memory) {
        this(memory, MOST_DECORATED);
    }

    StreamWriter(SegmentAllocator memory, int mostDecorated) {
        transmitter = new DdppTransmitter(mostDecorated, MOST_UNDECORATED, false);
        headers = memory.allocate(Ddpp.PREAMBLE_SIZE + MOST_PARTS * HEADER, Long.BYTES);
        vector = new IoVector(2 * MOST_PARTS + 1);
        Ddpp.putPreamble(headers, 0);
        vector.add(headers, 0, Ddpp.PREAMBLE_SIZE);
    }

    /** As {@link DdppTransmitter#beginDecorated}; the caller then has {@link #source()} wrap the payload. */
    public boolean beginDecorated(long bytes, int stag, long offset, boolean notifying, int identifier, boolean atomic) {
        source.clear();
        return transmitter.beginDecorated(bytes, stag, offset, notifying, identifier, atomic);
    }

    /** As {@link DdppTransmitter#beginUndecorated}; the caller then has {@link #source()} wrap the payload. */
    public boolean beginUndecorated(long bytes) {
        source.clear();
        return transmitter.beginUndecorated(bytes);
    }

    /** Wraps the payload of the message that has begun: one part of registered memory. It stays empty if there is no payload. */
    public SgeCursor source() {
        return source;
    }

    /** Whether parts of a message are not described yet. */
    public boolean isInMessage() {
        return transmitter.isUnderWay();
    }

    /**
     * The bytes to send next. The content stays until {@link #onSent}.
     *
     * @return empty if all is sent
     */
    public IoVector poll() {
        while (transmitter.isUnderWay() && vector.room() >= 2 && used + HEADER <= headers.byteSize()) {
            int size = transmitter.headerSize();
            int payload = transmitter.nextPart(headers, used + Ddpp.LENGTH_SIZE);
            Ddpp.putLength(headers, used, size + payload);
            vector.add(headers, used, Ddpp.LENGTH_SIZE + size);
            used += Ddpp.LENGTH_SIZE + size;
            source.describe(vector, payload);
            source.advance(payload);
        }
        return vector;
    }

    /**
     * Bytes of {@link #poll()} were sent.
     *
     * @param count 0 or more
     */
    public void onSent(long count) {
        vector.consume(count);
        if (vector.size() == 0) {
            used = 0;
        }
    }

    /** Drops all that is described, and the message under way. Nothing may follow if some of it was sent. */
    public void abandon() {
        transmitter.drop();
        source.clear();
        vector.clear();
        used = 0;
    }
}
