package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;

/**
 * Splits messages into parts that the transport carries, and writes their headers (draft, 2.1). The caller begins a message, and takes
 * parts while it {@link #isUnderWay()}: header and payload of each part are one message of the transport. Parts are in the order of their
 * octets, and only the last one asks for a reception indication. One thread at a time uses it.
 *
 * <pre>{@code
 * transmitter.beginDecorated(length, stag, offset, notifying, identifier, atomic);
 * while (transmitter.isUnderWay()) {
 *     long from = transmitter.position();
 *     int payload = transmitter.nextPart(headers, at);    // headerSize() bytes of header, then the payload from there on
 * }
 * }</pre>
 */
// Tested by DdppSimulationTest, DdppSection21Test.
public final class DdppTransmitter {
    private final boolean ordered;
    private int mostDecorated;
    private int mostUndecorated;
    private int sequence;

    // The message under way.
    private boolean underWay;
    private boolean decorated;
    private boolean notifying;
    private int identifier;
    private int stag;
    private long offset;
    private long length;
    private long position;

    /**
     * Makes the transmitter of a new socket.
     *
     * @param mostDecorated   the most bytes of payload in a decorated part, 1 or more
     * @param mostUndecorated the most bytes of payload in an undecorated message, 0 or more
     * @param ordered         whether messages carry sequence numbers
     */
    public DdppTransmitter(int mostDecorated, int mostUndecorated, boolean ordered) {
        this.ordered = ordered;
        limit(mostDecorated, mostUndecorated);
    }

    /** Sets the most bytes of payload of the messages that begin from now on: destinations may differ in them. */
    public void limit(int decoratedPayload, int undecoratedPayload) {
        if (decoratedPayload < 1 || undecoratedPayload < 0) {
            throw new IllegalArgumentException("parts of " + decoratedPayload + " and " + undecoratedPayload + " bytes of payload");
        }
        mostDecorated = decoratedPayload;
        mostUndecorated = undecoratedPayload;
    }

    /**
     * Begins a decorated message.
     *
     * @param bytes            of payload; 0 only if it is notifying
     * @param key              the STag of the receivers' buffer
     * @param taggedOffset     the offset of the first byte in that buffer, unsigned
     * @param isNotifying      whether the last part asks for a reception indication
     * @param messageIdentifier 31 bits; not sent without N
     * @param atomic           whether the message must not be split
     * @return {@code false} if it must not be split and does not fit; then nothing has begun
     */
    public boolean beginDecorated(long bytes, int key, long taggedOffset, boolean isNotifying, int messageIdentifier, boolean atomic) {
        if (atomic && bytes > mostDecorated) {
            return false;
        }
        if (bytes == 0 && !isNotifying) {
            throw new IllegalArgumentException("a message that neither places nor indicates anything");
        }
        begin(bytes);
        decorated = true;
        stag = key;
        offset = taggedOffset;
        notifying = isNotifying;
        identifier = isNotifying ? messageIdentifier : 0;
        return true;
    }

    /**
     * Begins an undecorated message. It is never split.
     *
     * @param bytes of payload, 0 or more
     * @return {@code false} if it does not fit; then nothing has begun
     */
    public boolean beginUndecorated(long bytes) {
        if (bytes > mostUndecorated) {
            return false;
        }
        begin(bytes);
        decorated = false;
        return true;
    }

    private void begin(long bytes) {
        if (underWay) {
            throw new IllegalStateException("a message is under way");
        }
        underWay = true;
        length = bytes;
        position = 0;
    }

    /** Whether a message has begun and lacks parts. */
    public boolean isUnderWay() {
        return underWay;
    }

    /** The offset in the message of the next part. */
    public long position() {
        return position;
    }

    /** Bytes of the headers of the message under way, or of the last one. */
    public int headerSize() {
        return decorated ? Ddpp.DECORATED_SIZE : Ddpp.UNDECORATED_SIZE;
    }

    /** Bytes of payload of the next part; 0 or more. */
    public int payload() {
        return (int) Math.min(length - position, decorated ? mostDecorated : mostUndecorated);
    }

    /**
     * Takes the next part of the message under way.
     *
     * @param headers receives the header, {@link #headerSize()} bytes
     * @param at      the offset of the header
     * @return bytes of payload
     */
    public int nextPart(MemorySegment headers, long at) {
        int part = payload();
        int kind = decorated ? Ddpp.DECORATED : Ddpp.UNDECORATED;
        if (ordered) {
            Ddpp.putOrderedStart(headers, at, kind, sequence++);
        } else {
            Ddpp.putStart(headers, at, kind);
        }
        boolean last = position + part == length;
        if (decorated) {
            Ddpp.putDecoration(headers, at, notifying && last, notifying && last ? identifier : 0, stag, offset + position);
        }
        position += part;
        underWay = !last;
        return part;
    }

    /** Drops the rest of the message under way. */
    public void drop() {
        underWay = false;
    }
}
