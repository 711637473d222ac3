package org.panamaverbs.sockets.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
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
    private static final int MOST_CARRIED = 40;
    private static final int SPACE = 1 << 14;
    /** So many bytes wait at most: for the connection, or for room at the peer. */
    private static final int BUFFER = 150;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A Write, if there are bytes, and the message that follows it. A message that carries the bytes has a limit, and no address. */
    private record Posted(long address, byte[] bytes, int message, int limit) {
        Posted(long address, byte[] bytes, int message) {
            this(address, bytes, message, -1);
        }

        boolean carries() {
            return limit >= 0;
        }

        int length() {
            return carries() ? Message.HEADER + bytes.length : Message.LENGTH;
        }
    }

    private final Random random;
    private final MemorySegment memory = Arena.ofAuto().allocate(SPACE, 8);
    private final ArrayDeque<Posted> wire = new ArrayDeque<>();
    private final int[] begins = new int[StreamCore.GRANTS];
    private final int firstLength;
    private final boolean carries;
    private StreamCore core;
    /** The lengths of the receives that are posted. */
    private final ArrayDeque<Integer> receives = new ArrayDeque<>();
    /** Messages that have arrived, and that the program has not taken: each holds a receive. */
    private final ArrayDeque<Posted> arrived = new ArrayDeque<>();
    /** What messages carry that the program has not read: each holds a receive. */
    private final Map<Integer, byte[]> places = new HashMap<>();
    private int nextPlace;
    private int room;
    /** How many messages come to receives that were posted before those with room. */
    private int before = RECEIVES;
    private int next;
    /** How many bytes the program has written, */
    private long written;
    /** and how many of these were sent: the others wait. */
    private long sent;
    private long early;
    private long read;

    SimulatedEnd(Random random) {
        this.random = random;
        carries = random.nextInt(4) > 0;
        receives.addAll(Collections.nCopies(RECEIVES, Message.LENGTH));
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
        return new PrivateData(false, CREDITS, BASE, KEY, StreamCore.GRANTS, BASE + begins[0], KEY, firstLength, carries);
    }

    void connect(SimulatedEnd peer) {
        core = new StreamCore(peer.data(), memory.asSlice(0, StreamCore.TABLE_LENGTH), CREDITS, firstLength, true, carries);
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

    /** How many bytes were written before the connection. */
    long early() {
        return early;
    }

    /** How many messages with bytes it has taken. */
    int carried() {
        return nextPlace;
    }

    boolean isConnected() {
        return core != null;
    }

    /** The program writes bytes, as many as can wait. */
    void write(int most) throws StreamProtocolException {
        written = Math.min(written + most, sent + BUFFER);
        if (core == null) {
            early = written;
        } else {
            send();
        }
    }

    /** Whether bytes wait. */
    boolean waits() {
        return sent < written;
    }

    /** Sends as much as credits and targets allow, in pieces of random lengths; byte number n has the value n. */
    void send() throws StreamProtocolException {
        while (waits() && Math.max(core.room(), core.carried()) > 0) {
            int most = (int) Math.min(written - sent, Math.max(core.room(), core.carried()));
            byte[] bytes = new byte[1 + random.nextInt(most)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) (sent + i);
            }
            if (core.canCarry(bytes.length) && (bytes.length > core.room() || random.nextInt(4) > 0)) {
                wire.add(new Posted(0, bytes, core.carry(bytes.length), core.limit()));
            } else {
                assertEquals(KEY, core.key());
                long address = core.address();
                wire.add(new Posted(address, bytes, core.send(bytes.length)));
            }
            sent += bytes.length;
        }
    }

    /** Reads, and grants and gives credits as a driver does. */
    void read(int most) {
        for (int left = most; left > 0 && core.unread() > 0;) {
            int length = Math.min(left, core.unread());
            int place = core.place();
            for (int i = 0; i < length; i++) {
                int at = core.offset() + i;
                byte value = place < 0 ? memory.get(ValueLayout.JAVA_BYTE, begins[core.grant()] + at) : places.get(place)[at];
                assertEquals((byte) (read + i), value);
            }
            if (core.consume(length) && place >= 0) {
                places.remove(place);
                postReceive();
            }
            read += length;
            left -= length;
        }
    }

    private void postReceive() {
        receives.add(room > 0 ? Message.HEADER + room : Message.LENGTH);
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
        if (core.mayOffer() && before == 0) {
            if (room == 0) {
                room = 1 + random.nextInt(MOST_CARRIED);
                before = RECEIVES;
            } else {
                wire.add(new Posted(0, new byte[0], core.offer(room)));
            }
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
        if (posted.bytes.length > 0 && !posted.carries()) {
            MemorySegment.copy(posted.bytes, 0, peer.memory, ValueLayout.JAVA_BYTE, posted.address - BASE, posted.bytes.length);
        }
        peer.arrived.add(posted);
        assertFalse(peer.receives.isEmpty(), "a message found no receive");
        assertTrue(posted.length() <= peer.receives.remove(), "a message found a receive without room");
    }

    boolean hasArrived() {
        return !arrived.isEmpty();
    }

    void take() throws StreamProtocolException {
        Posted message = arrived.remove();
        if (message.carries()) {
            places.put(nextPlace, message.bytes);
            core.receive(message.message, message.limit, message.bytes.length, nextPlace++);
        } else {
            before -= before > 0 ? 1 : 0;
            postReceive();
            core.receive(message.message);
        }
    }
}
