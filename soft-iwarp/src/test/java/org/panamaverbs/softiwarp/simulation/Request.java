package org.panamaverbs.softiwarp.simulation;

import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;

/** A send request, as the model has it. */
final class Request {
    final long id;
    final Operation operation;
    final long length;
    /** The offset in the node's region that its bytes come from, or for a Read go to. */
    final long offset;
    /** The offset in the peer's region that they go to, or for a Read come from. */
    final long remoteOffset;
    final int flags;
    /** The STag that a Send invalidates, or 0. */
    final int invalidated;
    /** Whether it names what the peer will refuse. */
    final boolean wrong;
    /** Of an atomic as in the Atomic Request; of immediate data the one value. */
    long[] operands = {};
    /** The STag that it names, of the peer's memory or of a window of its own node; 0 if none. */
    int key;
    /** Of a Write that the peer will refuse: how many bytes of it lie within what its STag names, and may be placed before. */
    long reachable;
    /** The window that it binds or invalidates, its own node's or for a Send the peer's; {@code null} if none. */
    SimulatedWindow window;
    /** How it completed; {@code null} while it has not. */
    CompletionStatus status;

    Request(long id, Operation operation, long length, long offset, long remoteOffset, int flags, int invalidated, boolean wrong) {
        this.id = id;
        this.operation = operation;
        this.length = length;
        this.offset = offset;
        this.remoteOffset = remoteOffset;
        this.flags = flags;
        this.invalidated = invalidated;
        this.wrong = wrong;
    }

    /** Its kind, for counts. */
    String kind() {
        String prefix = window == null ? "" : window.ofOneStream ? "type 2 " : "type 1 ";
        return switch (operation) {
            case SEND -> prefix + (invalidated != 0 ? "SEND_WITH_INVALIDATE" : "SEND");
            case FETCH_AND_ADD -> (operands[1] == 0 ? "" : "masked ") + operation;
            case COMPARE_AND_SWAP -> operands[3] == 0 ? "swap" : (operands[1] == -1 && operands[3] == -1 ? "" : "masked ") + operation;
            default -> prefix + operation;
        };
    }

    /** Whether it takes a receive of the peer. */
    boolean delivers() {
        return operation == Operation.SEND || carriesImmediate();
    }

    boolean carriesImmediate() {
        return operation == Operation.IMMEDIATE || operation == Operation.WRITE_IMMEDIATE;
    }

    boolean writes() {
        return operation == Operation.WRITE || operation == Operation.WRITE_IMMEDIATE;
    }

    /** Whether it has bytes of the node's source memory. */
    boolean hasSource() {
        return operation == Operation.SEND || writes();
    }

    /** The number in the peer's memory after an atomic that finds one there. */
    long perform(long before) {
        if (operation == Operation.FETCH_AND_ADD) {
            return sum(before, operands[0], operands[1]);
        }
        return ((before ^ operands[2]) & operands[3]) == 0 ? before & ~operands[1] | operands[0] & operands[1] : before;
    }

    /** Bit by bit: a carry goes out of no bit that ends a field. */
    private static long sum(long a, long b, long boundaries) {
        long sum = 0;
        long carry = 0;
        for (int bit = 0; bit < Long.SIZE; bit++) {
            long digits = (a >>> bit & 1) + (b >>> bit & 1) + carry;
            sum |= (digits & 1) << bit;
            carry = (boundaries >>> bit & 1) == 0 ? digits >>> 1 : 0;
        }
        return sum;
    }

    @Override
    public String toString() {
        return operation + " " + id + " of " + length + " bytes" + (status == null ? "" : ", " + status);
    }
}
