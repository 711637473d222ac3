package org.panamaverbs.ddp.buffers;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.DdpBuffer;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.ddp.socket.protocol.MpaProtocol;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;
import org.panamaverbs.testing.fuzz.FuzzInput;

/**
 * A target: what the peer of a socket over MPA sends: segments for memory, for a sink, for buffers of the group and for posted receives.
 * Indications, placements and the end are the same however the bytes are cut, and nothing beside the buffers is written. The bytes are
 *
 * <pre>
 * 0 protocol, CRC, receives 8 | pieces 8 | then FPDUs: kind 8, fields of that kind
 * </pre>
 */
public final class SocketStreamFuzz {
    private static final int SIZE = 6000;
    private static final int RECEIVE = 300;
    private static final int GUARD = 64;
    private static final int QUARANTINE = 1000;
    private static final int[] STAGS = { 0x11, 0x22, 0x33, 0x44 };
    private static final int MOST_BYTES = 1 << 15;

    private SocketStreamFuzz() {
    }

    /** Runs one input; throws if what comes of it depends on how the bytes are cut. */
    public static void fuzzerTestOneInput(byte[] input) {
        FuzzInput in = new FuzzInput(input);
        int mode = in.octet();
        int pieces = in.octet();
        boolean crc = (mode & 1) == 0;
        ByteArrayOutputStream wire = new ByteArrayOutputStream();
        int[] author = { 1, 1, 0, 0 };
        while (in.hasMore() && wire.size() < MOST_BYTES) {
            wire.writeBytes(fpdu(in, author, crc));
        }
        List<String> whole = play(wire.toByteArray(), mode, Integer.MAX_VALUE);
        List<String> cut = play(wire.toByteArray(), mode, 1 + wire.size() / 4096 + pieces * pieces / 16);
        if (!whole.equals(cut)) {
            throw new AssertionError(whole + " at once, and in pieces " + cut);
        }
    }

    private static byte[] fpdu(FuzzInput in, int[] author, boolean crc) {
        int kind = in.octet();
        byte[] segment = switch (kind % 6) {
            case 0, 1 -> tagged(in, in.octet());
            case 2 -> tagged(in, in.word() % SIZE);
            case 3, 4 -> untagged(in, author);
            default -> in.take(in.octet());
        };
        byte[] fpdu = new byte[(2 + segment.length + 3) / 4 * 4 + 4];
        ByteBuffer fields = ByteBuffer.wrap(fpdu).order(ByteOrder.LITTLE_ENDIAN);
        fields.put((byte) (segment.length >> 8)).put((byte) segment.length).put(segment);
        if (crc) {
            CRC32C sum = new CRC32C();
            sum.update(fpdu, 0, fpdu.length - 4);
            fields.putInt(fpdu.length - 4, (int) sum.getValue() ^ (kind >= 250 ? 1 : 0));
        }
        return kind >= 240 && kind < 244 ? Arrays.copyOf(fpdu, fpdu.length / 2) : fpdu;
    }

    private static byte[] tagged(FuzzInput in, int length) {
        int bits = in.octet();
        long at = in.word() % (SIZE + 16);
        return pattern(ByteBuffer.allocate(14 + length).put((byte) ((bits & 1) != 0 ? 0xC1 : 0x81)).put((byte) in.octet())
                .putInt((bits & 0x70) == 0x70 ? bits : STAGS[bits >> 1 & 3]).putLong((bits & 8) != 0 ? at : at & 0xFF), 14);
    }

    private static byte[] untagged(FuzzInput in, int[] author) {
        int bits = in.octet();
        int length = in.octet() + ((bits & 4) != 0 ? 100 : 0);
        int queue = bits >> 1 & 1;
        boolean last = (bits & 1) != 0;
        ByteBuffer segment = ByteBuffer.allocate(18 + length).put((byte) (last ? 0x41 : 0x01)).put((byte) 7).putInt(bits).putInt(queue)
                .putInt(author[queue]).putInt(author[2 + queue]);
        author[2 + queue] = last ? 0 : author[2 + queue] + length;
        author[queue] += last ? 1 : 0;
        return pattern(segment, 18);
    }

    private static byte[] pattern(ByteBuffer segment, int from) {
        byte[] bytes = segment.array();
        for (int i = from; i < bytes.length; i++) {
            bytes[i] = (byte) (i + bytes.length);
        }
        return bytes;
    }

    /** Takes down what the socket does. */
    private static final class Program implements IndicationTaker, DdpBuffer {
        private final List<String> log = new ArrayList<>();
        private final Set<Long> taken = new HashSet<>();

