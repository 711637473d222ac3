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
            return before + operands[0];
        }
        return ((before ^ operands[2]) & operands[3]) == 0 ? before & ~operands[1] | operands[0] & operands[1] : before;
    }

    @Override
    public String toString() {
        return operation + " " + id + " of " + length + " bytes" + (status == null ? "" : ", " + status);
    }
}
