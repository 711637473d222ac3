package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Random;

/**
 * One end of a stream without I/O. Its memory has the address {@link #BASE} for the peer. Its requests wait in order until {@link #deliver}
 * hands them to the peer.
 */
final class SimulatedEnd {
    static final long BASE = 0x1000;
    static final int CREDITS = 12;

    /** As rdma-core's: no more than credits, though control messages take receives, too. */
    private static final int RECEIVES = CREDITS;
    private static final int KEY = 77;
    private static final int SPACE = 1 << 14;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A Write, if there are bytes, and the message that follows it. */
    private record Posted(long address, byte[] bytes, int message) {
    }

    private final Random random;
    private final MemorySegment memory = Arena.ofAuto().allocate(SPACE, 8);
    private final ArrayDeque<Posted> wire = new ArrayDeque<>();
    private final int[] begins = new int[StreamCore.GRANTS];
    private final int firstLength;
    private StreamCore core;
    /** Messages that have arrived, and that the program has not taken: each holds a receive. */
    private final ArrayDeque<Integer> arrived = new ArrayDeque<>();
    private int next;
    private long written;
    private long read;

    SimulatedEnd(Random random) {
        this.random = random;
        firstLength = 1 + random.nextInt(64);
        next = StreamCore.TABLE_LENGTH;
        begins[0] = allocate(firstLength);
    }

    private int allocate(int length) {
        int at = next + length > SPACE ? StreamCore.TABLE_LENGTH : next;
        next = at + length;
        return at;
    }

    PrivateData data() {
        return new PrivateData(false, CREDITS, BASE, KEY, StreamCore.GRANTS, BASE + begins[0], KEY, firstLength);
    }

    void connect(SimulatedEnd peer) {
        core = new StreamCore(peer.data(), memory.asSlice(0, StreamCore.TABLE_LENGTH), CREDITS, firstLength, true);
    }

    StreamCore core() {
        return core;
    }

    long written() {
        return written;
    }

    long read() {
        return read;
    }

    /** Sends as much as credits and targets allow, in pieces of random lengths; byte number n has the value n. */
    void send(int most) throws StreamProtocolException {
        for (int left = most; left > 0 && core.room() > 0;) {
            byte[] bytes = new byte[1 + random.nextInt(Math.min(left, core.room()))];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (written + i);
            }
            assertEquals(KEY, core.key());
            long address = core.address();
            wire.add(new Posted(address, bytes, core.send(bytes.length)));
            written += bytes.length;
            left -= bytes.length;
        }
    }

    /** Reads, and grants and gives credits as a driver does. */
    void read(int most) {
        for (int left = most; left > 0 && core.unread() > 0;) {
            int length = Math.min(left, core.unread());
            int at = begins[core.grant()] + core.offset();
            for (int i = 0; i < length; i++) {
                assertEquals((byte) (read + i), memory.get(ValueLayout.JAVA_BYTE, at + i));
            }
            core.consume(length);
            read += length;
            left -= length;
        }
    }

    void control() {
        while (core.wantsGrant()) {
            int length = 1 + random.nextInt(64);
            int at = allocate(length);
            byte[] entry = new byte[Target.LENGTH];
            MemorySegment segment = MemorySegment.ofArray(entry);
            segment.set(LONG, 0, BASE + at);
            segment.set(INT, Target.KEY, KEY);
            segment.set(INT, Target.SIZE, length);
            long address = core.entryAddress();
            begins[core.nextGrant()] = at;
            core.grant(length);
            wire.add(new Posted(address, entry, core.credits()));
        }
        if (core.owesCredits()) {
            wire.add(new Posted(0, new byte[0], core.credits()));
        }
    }

    void shutdown() {
        wire.add(new Posted(0, new byte[0], core.shutdown()));
    }

    /** Whether something is on its way to the peer. */
    boolean hasPosted() {
        return !wire.isEmpty();
    }

    /** Hands the oldest request to the peer, whose program may take the message later. */
    void deliver(SimulatedEnd peer) {
        Posted posted = wire.remove();
        MemorySegment.copy(posted.bytes, 0, peer.memory, ValueLayout.JAVA_BYTE, posted.bytes.length == 0 ? 0 : posted.address - BASE,
                posted.bytes.length);
        peer.arrived.add(posted.message);
        assertTrue(peer.arrived.size() <= RECEIVES, "a message found no receive");
    }

    boolean hasArrived() {
        return !arrived.isEmpty();
    }

    void take() throws StreamProtocolException {
        core.receive(arrived.remove());
    }
}
