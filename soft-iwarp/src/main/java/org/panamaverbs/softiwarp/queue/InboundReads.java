package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** The peer's Reads that are not answered yet (the IRRQ): added by the thread that receives, answered by the one that transmits. */
public final class InboundReads {
    private final int[] sinkStags;
    private final long[] sinkOffsets;
    private final long[] lengths;
    private final RegisteredMemory[] sources;
    private final long[] sourceOffsets;
    /** Volatile: publishes the entries before it. */
    private volatile long added;
    /** Volatile: frees the entries before it. */
    private volatile long answered;

    /** Makes an empty one; {@code depth} is the IRD, 0 or more. */
    public InboundReads(int depth) {
        sinkStags = new int[depth];
        sinkOffsets = new long[depth];
        lengths = new long[depth];
        sources = new RegisteredMemory[depth];
        sourceOffsets = new long[depth];
    }

    /** Adds a Read; {@code source} is {@code null} if the length is 0. Returns {@code false} if the peer exceeds the IRD. */
    public boolean add(int sinkStag, long sinkOffset, long length, RegisteredMemory source, long sourceOffset) {
        long at = added;
        if (at - answered == lengths.length) {
            return false;
        }
        int slot = (int) (at % lengths.length);
        sinkStags[slot] = sinkStag;
        sinkOffsets[slot] = sinkOffset;
        lengths[slot] = length;
        sources[slot] = source;
        sourceOffsets[slot] = sourceOffset;
        added = at + 1;
        return true;
    }

    /** Whether none waits for its answer. */
    public boolean isEmpty() {
        return added == answered;
    }

    /** The sink's STag of the oldest. */
    public int sinkStag() {
        return sinkStags[slot()];
    }

    /** The sink's offset of the oldest. */
    public long sinkOffset() {
        return sinkOffsets[slot()];
    }

    /** The length of the oldest. */
    public long length() {
        return lengths[slot()];
    }

    /** The memory that the oldest reads, or {@code null}. */
    public RegisteredMemory source() {
        return sources[slot()];
    }

    /** Where in that memory. */
    public long sourceOffset() {
        return sourceOffsets[slot()];
    }

    /** How many have been answered. */
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
