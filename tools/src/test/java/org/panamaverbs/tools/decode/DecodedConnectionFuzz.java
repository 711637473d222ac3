package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: both directions of a connection, as TCP segments that were cut anywhere, sent again, and overtook each other. What is decoded
 * does not depend on that, and with low limits nothing is lost without a word. The bytes are
 *
 * <pre>
 * 0 start-up 8 | segments 8 | then FPDUs and other bytes: kind and direction 8, fields of that kind
 * </pre>
 */
public final class DecodedConnectionFuzz {
    private static final int MOST_BYTES = 1 << 14;
    private static final int SHUFFLED = 8;
    private static final int REVERSED = 16;
    /** How many connections have the same packets, if limits are to be exceeded. */
    private static final int CONNECTIONS = 3;

    private DecodedConnectionFuzz() {
    }

    /** Runs one input; throws if what is decoded depends on the segments. */
    public static void fuzzerTestOneInput(byte[] input) throws IOException {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int seed = in.octet();
        ByteBuffer[] ways = { ByteBuffer.allocate(MOST_BYTES), ByteBuffer.allocate(MOST_BYTES) };
        ways[0].put(MpaBytes.start(true, (mode & 15) << 4, 1 + (mode & 1)));
        ways[1].put(MpaBytes.start(false, mode >> 4 << 4, 1 + (mode >> 4 & 1)));
        while (in.hasMore()) {
            int kind = in.octet();
            byte[] bytes = (kind & 2) == 0 ? MpaBytes.fpdu(in.take(in.octet()), (kind & 4) != 0) : in.take(in.octet());
            ByteBuffer way = ways[kind & 1];
            way.put(bytes, 0, Math.min(bytes.length, way.remaining()));
        }
        List<String> whole = decode(packets(ways, 0));
        List<String> cut = decode(packets(ways, 1 + seed));
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + ", and in other segments " + cut);
        }
        shouldKeepWithinLimits(ways, seed, fpdus(whole, 0));
    }

    /**
     * The same on several connections at a time, with limits that they exceed. If a connection with both start frames then has fewer FPDUs,
     * it says that something was lost. Only a segment that overtakes the Request can be lost without a word: nothing shows yet that the
     * connection carries MPA.
     */
    private static void shouldKeepWithinLimits(ByteBuffer[] ways, int seed, long fpdus) throws IOException {
        Limits limits = new Limits(2 + seed % 2, 256 << seed % 3, 1 << 12);
        List<Packet> packets = packets(ways, 1 + seed);
        MadeFile file = new MadeFile();
        for (int i = 0; i < packets.size() + CONNECTIONS - 1; i++) {
            for (int connection = Math.max(0, i - packets.size() + 1); connection < Math.min(CONNECTIONS, i + 1); connection++) {
                packets.get(i - connection).addTo(file, connection);
            }
        }
        List<String> said = new ArrayList<>();
        Decoder decoder = new Decoder(entry -> said.add(words(entry)), limits);
        decoder.decode(file.checkedBy(() -> {
            if (decoder.held() > limits.total()) {
                throw new AssertionError(decoder.held() + " bytes are held, with " + limits);
            }
        }));
        for (int connection = 0; connection < CONNECTIONS; connection++) {
            boolean begun = said(said, connection, "request") > 0 && said(said, connection, "reply") > 0;
            if (fpdus(said, connection) > fpdus
                    || begun && !isShuffled(1 + seed) && fpdus(said, connection) < fpdus && said(said, connection, "lost") == 0
                    || decoder.held() != 0) {
                throw new AssertionError("of " + fpdus + " FPDUs on connection " + connection + ": " + said);
            }
        }
    }

    private static long fpdus(List<String> said, int connection) {
        return said(said, connection, "fpdu");
    }

    private static long said(List<String> said, int connection, String kind) {
        return said.stream()
                .filter(words -> words.startsWith(2 * connection + 1 + " " + kind) || words.startsWith(2 * connection + 2 + " " + kind))
                .count();
    }

    private static boolean isShuffled(int seed) {
        return (seed & SHUFFLED) != 0;
    }

    /** A packet in one of both ways. */
    private record Packet(int way, int offset, int flags, byte[] payload) {
        void addTo(MadeFile file, int connection) {
            file.packet(2 * connection + 1 + way, 2 * connection + 2 - way, offset, flags, payload);
        }
    }

    /**
     * The packets of both directions: whole for seed 0, else in small segments, some of them twice. Bits of the seed put them in another
     * order, and the direction of the Request last.
     */
    private static List<Packet> packets(ByteBuffer[] ways, int seed) {
        List<Packet> packets = new ArrayList<>();
        packets.add(new Packet(0, 0, TcpSegment.SYN, new byte[0]));
        packets.add(new Packet(1, 0, TcpSegment.SYN, new byte[0]));
        int state = seed * 7919;
        for (int i = 0; i < 2; i++) {
            int way = (seed & REVERSED) == 0 ? i : 1 - i;
            int begin = packets.size();
            for (int at = 0; at < ways[way].position();) {
                state = state * 1_103_515_245 + 12_345;
                int length = Math.min(seed == 0 ? MOST_BYTES : 1 + (state >>> 16) % (1 << seed % 11), ways[way].position() - at);
                byte[] payload = new byte[length];
                ways[way].get(at, payload);
                packets.add(new Packet(way, at, 0, payload));
                if ((state & 0x700) == 0 && seed != 0) {
                    packets.add(new Packet(way, at, 0, payload));
                }
                at += length;
            }
            for (int j = packets.size() - 1; isShuffled(seed) && j > begin; j--) {
                state = state * 1_103_515_245 + 12_345;
                int other = Math.max(begin, j - (state >>> 16) % 4);
                packets.set(j, packets.set(other, packets.get(j)));
            }
        }
        return packets;
    }

    private static List<String> decode(List<Packet> packets) throws IOException {
        List<String> said = new ArrayList<>();
        MadeFile file = new MadeFile();
        packets.forEach(packet -> packet.addTo(file, 0));
        new Decoder(entry -> said.add(words(entry))).decode(file);
        // Which direction is decoded first depends on the packets.
        said.sort((a, b) -> Character.compare(a.charAt(0), b.charAt(0)));
        return said;
    }

    private static String words(Entry entry) {
        return entry.from().getPort() + " " + entry.kind() + " " + entry.fields() + " " + entry.text();
    }
}
