package org.panamaverbs.ddp.ddpp;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: a byte stream of DDPP. Whatever comes, there is an outcome and no exception, and the outcome does not depend on how the bytes
 * are cut. The bytes are
 *
 * <pre>
 * 0 receives and preamble 8 | pieces 8 | then messages: kind 8, fields of that kind
 * </pre>
 */
public final class DdppStreamFuzz {
    private static final int KEY = 0x0305;
    private static final long BASE = 0x7000_0000L;
    private static final int SIZE = 12_000;
    private static final int MOST_BYTES = 1 << 15;
    private static final int MOST_MESSAGES = 64;

    private record Outcome(StreamError error, List<TestClient.Delivery> delivered, List<String> faults, Map<Drop, Integer> drops,
            int messages, boolean boundary, StreamError end) {
    }

    private DdppStreamFuzz() {
    }

    /** Runs one input; throws if the reader breaks a rule. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int pieces = in.octet();
        ByteArrayOutputStream stream = new ByteArrayOutputStream();
        if ((mode & 8) == 0) {
            stream.writeBytes(Streams.stream());
        }
        for (int i = 0; in.hasMore() && i < MOST_MESSAGES && stream.size() < MOST_BYTES; i++) {
            stream.writeBytes(message(in));
        }
        Outcome whole = play(stream.toByteArray(), mode, Integer.MAX_VALUE);
        // Single bytes of a long stream take too long.
        Outcome cut = play(stream.toByteArray(), mode, 1 + stream.size() / 4096 + pieces * pieces / 16);
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + " at once, and in pieces " + cut);
        }
    }

    private static byte[] message(FuzzInput in) {
        int kind = in.octet();
        return switch (kind % 8) {
            case 0, 1 -> Streams.framed(decorated(in, in.octet()));
            case 2 -> Streams.framed(decorated(in, in.word() % (SIZE + 2)));
            case 3 -> Streams.framed(Datagrams.undecorated(Datagrams.count(in.octet())));
            case 4 -> Streams.framed(Datagrams.undecorated(Datagrams.count(in.word() % 8192)));
            case 5 -> Streams.framed(in.take(in.octet()));
            case 6 -> in.take(in.octet());
            default -> {
                byte[] framed = Streams.framed(decorated(in, in.octet()));
                framed[in.octet() % framed.length] ^= (byte) in.octet();
                yield framed;
            }
        };
    }

    private static byte[] decorated(FuzzInput in, int length) {
        int bits = in.octet();
        long offset = (bits & 2) != 0 ? BASE + in.word() % (SIZE + 16) : BASE + in.octet();
        return Datagrams.decorated((bits & 1) != 0, bits, (bits & 12) == 12 ? bits : KEY, (bits & 0xF0) == 0xF0 ? in.number() : offset,
                Datagrams.count(length));
    }

    private static Outcome play(byte[] stream, int mode, int most) {
        try (Arena arena = Arena.ofConfined()) {
            TestClient client = new TestClient();
            Tally tally = new Tally();
            client.register(KEY, BASE, arena.allocate(SIZE));
            for (int i = 0; i < mode % 8; i++) {
                client.post(64L << i);
            }
            StreamReader reader = new StreamReader(client, tally, arena);
            StreamError error = feed(reader, stream, most);
            boolean boundary = reader.isAtBoundary();
            if (error != StreamError.NONE && reader.describe().length() < 10) {
                throw new AssertionError("an error without words");
            }
            StreamError end = error == StreamError.NONE ? reader.onEndOfStream() : error;
            if (error == StreamError.NONE && boundary != (end == StreamError.NONE)
                    || end != StreamError.NONE && reader.describe().isEmpty()) {
                throw new AssertionError("the end of the stream: " + end);
            }
            return new Outcome(error, client.deliveries, client.faults, tally.drops, tally.messages, boundary, end);
        }
    }

    private static StreamError feed(StreamReader reader, byte[] stream, int most) {
        IoVector target = new IoVector(4);
        StreamError error = StreamError.NONE;
        for (int at = 0; at < stream.length && error == StreamError.NONE;) {
            reader.targets(target);
            if (target.bytes() == 0 || target.bytes() != reader.asked()) {
                throw new AssertionError("targets of " + target.bytes() + " bytes, asked for " + reader.asked());
            }
            int count = (int) Math.min(Math.min(stream.length - at, most), target.bytes());
            int done = 0;
            for (int i = 0; done < count; i++) {
                int chunk = (int) Math.min(count - done, target.length(i));
                MemorySegment.copy(stream, at + done, target.segment(i), ValueLayout.JAVA_BYTE, target.offset(i), chunk);
                done += chunk;
            }
            at += count;
            error = reader.onReceived(count);
        }
        return error;
    }
}
