package org.panamaverbs.tools.perf;

import java.nio.ByteBuffer;
import java.util.Optional;
import org.panamaverbs.RemoteMemory;

/**
 * The answer of the passive end to a {@link Plan}, in the private data with which it accepts:
 *
 * <pre>
 *  0 magic 32 | 4 version 8 | 5 waiting 8 | 6 0 16 | 8 address 64 | 16 key 32
 * </pre>
 *
 * big-endian. Devices can fill it up with zeros.
 *
 * @param waiting how the passive end waits, which its user decides
 * @param address of its buffer
 * @param key     of its buffer
 */
record Offer(Waiting waiting, long address, int key) {
    private static final int LENGTH = 20;

    /** Memory of the peer, for all messages. */
    RemoteMemory buffer(Plan plan) {
        return new RemoteMemory(address, key, plan.footprint());
    }

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH).putInt(Plan.MAGIC).put(Plan.VERSION).put((byte) waiting.ordinal()).putShort((short) 0)
                .putLong(address).putInt(key).array();
    }

    /** Empty if this is no answer of a listener of this version. */
    static Optional<Offer> decode(byte[] data) {
        ByteBuffer buffer = ByteBuffer.wrap(data);
        if (data.length < LENGTH || buffer.getInt() != Plan.MAGIC || buffer.get() != Plan.VERSION) {
            return Optional.empty();
        }
        int waiting = Byte.toUnsignedInt(buffer.get());
        return waiting >= Waiting.values().length ? Optional.empty()
                : Optional.of(new Offer(Waiting.values()[waiting], buffer.getLong(8), buffer.getInt(16)));
    }
}
