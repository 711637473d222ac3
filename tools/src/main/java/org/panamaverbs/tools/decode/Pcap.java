package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The older format (draft-ietf-opsawg-pcap): one header, and one before each packet. */
final class Pcap extends PacketFile {
    private static final int MAGIC_SIZE = 4;
    private static final int HEADER_REST = 20;
    private static final int LINK_TYPE_AT = 16;
    private static final int PACKET_HEADER = 16;
    private static final int LINK_TYPE = 0xFFFF;

    private final ByteOrder order;
    private final boolean nanoseconds;
    private final int linkType;

    /** Reads the header behind the magic number. */
    Pcap(String name, InputStream in, ByteOrder order, boolean nanoseconds) throws IOException {
        super(name, in, MAGIC_SIZE);
        this.order = order;
        this.nanoseconds = nanoseconds;
        this.linkType = read(HEADER_REST, order).getInt(LINK_TYPE_AT) & LINK_TYPE;
    }

    @Override
    Frame next() throws IOException {
        long at = offset();
        ByteBuffer header = readOrEnd(PACKET_HEADER, order);
        if (header == null) {
            return null;
        }
        long seconds = Integer.toUnsignedLong(header.getInt());
        long fraction = Integer.toUnsignedLong(header.getInt());
        long kept = Integer.toUnsignedLong(header.getInt());
        long length = Integer.toUnsignedLong(header.getInt());
        if (kept > LONGEST) {
            throw corrupt(at, "a packet of " + kept + " bytes, more than " + LONGEST);
        }
        byte[] bytes = read((int) kept, order).array();
        return frame(seconds * 1_000_000_000L + fraction * (nanoseconds ? 1 : 1000), linkType, bytes, length);
    }
}
