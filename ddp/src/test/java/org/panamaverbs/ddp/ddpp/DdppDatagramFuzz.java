package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: datagrams of DDPP from a few senders, held against the rules of the draft (2.1, 2.2, 3 and 3.3) in a few lines. The bytes are
 *
 * <pre>
 * 0 receives 8 | then datagrams: kind 8, sender 8, fields of that kind
 * </pre>
 */
public final class DdppDatagramFuzz {
    private static final int KEY = 0x0305;
    private static final long BASE = 0x7000_0000L;
    private static final int SIZE = 2000;
    private static final int SOURCES = 4;
    private static final int RECEIVE = 100;
    private static final int MOST_DATAGRAMS = 64;
    private static final int AT = 3;

    private final TestClient client = new TestClient();
    private final Tally tally = new Tally();
    private final DatagramReceiver receiver = new DatagramReceiver(client, tally, new SourceTable(SourceTable.USUAL, 42));
    // The model.
    private final long[] newest = new long[SOURCES];
    private final long[] delivered = new long[SOURCES];
    private final boolean[] known = new boolean[SOURCES];

    private DdppDatagramFuzz(MemorySegment buffer, int receives) {
        client.register(KEY, BASE, buffer);
        for (int i = 0; i < receives; i++) {
            client.post(RECEIVE);
        }
    }

    /** Runs one input; throws if the receiver does other things than the draft says. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        try (Arena arena = Arena.ofConfined()) {
            DdppDatagramFuzz run = new DdppDatagramFuzz(arena.allocate(SIZE), in.octet() % 8);
            MemorySegment memory = arena.allocate(4096);
            MemorySegment source = arena.allocate(28);
            for (int i = 0; in.hasMore() && i < MOST_DATAGRAMS; i++) {
                run.play(message(in), in.below(SOURCES), memory, source);
            }
        }
    }

    private static byte[] message(FuzzInput in) {
        int kind = in.octet();
        byte[] message = switch (kind % 4) {
            case 0, 1 -> {
                int bits = in.octet();
                long offset = (bits & 2) != 0 ? BASE + in.word() % (SIZE + 16) : (bits & 0xF0) == 0xF0 ? in.number() : BASE;
                yield Datagrams.decorated((bits & 1) != 0, bits, (bits & 12) == 12 ? bits : KEY, offset, Datagrams.count(in.octet()));
            }
            case 2 -> Datagrams.undecorated(Datagrams.count(in.below(RECEIVE + 4)));
            default -> in.take(in.octet());
        };
        if ((kind & 16) != 0 && message.length >= 4) {
            int sequence = (kind & 32) != 0 ? in.word() : in.octet();
            message[1] |= (byte) 0x80;
            message[2] = (byte) (sequence >> 8);
            message[3] = (byte) sequence;
        }
        return message;
    }

    private void play(byte[] message, int sender, MemorySegment memory, MemorySegment source) {
        MemorySegment.copy(message, 0, memory, ValueLayout.JAVA_BYTE, AT, message.length);
        source.set(ValueLayout.JAVA_INT, 24, sender);
        int before = client.deliveries.size();
        Drop expected = expect(message, sender);
        Drop drop = receiver.onMessage(memory, AT, message.length, source, 0, 28);
        if (drop != expected) {
            throw new AssertionError("the receiver says " + drop + ", and the draft " + expected);
        }
        int after = client.deliveries.size();
        if (after != before + (drop == Drop.NONE ? 1 : 0) || after != tally.messages) {
            throw new AssertionError(after + " deliveries after " + before + ", " + tally.messages + " counted");
        }
        if (drop == Drop.NONE && after > 0) {
            int size = client.deliveries.getLast().decorated() ? 20 : 4;
            String bytes = java.util.HexFormat.of().formatHex(message, size, message.length);
            if (!client.deliveries.getLast().bytes().equals(bytes)) {
                throw new AssertionError("other bytes were delivered than came");
            }
        }
    }

    private Drop expect(byte[] message, int sender) {
        if (message.length < 4 || message[0] != 1) {
            return Drop.MALFORMED;
        }
        int kind = message[1] & 0x7F;
        int size = kind == 1 ? 20 : 4;
        if (kind < 1 || kind > 2 || message.length < size) {
            return Drop.MALFORMED;
        }
        ByteBuffer fields = ByteBuffer.wrap(message);
        int length = message.length - size;
        boolean notifies = kind == 1 && message[4] < 0;
        if (kind == 1 && length == 0 && !notifies) {
            return Drop.MALFORMED;
        }
        boolean ordered = message[1] < 0;
        int number = fields.getShort(2) & 0xFFFF;
        long extended = number;
        if (ordered && known[sender]) {
            extended = newest[sender] + (short) (number - newest[sender]);
            newest[sender] = Math.max(newest[sender], extended);
            if (extended <= delivered[sender]) {
                return Drop.LATE;
            }
        }
        Drop drop = kind == 1 ? decorated(fields, length) : undecorated(length);
        if (drop == Drop.NONE && ordered && (kind == 2 || notifies)) {
            newest[sender] = known[sender] ? newest[sender] : extended;
            known[sender] = true;
            delivered[sender] = extended;
        }
        return drop;
    }

    private static Drop decorated(ByteBuffer fields, int length) {
        if (fields.getInt(8) != KEY) {
            return Drop.UNKNOWN_STAG;
        }
        long at = fields.getLong(12) - BASE;
        return at < 0 || at > SIZE - length ? Drop.OUT_OF_BOUNDS : Drop.NONE;
    }

    private Drop undecorated(int length) {
        if (client.posted() == 0) {
            return Drop.WITHOUT_RECEIVE;
        }
        return length > RECEIVE ? Drop.TOO_LONG : Drop.NONE;
    }
}