        @Override
        public void message(RegisteredBuffer into, long offset, long length, int queue, int octet, int word, Object source) {
            if (!taken.add(offset)) {
                throw new AssertionError("two messages in one receive");
            }
            byte[] bytes = length == 0 ? new byte[0] : into.segment().orElseThrow().asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
            log.add("message " + queue + " " + octet + " " + word + " at " + offset + ": " + length + " " + Arrays.hashCode(bytes));
        }

        @Override
        public void notification(int messageId, int octet, Object source) {
            log.add("notification " + messageId + " " + octet);
        }

        @Override
        public void end(VerbsException reason, Object source) {
            log.add("end");
        }

        @Override
        public long size() {
            return SIZE;
        }

        @Override
        public void set(long offset, MemorySegment bytes) {
            if (offset > SIZE - bytes.byteSize()) {
                throw new AssertionError("bytes beyond the sink");
            }
            log.add("sink " + offset + " " + Arrays.hashCode(bytes.toArray(ValueLayout.JAVA_BYTE)));
        }
    }

    private static List<String> play(byte[] wire, int mode, int most) {
        try (Arena arena = Arena.ofConfined()) {
            Program program = new Program();
            int[] random = { 0x1000 };
            Buffers own = new Buffers(() -> random[0] += 7, () -> 0, QUARANTINE);
            Buffers group = new Buffers(() -> random[0] += 7, () -> 0, QUARANTINE);
            MemorySegment ground = arena.allocate(3L * SIZE + 4L * GUARD);
            ground.fill((byte) 0x5A);
            own.register(part(ground, 0), at(0), null, SocketStreamFuzz::nothing);
            own.register(program, at(1));
            group.register(part(ground, 1), at(2), (offset, length, source) -> program.log.add("placed " + offset + " " + length),
                    SocketStreamFuzz::nothing);
            Buffer landing = own.register(part(ground, 2), at(3), null, SocketStreamFuzz::nothing);
            PostedReceives[] receives = { new PostedReceives(16), new PostedReceives(16) };
            PostedReceives shared = new PostedReceives(16);
            for (int i = 0; i < (mode >> 2 & 7); i++) {
                (i % 3 == 2 ? shared : receives[i % 3]).post(landing, (long) i * RECEIVE, RECEIVE);
            }
            Indications indications = new Indications(8);
            Client client = new Client((mode & 2) == 0 ? Client.Protocol.RFC_5041 : Client.Protocol.RFC_5041_EVERY_TAGGED, own, group,
                    receives, shared, indications, new SinkMemory(size -> arena.allocate(size, 64)));
            StreamProtocol protocol = new MpaProtocol(client, DdpOptions.DEFAULT.withQueues(2),
                    new Agreement((mode & 1) == 0, false, 0, 0, false, -1, -1, ReadyIndication.NONE, new byte[0]), 1460, (mode & 32) != 0,
                    new SocketCounters(), arena, new BufferPool(arena, 1024, 1));
            String end = feed(protocol, wire, most, indications, program);
            program.log.add(end == null ? "goes on" : end);
            program.log.add("held " + protocol.isHeld() + ", placed " + client.placed());
            for (int i = 0; i < 4; i++) {
                checkGuard(ground, i * (SIZE + GUARD));
            }
            return program.log;
        }
    }

    private static void nothing() {
        // The arena ends with the run.
    }

    private static BufferAttributes at(int index) {
        return BufferAttributes.DEFAULT.withStag(STAGS[index]);
    }

    private static MemorySegment part(MemorySegment ground, int index) {
        return ground.asSlice(GUARD + (long) index * (SIZE + GUARD), SIZE);
    }

    private static void checkGuard(MemorySegment ground, int from) {
        for (int i = from; i < from + GUARD; i++) {
            if (ground.get(ValueLayout.JAVA_BYTE, i) != 0x5A) {
                throw new AssertionError("a byte beside the buffers was written, at " + i);
            }
        }
    }

    private static String feed(StreamProtocol protocol, byte[] wire, int most, Indications indications, Program program) {
        IoVector target = new IoVector(4);
        String end = null;
        for (int at = 0; at < wire.length && end == null;) {
            protocol.pollReceive(target);
            if (target.bytes() < 1) {
                throw new AssertionError("asked for nothing");
            }
            int count = (int) Math.min(Math.min(wire.length - at, most), target.bytes());
            int done = 0;
            for (int i = 0; done < count; i++) {
                int chunk = (int) Math.min(count - done, target.length(i));
                MemorySegment.copy(wire, at + done, target.segment(i), ValueLayout.JAVA_BYTE, target.offset(i), chunk);
                done += chunk;
            }
            at += count;
            end = protocol.onReceived(count);
        }
        while (indications.take(program)) {
            // Until none is left.
        }
        return end == null ? protocol.onEndOfStream() : end;
    }
}
