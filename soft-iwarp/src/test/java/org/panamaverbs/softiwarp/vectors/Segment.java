package org.panamaverbs.softiwarp.vectors;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * An FPDU with its DDP segment, as the wire classes read it.
 *
 * @param stream the stream that it is part of
 * @param at     the offset in it at which the FPDU starts
 */
record Segment(MemorySegment stream, long at) {
    int ulpduLength() {
        return Fpdu.length(stream, at);
    }

    /** The offset at which the next FPDU starts. */
    long end() {
        return at + Fpdu.size(ulpduLength());
    }

    long header() {
        return at + Fpdu.LENGTH_SIZE;
    }

    int control() {
        return Ddp.control(stream, header());
    }

    boolean isTagged() {
        return Ddp.isTagged(control());
    }

    boolean isLast() {
        return Ddp.isLast(control());
    }

    int ulp() {
        return Ddp.ulp(stream, header());
    }

    int opcode() {
        return Rdmap.opcode(ulp());
    }

    int stag() {
        return Ddp.stag(stream, header());
    }

    long taggedOffset() {
        return Ddp.taggedOffset(stream, header());
    }

    int word() {
        return Ddp.ulpWord(stream, header());
    }

    int queue() {
        return Ddp.queueNumber(stream, header());
    }

    int messageSequence() {
        return Ddp.messageSequence(stream, header());
    }

    int messageOffset() {
        return Ddp.messageOffset(stream, header());
    }

    long payloadAt() {
        return header() + Ddp.size(control());
    }

    int payloadLength() {
        return ulpduLength() - Ddp.size(control());
    }

    byte[] payload() {
        return stream.asSlice(payloadAt(), payloadLength()).toArray(ValueLayout.JAVA_BYTE);
    }

    int pad() {
        return Fpdu.pad(ulpduLength());
    }

    long crcAt() {
        return end() - Fpdu.CRC_SIZE;
    }

    int crc() {
        return Fpdu.crc(stream, crcAt());
    }

    /** The CRC that it should have. */
    int computedCrc() {
        CRC32C crc = new CRC32C();
        crc.update(stream.asSlice(at, crcAt() - at).asByteBuffer());
        return (int) crc.getValue();
    }

    ByteBuffer bytes() {
        return stream.asSlice(at, end() - at).asByteBuffer();
    }

    @Override
    public String toString() {
        return "FPDU of opcode " + opcode() + " and " + payloadLength() + " bytes at " + at;
    }
}
