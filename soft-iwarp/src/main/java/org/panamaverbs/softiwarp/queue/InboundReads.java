package org.panamaverbs.softiwarp.queue;

import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** The peer's Reads that are not answered yet (the IRRQ). The receiving thread adds them, the transmitting thread answers them. */
public final class InboundReads {
    private final int[] sinkStags;
    private final long[] sinkOffsets;
    private final long[] lengths;
    private final RegisteredMemory[] sources;
    private final long[] sourceOffsets;
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

    /** Whether no Read waits for an answer. */
    public boolean isEmpty() {
        return added == answered;
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

    /** The memory that the oldest Read reads, or {@code null} if its length is 0. */
    public RegisteredMemory source() {
        return sources[slot()];
    }

    /** The offset in that memory. */
    public long sourceOffset() {
        return sourceOffsets[slot()];
    }

    /** How many Reads have been answered. */
    public long answered() {
        return answered;
    }

    /** Removes the oldest Read. */
    public void remove() {
        sources[slot()] = null;
        answered = answered + 1;
    }

    private int slot() {
        return (int) (answered % lengths.length);
    }
}
