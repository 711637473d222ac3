package org.panamaverbs.sockets.protocol;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The peer's targets for data: the current one, and those that the peer writes into the table of this side. */
// Tested by StreamCoreTest.
final class Targets {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment table;
    /** How many entries of the table may be new. */
    private int announced;
    private int slot;
    private long address;
    private int key;
    private int room;

    /** Begins with the target of the peer's private data. */
    Targets(PrivateData peer, MemorySegment table) {
        this.table = table;
        address = peer.address();
        key = peer.key();
        room = peer.length();
    }

    /** The peer may have written an entry. */
    void announce() {
        announced = Math.min(announced + 1, StreamCore.GRANTS);
    }

    /** {@return whether there is a target with room, or there may be one in the table} */
    boolean mayHaveRoom() {
        return room > 0 || announced > 0;
    }

    /** Takes the next target if the current one is full. The peer may write to the table at any time: each field is read once. */
    void take() throws StreamProtocolException {
        if (room > 0 || announced == 0) {
            return;
        }
        int next = (slot + 1) % StreamCore.GRANTS;
        long at = (long) next * Target.LENGTH;
        int bytes = table.get(INT, at + Target.SIZE);
        if (bytes == 0) {
            announced = 0;
            return;
        }
        long start = table.get(LONG, at);
        int itsKey = table.get(INT, at + Target.KEY);
        table.set(INT, at + Target.SIZE, 0);
        if (bytes < 0) {
            throw new StreamProtocolException("a target of " + Integer.toUnsignedString(bytes) + " bytes");
        }
        Target.check(start, bytes);
        announced = announced - 1;
        slot = next;
        address = start;
        key = itsKey;
        room = bytes;
    }

    /** {@return how many bytes the current target has room for} */
    int room() {
        return room;
    }

    long address() {
        return address;
    }

    int key() {
        return key;
    }

    /** Data are written to the current target, 1 to {@link #room} bytes. */
    void use(int bytes) {
        address += bytes;
        room -= bytes;
    }

    @Override
    public String toString() {
        return "room " + room + ", announced " + announced;
    }
}
