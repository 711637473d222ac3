package org.panamaverbs.ddp.ddpp;

import java.lang.foreign.MemorySegment;
import java.util.function.IntSupplier;

/**
 * The messages of a reliable, unordered transport inside one process: each that is added is drawn exactly once, in an order that random
 * numbers decide. A message is a copy in a cell of fixed size. When all cells are in use, senders must wait. Nothing is allocated per
 * message.
 *
 * <p>A sender claims a cell, writes header and payload into it, and adds it; the receiver draws a cell, receives the message, and releases
 * the cell. Any number of threads may send, and one receives. Between the calls a cell belongs to one thread.
 */
public final class ShuffledMessages {
    /** There is no cell: all are in use, or no message waits. */
    public static final int NO_CELL = -1;

    private final IntSupplier random;
    private final int cellSize;
    private final MemorySegment memory;
    private final int[] lengths;
    private final int[] free;
    private int freeCount;
    private final int[] waiting;
    private int waitingCount;

    /**
     * Makes a transport without messages.
     *
     * @param random   returns 32 random bits, the same ones for the same seed
     * @param cells    the most messages at a time
     * @param cellSize the most bytes of a message, header included
     */
    public ShuffledMessages(IntSupplier random, int cells, int cellSize) {
        this.random = random;
        this.cellSize = cellSize;
        this.memory = MemorySegment.ofArray(new byte[cells * cellSize]);
        lengths = new int[cells];
        waiting = new int[cells];
        free = new int[cells];
        for (int i = 0; i < cells; i++) {
            free[i] = i;
        }
        freeCount = cells;
    }

    /**
     * Takes a cell for a message.
     *
     * @return the cell, or {@link #NO_CELL}: wait until one is released
     */
    public synchronized int claim() {
        return freeCount == 0 ? NO_CELL : free[--freeCount];
    }

    /** Whether a cell is free. */
    public synchronized boolean hasRoom() {
        return freeCount > 0;
    }

    /** The memory of all cells. */
    public MemorySegment memory() {
        return memory;
    }

    /** The offset of a cell in {@link #memory()}. */
    public long offset(int cell) {
        return (long) cell * cellSize;
    }

    /**
     * Adds the message that was written into a claimed cell.
     *
     * @param length bytes of the message, header included
     */
    public synchronized void add(int cell, int length) {
        lengths[cell] = length;
        waiting[waitingCount++] = cell;
    }

    /** How many messages wait. */
    public synchronized int waiting() {
        return waitingCount;
    }

    /**
     * Draws one of the messages that wait.
     *
     * @return its cell, or {@link #NO_CELL}
     */
    public synchronized int draw() {
        if (waitingCount == 0) {
            return NO_CELL;
        }
        int index = (int) (Integer.toUnsignedLong(random.getAsInt()) * waitingCount >>> Integer.SIZE);
        int cell = waiting[index];
        waiting[index] = waiting[--waitingCount];
        return cell;
    }

    /** Bytes of the message in a cell that was drawn. */
    public int length(int cell) {
        return lengths[cell];
    }

    /** Gives a cell back: one that was drawn, or one that was claimed and not added. */
    public synchronized void release(int cell) {
        free[freeCount++] = cell;
    }
}
