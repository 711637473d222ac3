package org.panamaverbs.softiwarp.vectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Handshake;

/** The bytes of a handshake: makes frames without the classes under test, and moves them in pieces, as a channel would. */
final class Chopped {
    static final int START_SIZE = 20;
    private static final int MOST_PRIVATE_DATA = 512;

    private Chopped() {
    }

    /** A Request or Reply; its private data begins with the IRD and ORD if it has any. */
    static byte[] frame(boolean request, int flags, int revision, byte[]... privateData) {
        byte[] data = Forge.join(privateData);
        return ByteBuffer.allocate(START_SIZE + data.length)
                .put((request ? "MPA ID Req Frame" : "MPA ID Rep Frame").getBytes(StandardCharsets.US_ASCII)).put((byte) flags)
                .put((byte) revision).putShort((short) data.length).put(data).array();
    }

    /** The words of the IRD and ORD. */
    static byte[] words(int ird, int ord) {
        return ByteBuffer.allocate(4).putShort((short) ird).putShort((short) ord).array();
    }

    /** Gives the machine what it asks for of a stream, in pieces of at most so many bytes; returns how many it took. */
    static int feed(Handshake machine, byte[] stream, IntSupplier most) {
        IoVector in = new IoVector(1);
        int taken = 0;
        for (machine.pollReceive(in); in.size() > 0 && taken < stream.length; machine.pollReceive(in)) {
            assertTrue(taken + in.bytes() <= allowed(stream, taken), "it asks for " + in.bytes() + " bytes after " + taken);
            int count = (int) Math.min(Math.max(1, most.getAsInt()), Math.min(in.bytes(), stream.length - taken));
            MemorySegment.copy(stream, taken, in.segment(0), ValueLayout.JAVA_BYTE, in.offset(0), count);
            machine.onReceived(count);
            taken += count;
        }
        return taken;
    }

    /** All at once, as far as it asks for it. */
    static int feed(Handshake machine, byte[] stream) {
        return feed(machine, stream, () -> Integer.MAX_VALUE);
    }

    /** How far a machine may ask that has so much of the stream: to the end of what it can know to be the frame. */
    private static int allowed(byte[] stream, int taken) {
        if (taken < START_SIZE) {
            return START_SIZE;
        }
        int length = Short.toUnsignedInt(ByteBuffer.wrap(stream).getShort(START_SIZE - 2));
        return length > MOST_PRIVATE_DATA ? START_SIZE : START_SIZE + length;
    }

    /** Gives the machine one byte, even if it asks for none. */
    static void put(Handshake machine, char value) {
        IoVector in = new IoVector(1);
        machine.pollReceive(in);
        if (in.size() > 0) {
            in.segment(0).set(ValueLayout.JAVA_BYTE, in.offset(0), (byte) value);
        }
        machine.onReceived(1);
    }

    /** Takes what the machine sends, in pieces of at most so many bytes. */
    static byte[] drain(Handshake machine, IntSupplier most) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (IoVector out = machine.pollTransmit(); out.size() > 0; out = machine.pollTransmit()) {
            assertEquals(1, out.size());
            int count = (int) Math.min(Math.max(1, most.getAsInt()), out.bytes());
            all.writeBytes(out.segment(0).asSlice(out.offset(0), count).toArray(ValueLayout.JAVA_BYTE));
            machine.onSent(count);
        }
        return all.toByteArray();
    }

    /** All at once. */
    static byte[] drain(Handshake machine) {
        return drain(machine, () -> Integer.MAX_VALUE);
    }
}
