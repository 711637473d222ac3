package org.panamaverbs.softiwarp.simulation;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * One direction of a simulated connection: a bounded ring whose two ends see bytes cut at any place. It may stall, flip bits, and break.
 * It may remove the writer's Markers, since our reader asks for none; then it passes each FPDU on once it is whole.
 */
final class SimulatedPipe {
    private final World world;
    private final SimulatedChannel writer;
    private final SimulatedChannel reader;
    private static final int LONGEST_FPDU = 1 << 17;

    private final int capacity;
    private final byte[] ring;
    /** Removes the Markers; {@code null} if there are none. */
    private final MarkedStream markers;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private long head;
    private long tail;
    private boolean ended;
    private boolean broken;
    private boolean unread;
    private boolean readerWaits = true;
    private boolean writerWaits;
    private long stalledUntil;

    SimulatedPipe(World world, SimulatedChannel writer, SimulatedChannel reader, int capacity, MarkedStream markers) {
        this.world = world;
        this.writer = writer;
        this.reader = reader;
        this.capacity = capacity;
        // An FPDU that is whole goes in even if the ring is full.
        this.ring = new byte[capacity + (markers == null ? 0 : LONGEST_FPDU)];
        this.markers = markers;
    }

    /** All bytes that the writer's side gave away, in order. */
    byte[] record() {
        return record.toByteArray();
    }

    boolean isBroken() {
        return broken;
    }

    private int cut(long most) {
        return (int) Math.min(most, world.chop());
    }

    long write(IoVector from) {
        if (broken || unread) {
            return Channel.BROKEN;
        }
        long room = Math.max(0, capacity - (tail - head));
        int count = cut(Math.min(room, from.bytes()));
        copyIn(from, count);
        if (count > 0 && readerWaits) {
            readerWaits = false;
            reader.edge(Multiplexer.READABLE);
        }
        if (count < from.bytes()) {
            writerWaits = true;
            // An FPDU with Markers that is not whole takes no room: the reader does not get it yet, and cannot make room.
            if (count < room || tail - head < capacity) {
                edgeToWriter();
            }
        }
        return count;
    }

    private void edgeToWriter() {
        writerWaits = false;
        writer.edge(Multiplexer.WRITABLE);
    }

    private void copyIn(IoVector from, int count) {
        int done = 0;
        for (int i = 0; done < count; i++) {
            int chunk = (int) Math.min(count - done, from.length(i));
            for (int k = 0; k < chunk; k++) {
                byte value = from.segment(i).get(ValueLayout.JAVA_BYTE, from.offset(i) + k);
                record.write(value);
                if (markers == null) {
                    put(value);
                } else {
                    markers.add(value);
                }
            }
            putWhole();
            done += chunk;
        }
    }

    private void put(byte value) {
        ring[(int) (tail++ % ring.length)] = world.corrupt(value);
    }

    private void putWhole() {
        if (markers != null) {
            for (byte value : markers.takePlain()) {
                put(value);
            }
        }
    }

    long read(IoVector into) {
        if (broken) {
            return Channel.BROKEN;
        }
        if (stalledUntil > world.now()) {
            readerWaits = true;
            return 0;
        }
        if (head == tail && ended) {
            return Channel.END_OF_STREAM;
        }
        int count = cut(Math.min(tail - head, into.bytes()));
        int done = 0;
        for (int i = 0; done < count; i++) {
            int chunk = (int) Math.min(count - done, into.length(i));
            for (int k = 0; k < chunk; k++) {
                into.segment(i).set(ValueLayout.JAVA_BYTE, into.offset(i) + k, ring[(int) (head++ % ring.length)]);
            }
            done += chunk;
        }
        if (count > 0 && writerWaits) {
            edgeToWriter();
        }
        shortRead(count, into, head < tail);
        return count;
    }

    private void shortRead(int count, IoVector into, boolean more) {
        if (count < into.bytes()) {
            readerWaits = true;
            if (more || ended || broken) {
                readerWaits = false;
                reader.edge(Multiplexer.READABLE);
            }
        }
    }

    /** Nothing arrives for a while. */
    void stall(long nanos) {
        stalledUntil = world.now() + nanos;
        world.at(stalledUntil, () -> reader.edge(Multiplexer.READABLE));
    }

    void end() {
        if (markers != null && !ended) {
            // An FPDU that is not whole shows as one.
            markers.end();
            putWhole();
        }
        ended = true;
        reader.edge(Multiplexer.READABLE);
    }

    /** The reader goes away; {@code true} if it leaves bytes. */
    boolean leave() {
        unread = true;
        writer.edge(Multiplexer.WRITABLE);
        return head != tail || markers != null && markers.isInFpdu();
    }

    void reset() {
        broken = true;
        reader.edge(Multiplexer.READABLE);
        writer.edge(Multiplexer.WRITABLE);
    }
}
