package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/**
 * The peer's unanswered Reads and atomics (the IRRQ). They count against the IRD together (RFC 7306, 5.2). The receiving thread adds them,
 * the transmitting thread answers them.
 */
public final class InboundReads {
    private static final byte READ = -1;
    private static final int OPERANDS = 4;

    private final int[] sinkStags;
    private final long[] sinkOffsets;
    private final long[] lengths;
    private final RegisteredMemory[] sources;
    private final long[] sourceOffsets;
    /** {@link #READ}, or the AOpCode of an atomic. */
    private final byte[] operations;
    /** The operands of atomics, {@link #OPERANDS} for each slot; {@code null} until the first atomic. */
    private long[] operands;
    /** Volatile: a write to this field publishes the entries before it. */
    private volatile long added;
    /** Volatile: a write to this field frees the entries before it. */
    private volatile long answered;

    /** Makes an empty queue; {@code depth} is the IRD, 0 or more. */
    public InboundReads(int depth) {
        sinkStags = new int[depth];
        sinkOffsets = new long[depth];
        lengths = new long[depth];
        sources = new RegisteredMemory[depth];
        sourceOffsets = new long[depth];
        operations = new byte[depth];
    }

    /** Adds a Read; {@code source} is {@code null} if the length is 0. Returns {@code false} if the peer exceeds the IRD. */
    public boolean add(int sinkStag, long sinkOffset, long length, RegisteredMemory source, long sourceOffset) {
        if (isFull()) {
            return false;
        }
        fill(READ, sinkStag, sinkOffset, length, source, sourceOffset);
        added = added + 1;
        return true;
    }

    /** Whether the peer has as many Reads and atomics outstanding as the IRD allows. For the receiving thread. */
    public boolean isFull() {
        return added - answered == lengths.length;
    }

    private int fill(byte operation, int sinkStag, long sinkOffset, long length, RegisteredMemory source, long sourceOffset) {
        int slot = (int) (added % lengths.length);
        operations[slot] = operation;
        sinkStags[slot] = sinkStag;
        sinkOffsets[slot] = sinkOffset;
        lengths[slot] = length;
        sources[slot] = source;
        sourceOffsets[slot] = sourceOffset;
        return slot;
    }

    /**
     * Adds an atomic. Returns {@code false} if the peer exceeds the IRD.
     *
     * @param operation  the AOpCode, 0 to 15
     * @param identifier the number that the response repeats
     * @param target     the memory to change
     * @param offset     the offset in it of the 8 bytes
     */
    public boolean addAtomic(int operation, int identifier, RegisteredMemory target, long offset, long data, long mask, long compareData,
            long compareMask) {
        if (isFull()) {
            return false;
        }
        if (operands == null) {
            operands = new long[lengths.length * OPERANDS];
        }
        int first = fill((byte) operation, identifier, 0, Long.BYTES, target, offset) * OPERANDS;
        operands[first] = data;
        operands[first + 1] = mask;
        operands[first + 2] = compareData;
        operands[first + 3] = compareMask;
        added = added + 1;
        return true;
    }

    /** Whether no Read or atomic waits for an answer. */
    public boolean isEmpty() {
        return added == answered;
    }

    /** Whether the oldest is an atomic, and not a Read. */
    public boolean isAtomic() {
        return operations[slot()] != READ;
    }

    /** The AOpCode of the oldest, which is an atomic. */
    public int operation() {
        return operations[slot()];
    }

    /** The Request Identifier of the oldest, which is an atomic. */
    public int identifier() {
        return sinkStags[slot()];
    }

    /** The number to add or to store, of the oldest, which is an atomic. */
    public long data() {
        return operands[slot() * OPERANDS];
    }

    /** The mask of that number. */
    public long mask() {
        return operands[slot() * OPERANDS + 1];
    }

    /** The number to compare with, of the oldest, which is an atomic. */
    public long compareData() {
        return operands[slot() * OPERANDS + 2];
    }

    /** The mask of that number. */
    public long compareMask() {
        return operands[slot() * OPERANDS + 3];
    }

    /** The STag of the sink of the oldest Read. */
    public int sinkStag() {
        return sinkStags[slot()];
    }

    /** The Tagged Offset of the sink of the oldest Read. */
    public long sinkOffset() {
        return sinkOffsets[slot()];
    }

    /** The length of the oldest Read in bytes. */
    public long length() {
        return lengths[slot()];
    }

    /** The memory that the oldest reads or changes, or {@code null} if it is a Read of length 0. */
    public RegisteredMemory source() {
        return sources[slot()];
    }

    /** The offset in that memory. */
    public long sourceOffset() {
        return sourceOffsets[slot()];
    }

    /** The number of answered Reads and atomics. */
    public long answered() {
        return answered;
    }

    /** Removes the oldest. */
    public void remove() {
        sources[slot()] = null;
        answered = answered + 1;
    }

    private int slot() {
        return (int) (answered % lengths.length);
    }
}
