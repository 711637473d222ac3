package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: both directions of a connection, as TCP segments that were cut anywhere, sent again, and overtook each other. What is decoded
 * does not depend on that. The bytes are
 *
 * <pre>
 * 0 start-up 8 | segments 8 | then FPDUs and other bytes: kind and direction 8, fields of that kind
 * </pre>
 */
public final class DecodedConnectionFuzz {
    private static final int RAW_IP = 101;
    private static final int FIRST_SEQUENCE = 0xFFFF_FF00;
    private static final int MOST_BYTES = 1 << 14;

    private DecodedConnectionFuzz() {
    }

    /** A file of packets that were made just now. */
    private static final class Made extends PacketFile {
        private final List<byte[]> packets;
        private int at;

        Made(List<byte[]> packets) {
            super("made", InputStream.nullInputStream(), 0);
            this.packets = packets;
        }

        @Override
        Frame next() {
            if (at == packets.size()) {
                return null;
            }
            byte[] bytes = packets.get(at++);
            return frame(at, RAW_IP, bytes, bytes.length);
        }
    }

    /** Runs one input; throws if what is decoded depends on the segments. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int seed = in.octet();
        ByteBuffer[] ways = { ByteBuffer.allocate(MOST_BYTES), ByteBuffer.allocate(MOST_BYTES) };
        ways[0].put(start(mode & 15, true));
        ways[1].put(start(mode >> 4, false));
        while (in.hasMore()) {
            int kind = in.octet();
            byte[] bytes = (kind & 2) == 0 ? fpdu(in.take(in.octet()), (kind & 4) != 0) : in.take(in.octet());
            ByteBuffer way = ways[kind & 1];
            way.put(bytes, 0, Math.min(bytes.length, way.remaining()));
        }
        List<String> whole = decode(packets(ways, 0));
        List<String> cut = decode(packets(ways, 1 + seed));
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + ", and in other segments " + cut);
        }
    }

    private static byte[] start(int flags, boolean request) {
        int length = (flags & 1) != 0 ? 4 : 0;
        return ByteBuffer.allocate(20 + length).put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII))
                .put((byte) (flags << 4)).put((byte) (1 + (flags & 1))).putShort((short) length).array();
    }

    private static byte[] fpdu(byte[] ulpdu, boolean right) {
        ByteBuffer fpdu = ByteBuffer.allocate((2 + ulpdu.length + 3) / 4 * 4 + 4).putShort((short) ulpdu.length).put(ulpdu);
        if (right) {
            java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
            crc.update(fpdu.array(), 0, fpdu.limit() - 4);
            fpdu.order(java.nio.ByteOrder.LITTLE_ENDIAN).putInt(fpdu.limit() - 4, (int) crc.getValue());
        }
        return fpdu.array();
    }

    /** The packets of both directions, the first one first: whole for seed 0, else in small segments in another order. */
    private static List<byte[]> packets(ByteBuffer[] ways, int seed) {
        List<byte[]> packets = new ArrayList<>();
        packets.add(packet(0, 0, new byte[0], 2));
        packets.add(packet(1, 0, new byte[0], 2));
        int state = seed * 7919;
        for (int way = 0; way < 2; way++) {
            int begin = packets.size();
            for (int at = 0; at < ways[way].position();) {
                state = state * 1_103_515_245 + 12_345;
                int length = Math.min(seed == 0 ? MOST_BYTES : 1 + (state >>> 16) % (1 << seed % 11), ways[way].position() - at);
                byte[] payload = new byte[length];
                ways[way].get(at, payload);
                packets.add(packet(way, 1 + at, payload, 0));
                if ((state & 0x700) == 0 && seed != 0) {
                    packets.add(packet(way, 1 + at, payload, 0));
                }
                at += length;
            }
            for (int i = packets.size() - 1; seed > 8 && i > begin; i--) {
                state = state * 1_103_515_245 + 12_345;
                int other = Math.max(begin, i - (state >>> 16) % 4);
                packets.set(i, packets.set(other, packets.get(i)));
            }
        }
        return packets;
    }

    private static byte[] packet(int way, int sequence, byte[] payload, int flags) {
        ByteBuffer packet = ByteBuffer.allocate(40 + payload.length);
        packet.put((byte) 0x45).put((byte) 0).putShort((short) packet.limit()).putInt(0).put((byte) 64).put((byte) 6).putShort((short) 0);
        packet.putInt(0x7F00_0001).putInt(0x7F00_0001).putShort((short) (1 + way)).putShort((short) (2 - way));
        packet.putInt(FIRST_SEQUENCE + sequence).putInt(0).put((byte) 0x50).put((byte) flags).putShort((short) 0).putInt(0).put(payload);
        return packet.array();
    }

    private static List<String> decode(List<byte[]> packets) throws IOException {
        List<String> said = new ArrayList<>();
        Decoder decoder = new Decoder(
                entry -> said.add(entry.from().getPort() + " " + entry.kind() + " " + entry.fields() + " " + entry.text()));
        decoder.decode(new Made(packets));
        // Which direction is decoded first depends on the packets.
        said.sort((a, b) -> Character.compare(a.charAt(0), b.charAt(0)));
        return said;
    }
}
