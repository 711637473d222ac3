package org.panamaverbs.tools.decode;

import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A file of packets that a test makes: TCP over IPv4 between ports of 127.0.0.1, without a header of a link. */
final class MadeFile extends PacketFile {
    static final int HEADERS = 40;
    /** Of the first byte of each stream: sequence numbers wrap soon. */
    static final int FIRST_SEQUENCE = 0xFFFF_FF00;

    private static final int RAW_IP = 101;
    private static final byte[] NOTHING = {};

    private final List<byte[]> packets = new ArrayList<>();
    private int snapLength = Integer.MAX_VALUE;
    private Runnable check = () -> {
    };
    private int at;

    MadeFile() {
        super("made", InputStream.nullInputStream(), 0);
    }

    /** The most bytes of each packet that the file has. */
    MadeFile cutAt(int length) {
        snapLength = length;
        return this;
    }

    /** Is run before each packet is read, and at the end. */
    MadeFile checkedBy(Runnable invariant) {
        check = invariant;
        return this;
    }

    /** A packet; {@code offset} is that of its payload in the stream. */
    MadeFile packet(int from, int to, long offset, int flags, byte[] payload) {
        int sequence = FIRST_SEQUENCE + (int) offset - ((flags & TcpSegment.SYN) != 0 ? 1 : 0);
        // @formatter:off
        packets.add(ByteBuffer.allocate(HEADERS + payload.length)
                .put((byte) 0x45).put((byte) 0).putShort((short) (HEADERS + payload.length)).putInt(0)
                .put((byte) 64).put((byte) 6).putShort((short) 0).putInt(0x7F00_0001).putInt(0x7F00_0001)
                .putShort((short) from).putShort((short) to).putInt(sequence).putInt(0)
                .put((byte) 0x50).put((byte) flags).putShort((short) 0).putInt(0).put(payload).array());
        // @formatter:on
        return this;
    }

    MadeFile data(int from, int to, long offset, byte[] payload) {
        return packet(from, to, offset, 0, payload);
    }

    /** The handshake of TCP. */
    MadeFile handshake(int from, int to) {
        return packet(from, to, 0, TcpSegment.SYN, NOTHING).packet(to, from, 0, TcpSegment.SYN, NOTHING);
    }

    MadeFile fin(int from, int to, long offset) {
        return packet(from, to, offset, TcpSegment.FIN, NOTHING);
    }

    int size() {
        return packets.size();
    }

    @Override
    Frame next() {
        check.run();
        if (at == packets.size()) {
            return null;
        }
        byte[] bytes = packets.get(at++);
        return frame(at, RAW_IP, snapLength < bytes.length ? java.util.Arrays.copyOf(bytes, snapLength) : bytes, bytes.length);
    }
}
