package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.MemorySegment;

/**
 * Parses a transport header, of either version. One object is used again and again; its content is valid until the next
 * {@link #parse}.
 *
 * <pre>
 *  0 xid 32 | 4 version 32 | 8 credits 32 | 12 procedure 32 | 16 body
 * </pre>
 */
// Tested by Version1HeaderTest, Version2MessageTest, HostileHeaderTest.
public final class HeaderReader {
    /** The verdict on a header. */
    public enum Outcome {
        /** All fields are valid. */
        SOUND,
        /** Too short for an XID that can be trusted, so that nobody can be answered (RFC 8166, 4.5). */
        DISCARD,
        /** The version is not one that the caller accepts. */
        BAD_VERSION,
        /** The procedure is not one of the version. */
        BAD_PROCEDURE,
        /** The body cannot be decoded. */
        BAD_XDR
    }

    private static final int SEGMENT_LENGTH = 16;
    private final ChunkLists chunks = new ChunkLists();
    private final PropertyMessage properties = new PropertyMessage();
    private MemorySegment message;
    private long at;
    private long end;
    private int xid;
    private int version;
    private int credits;
    private int procedure;
    private ErrorCode error;
    private int errorFirst;
    private int errorSecond;
    private int optionType;
    private int optionDirection;
    private boolean sound;

    /**
     * Parses a header.
     *
     * @param lowest  the lowest version that is accepted, 1 or 2
     * @param highest the highest version that is accepted, 1 or 2
     */
    public Outcome parse(MemorySegment from, long offset, long length, int lowest, int highest) {
        message = from;
        at = offset;
        end = offset + length;
        clear();
        if (length < Wire.FIXED_LENGTH) {
            return Outcome.DISCARD;
        }
        xid = word();
        version = word();
        credits = word();
        procedure = word();
        // RFC 8166, 4.5 knows no exception; but its own errors have 20 and 24 bytes, and so have property messages of version 2.
        if (length < Wire.SHORTEST_MESSAGE && version != Wire.VERSION_2 && procedure != Wire.ERROR) {
            return Outcome.DISCARD;
        }
        if (version < lowest || version > highest) {
            return Outcome.BAD_VERSION;
        }
        sound = true;
        Outcome outcome = body();
        return sound ? outcome : Outcome.BAD_XDR;
    }

    private void clear() {
        xid = 0;
        version = 0;
        credits = 0;
        procedure = 0;
        chunks.clear();
        properties.clear();
        error = null;
        errorFirst = 0;
        errorSecond = 0;
        optionType = 0;
        optionDirection = 0;
    }

    private Outcome body() {
        boolean second = version == Wire.VERSION_2;
        switch (procedure) {
            case Wire.MSG, Wire.NOMSG -> chunkLists(second);
            case Wire.ERROR -> decodeError();
            case Wire.OPTIONAL -> {
                if (!second) {
                    return Outcome.BAD_PROCEDURE;
                }
                optionDirection = direction();
                optionType = word();
                long opaque = Integer.toUnsignedLong(word());
                skip(opaque + (-opaque & 3));
            }
            case Wire.CONNPROP, Wire.REQPROP, Wire.RESPROP, Wire.UPDPROP -> {
                if (!second) {
                    return Outcome.BAD_PROCEDURE;
                }
                long taken = properties.parse(procedure, message, at, end - at);
                if (taken < 0) {
                    return Outcome.BAD_XDR;
                }
                at += taken;
            }
            // MSGP and DONE are procedures of version 1 by number alone: the caller decides (RFC 8166, 4.6).
            case Wire.MSGP, Wire.DONE -> {
                return second ? Outcome.BAD_PROCEDURE : Outcome.SOUND;
            }
            default -> {
                return Outcome.BAD_PROCEDURE;
            }
        }
        return Outcome.SOUND;
    }

    private void chunkLists(boolean second) {
        if (second) {
            chunks.setDirection(direction());
            chunks.setInvalidateHandle(word());
        }
        while (flag()) {
            int position = word();
            segment(chunks.reads(), position);
        }
        while (flag()) {
            segments(chunks.addWrite());
        }
        if (flag()) {
            segments(chunks.addReply());
        }
    }

    private void segments(SegmentList into) {
        int count = word();
        // Each has 16 bytes, so the message itself limits the count.
        if (count < 0 || count > (end - at) / SEGMENT_LENGTH) {
            sound = false;
            return;
        }
        for (int i = 0; i < count; i++) {
            segment(into, 0);
        }
    }

    private void segment(SegmentList into, int position) {
        if (!sound || end - at < SEGMENT_LENGTH) {
            sound = false;
            return;
        }
        into.add(position, message.get(Wire.INT, at), Integer.toUnsignedLong(message.get(Wire.INT, at + 4)),
                message.get(Wire.LONG, at + 8));
        at += SEGMENT_LENGTH;
    }

    private void decodeError() {
        error = ErrorCode.of(word(), version);
        if (error == null) {
            sound = false;
            return;
        }
        errorFirst = error.words() > 0 ? word() : 0;
        errorSecond = error.words() > 1 ? word() : 0;
    }

    /** A boolean of XDR is 0 or 1 (RFC 4506, 4.4). */
    private boolean flag() {
        int value = word();
        if (value != 0 && value != 1) {
            sound = false;
        }
        return sound && value == 1;
    }

    private int direction() {
        int direction = word();
        if (direction != Wire.CALL && direction != Wire.REPLY) {
            sound = false;
        }
        return direction;
    }

    private int word() {
        if (end - at < Integer.BYTES) {
            sound = false;
            return 0;
        }
        int value = message.get(Wire.INT, at);
        at += Integer.BYTES;
        return value;
    }

    private void skip(long bytes) {
        if (bytes > end - at) {
            sound = false;
        } else {
            at += bytes;
        }
    }

    public int xid() {
        return xid;
    }

    public int version() {
        return version;
    }

    public int credits() {
        return credits;
    }

    public int procedure() {
        return procedure;
    }

    public ChunkLists chunks() {
        return chunks;
    }

    /** The content of a property message. */
    public PropertyMessage properties() {
        return properties;
    }

    public ErrorCode error() {
        return error;
    }

    /** The first number of an error: the lowest version, a number of chunks or segments, the index of a chunk, or a length. */
    public long errorFirst() {
        return Integer.toUnsignedLong(errorFirst);
    }

    /** The second number of an error: the highest version, or a length. */
    public long errorSecond() {
        return Integer.toUnsignedLong(errorSecond);
    }

    /** {@code rdma_opttype} of an OPTIONAL message. */
    public int optionType() {
        return optionType;
    }

    /** {@code rdma_optdir} of an OPTIONAL message: {@link Wire#CALL} or {@link Wire#REPLY}. */
    public int optionDirection() {
        return optionDirection;
    }

    /** The offset of the payload, behind the header. */
    public long payloadOffset() {
        return at;
    }

    public long payloadLength() {
        return end - at;
    }

    /** The {@code msg_type} of the payload, or -1 if there is no payload. */
    public int payloadType() {
        return payloadLength() < 2 * Integer.BYTES ? -1 : message.get(Wire.INT, at + Integer.BYTES);
    }

    /** The XID within the payload, which must be that of the header; 0 if there is no payload. */
    public int payloadXid() {
        return payloadLength() < Integer.BYTES ? 0 : message.get(Wire.INT, at);
    }
}
