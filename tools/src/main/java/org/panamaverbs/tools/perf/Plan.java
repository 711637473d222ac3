package org.panamaverbs.tools.perf;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import org.panamaverbs.RemoteMemory;

/**
 * The measurement of one connection. The active end tells the passive one in the private data of its request:
 *
 * <pre>
 *  0 magic 32 | 4 version 8 | 5 operation 8 | 6 mode 8 | 7 waiting 8 | 8 size 64 | 16 depth 32 | 20 key 32 | 24 address 64 | 32 footprint 64
 * </pre>
 *
 * big-endian; key and address name the active end's buffer, into which a Write is echoed, and which requests of the other direction name.
 * The passive end answers with an {@link Offer}. Sends that are not measured tell by their length what they are: an empty one asks for a
 * {@link Tally}.
 *
 * @param operation that is measured
 * @param mode      how messages follow each other
 * @param waiting   how both ends wait
 * @param size      of a message, in bytes
 * @param depth     messages under way at a time
 * @param footprint bytes of memory that the messages of a bandwidth use at each end, one behind the other; at least their size
 * @param address   of the active end's buffer
 * @param key       the key of that
 */
record Plan(Operation operation, Mode mode, Waiting waiting, long size, int depth, long footprint, long address, int key) {
    static final int MAXIMUM_DEPTH = 8192;
    static final long MAXIMUM_SIZE = 1L << 30;

    static final int MAGIC = 0x50565046;
    static final byte VERSION = 6;

    private static final int LENGTH = 40;

    Plan {
        if (size < 1 || size > MAXIMUM_SIZE) {
            throw new IllegalArgumentException("a message has 1 to " + MAXIMUM_SIZE + " bytes, not " + size);
        }
        if (operation.onlySize() != 0 && size != operation.onlySize()) {
            throw new IllegalArgumentException(operation + " has messages of " + operation.onlySize() + " bytes, not " + size);
        }
        if (footprint < size || footprint > MAXIMUM_SIZE) {
            throw new IllegalArgumentException("the footprint is " + size + " to " + MAXIMUM_SIZE + " bytes, not " + footprint);
        }
        if (footprint != size && (mode != Mode.BANDWIDTH || operation != Operation.WRITE && operation != Operation.READ)) {
            throw new IllegalArgumentException(
                    "a footprint of more than a message is for the bandwidth of Writes or Reads in one direction");
        }
        if (depth < 1 || depth > MAXIMUM_DEPTH) {
            throw new IllegalArgumentException("the depth is 1 to " + MAXIMUM_DEPTH + ", not " + depth);
        }
    }

    /** How messages follow each other. */
    enum Mode {
        /** As many under way as the depth allows. */
        BANDWIDTH,
        /** One at a time, to and fro. */
        LATENCY,
        /** None at all: the connection stands beside others. */
        IDLE,
        /** As many under way as the depth allows, from each end at once. */
        BOTH
    }

    /** Of a connection that carries nothing. */
    static Plan idle() {
        return new Plan(Operation.WRITE, Mode.IDLE, Waiting.BLOCK, 1, 1, 1, 0, 0);
    }

    /** Whether both ends measure. */
    boolean both() {
        return mode == Mode.BOTH;
    }

    /** How long the Send is that gives {@link Window#creditEvery} credits. */
    int creditLength() {
        return size == 1 ? 2 : 1;
    }

    /** How long the Send is that carries a {@link Tally}, which has the first bytes of it. */
    int tallyLength() {
        return size == Tally.LENGTH ? Tally.LENGTH + 1 : Tally.LENGTH;
    }

    boolean latency() {
        return mode == Mode.LATENCY;
    }

    /** 2 if a latency is that of a round trip, half of which is reported. */
    int waysPerLatency() {
        return latency() && !operation.fetches() ? 2 : 1;
    }

    Plan withBuffer(long address, int key) {
        return new Plan(operation, mode, waiting, size, depth, footprint, address, key);
    }

    /** The buffer of the active end. */
    RemoteMemory buffer() {
        return new RemoteMemory(address, key, footprint);
    }

    byte[] encode() {
        return ByteBuffer.allocate(LENGTH).putInt(MAGIC).put(VERSION).put((byte) operation.ordinal()).put((byte) mode.ordinal())
                .put((byte) waiting.ordinal()).putLong(size).putInt(depth).putInt(key).putLong(address).putLong(footprint).array();
    }

    /** @throws IllegalArgumentException if it is no plan, or one beyond the limits */
    static Plan decode(byte[] data) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(data);
            if (buffer.getInt() != MAGIC) {
                throw new IllegalArgumentException("the peer is not a pverbs perf");
            }
            int version = Byte.toUnsignedInt(buffer.get());
            if (version != VERSION) {
                throw new IllegalArgumentException("the active end speaks version " + version + " of the protocol, and this one version "
                        + VERSION + ": run the same pverbs at both ends");
            }
            Operation operation = choice(Operation.values(), buffer.get());
            Mode mode = choice(Mode.values(), buffer.get());
            Waiting waiting = choice(Waiting.values(), buffer.get());
            long size = buffer.getLong();
            int depth = buffer.getInt();
            int key = buffer.getInt();
            long address = buffer.getLong();
            return new Plan(operation, mode, waiting, size, depth, buffer.getLong(), address, key);
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the peer is not a pverbs perf: " + data.length + " bytes of private data", e);
        }
    }

    private static <T> T choice(T[] choices, byte value) {
        if (Byte.toUnsignedInt(value) >= choices.length) {
            throw new IllegalArgumentException("the peer asks for what this version does not know");
        }
        return choices[value];
    }
}
