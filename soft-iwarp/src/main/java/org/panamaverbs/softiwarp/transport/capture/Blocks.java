package org.panamaverbs.softiwarp.transport.capture;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A buffer of blocks of pcapng (draft-ietf-opsawg-pcapng, 4), in network order. */
final class Blocks {
    private static final int SECTION_HEADER = 0x0A0D0D0A;
    private static final int BYTE_ORDER = 0x1A2B3C4D;
    private static final int INTERFACE = 1;
    private static final int ENHANCED_PACKET = 6;
    /** Packets begin with the header of IP. */
    private static final int LINKTYPE_RAW = 101;
    private static final int OPTION_NAME = 2;
    private static final int OPTION_APPLICATION = 4;
    private static final int OPTION_FLAGS = 2;
    private static final int OPTION_DROP_COUNT = 4;
    private static final int OPTION_RESOLUTION = 9;
    private static final int NANOSECONDS = 9;
    private static final int INBOUND = 1;
    private static final int OUTBOUND = 2;
    /** Type, both lengths, interface, time, both lengths of the packet; the options flags and drop count, and the end of options. */
    private static final int PACKET_OVERHEAD = 32 + 8 + 12 + 4;

    private final ByteBuffer buffer;
    private final MemorySegment memory;

    Blocks(int capacity) {
        buffer = ByteBuffer.allocateDirect(capacity);
        memory = MemorySegment.ofBuffer(buffer);
    }

    int size() {
        return buffer.position();
    }

    int room() {
        return buffer.remaining();
    }

    void clear() {
        buffer.clear();
    }

    /** The bytes in the buffer, for writing. */
    ByteBuffer written() {
        return buffer.flip();
    }

    private static int padded(int length) {
        return length + 3 & ~3;
    }

    static int packetSize(int length) {
        return PACKET_OVERHEAD + padded(length);
    }

    /** Begins a section, with its one interface. */
    void section(int snaplen) {
        int begin = begin(SECTION_HEADER);
        buffer.putInt(BYTE_ORDER).putShort((short) 1).putShort((short) 0).putLong(-1);
        option(OPTION_APPLICATION, "panama-verbs soft-iwarp".getBytes(StandardCharsets.US_ASCII));
        end(begin);
        begin = begin(INTERFACE);
        buffer.putShort((short) LINKTYPE_RAW).putShort((short) 0).putInt(snaplen);
        option(OPTION_NAME, "soft-iwarp".getBytes(StandardCharsets.US_ASCII));
        option(OPTION_RESOLUTION, new byte[] { NANOSECONDS });
        end(begin);
    }

    private int begin(int type) {
        int begin = buffer.position();
        buffer.putInt(type).putInt(0);
        return begin;
    }

    private void end(int begin) {
        buffer.putInt(0);
        int length = buffer.position() - begin + 4;
        buffer.putInt(length);
        buffer.putInt(begin + 4, length);
    }

    private void option(int code, byte[] value) {
        buffer.putShort((short) code).putShort((short) value.length).put(value);
        pad(value.length);
    }

    private void pad(int length) {
        for (int i = length; i < padded(length); i++) {
            buffer.put((byte) 0);
        }
    }

    /** Adds a packet; there must be room. If some memory of the vector cannot be read, the packet counts as cut there. */
    void packet(long nanos, byte[] template, boolean outwards, int flags, int sequence, int acknowledged, IoVector vector, long from,
            int length, int kept, int dropped) {
        int headers = Packet.headersSize(template, flags);
        int begin = begin(ENHANCED_PACKET);
        buffer.putInt(0).putLong(nanos).putInt(0).putInt(headers + length);
        int at = buffer.position();
        Packet.putHeaders(buffer, template, flags, sequence, acknowledged, length);
        int copied = kept == 0 ? 0 : (int) vector.copyRange(from, memory, buffer.position(), kept);
        buffer.position(buffer.position() + copied);
        if (copied == length) {
            Packet.seal(buffer, at, template, headers + length);
        }
        buffer.putInt(at - 8, headers + copied);
        pad(headers + copied);
        buffer.putShort((short) OPTION_FLAGS).putShort((short) 4).putInt(outwards ? OUTBOUND : INBOUND);
        buffer.putShort((short) OPTION_DROP_COUNT).putShort((short) 8).putLong(dropped);
        end(begin);
    }
}
