package org.panamaverbs.softiwarp.rdmap;

import java.lang.foreign.MemorySegment;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.softiwarp.memory.Fault;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.NetworkOrder;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.spi.AccessFlags;

/**
 * Handles the messages of the peer's program: Writes, the four Sends and Immediate Data.
 *
 * <p>If an Immediate Data message follows a Write, the two are a Write with immediate data (RFC 7306, 1), and the receive completes as one.
 * Answers to our Reads and atomics may come between the two.
 */
// Tested by Rfc5040DeliveryTest, Rfc7306Test, ReadyIndicationTest.
final class InboundSends {
    /** The most bytes of a message (RFC 5041, 5.2). */
    private static final long LONGEST_MESSAGE = 0xFFFF_FFFFL;

    /** Whether the first message is yet to come, and may be the ready-to-receive indication, which is no message of the peer's program. */
    private enum Opening {
        /** A Write of no bytes may be it. */
        WRITE,
        /** A Send of no bytes may be it, or such a Write. */
        SEND_OR_WRITE,
        /** The message under way is that Send. */
        IN_SEND,
        /** The first message has come, or no indication is expected. */
        OVER
    }

    private final StreamResources resources;
    private final MemorySegment control;
    private final long at;
    private Opening opening = Opening.OVER;
    /** The memory of the last Write of a run of short ones, or {@code null}: entered once for the run. */
    private RegisteredMemory entered;
    /** Whether the last message was a complete Write. */
    private boolean wrote;
    /** The number of bytes that have come of the last Write or of the current one. */
    private long written;
    /** How many bytes of all Writes have come. */
    private long bytesWritten;
    /** How many bytes of all Sends that are whole have come. */
    private long bytesReceived;
    /** Of the receive that the message under way has taken, if it has failed; and its vendor error. */
    private CompletionStatus failure;
    private int failureError;

    /** Makes one that expects no indication; {@code control} has room at {@code at} for the payload of Immediate Data. */
    InboundSends(StreamResources resources, MemorySegment control, long at) {
        this.resources = resources;
        this.control = control;
        this.at = at;
    }

    /** The peer may begin with an empty Write as its ready-to-receive indication (RFC 6581, 9.2). */
    void expectReady() {
        opening = Opening.WRITE;
    }

    /** Takes an empty Send, too, if it is the first message, for the ready-to-receive indication. The program does not see it. */
    void awaitReadySend() {
        opening = Opening.SEND_OR_WRITE;
    }

    /** Whether an empty message is the ready-to-receive indication, which takes no receive. */
    boolean isReadySend(int queue, int ulp) {
        if (opening == Opening.SEND_OR_WRITE && Rdmap.version(ulp) == Rdmap.VERSION && Rdmap.opcode(ulp) == Rdmap.SEND
                && queue == Rdmap.SEND_QUEUE) {
            opening = Opening.IN_SEND;
        }
        return opening == Opening.IN_SEND;
    }

    /** The first segment of an untagged message of any opcode has come: no indication can follow. */
    void onFirstSegment() {
        opening = Opening.OVER;
    }

    /** Another message than a Write is over: no Immediate Data can join the Write before it. */
    void onMessageOver() {
        opening = Opening.OVER;
        wrote = false;
        written = 0;
    }

    /** Places the payload of a Write that is here; {@code false} if nothing is placed: {@link #onTagged} finds out why. */
    boolean putWrite(int stag, long offset, MemorySegment source, long at, int length) {
        if (length == 0) {
            return false;
        }
        RegisteredMemory memory = resources.table().find(stag);
        return memory != null && resources.check(memory, stag, AccessFlags.REMOTE_WRITE, offset, length) == Fault.NONE && enter(memory)
                && memory.putEntered(offset - memory.base(), source, at, length);
    }

    private boolean enter(RegisteredMemory memory) {
        if (memory == entered) {
            return true;
        }
        endRun();
        if (memory.isMapped() || !memory.enter()) {
            return false;
        }
        entered = memory;
        return true;
    }

    /** Exits the memory of the Writes so far. */
    void endRun() {
        if (entered != null) {
            entered.exit();
            entered = null;
        }
    }

    /** Finds the place of the payload of a Write. */
    int onTagged(int stag, long offset, int length, SgeCursor target) {
        if (length == 0) {
            // The STag and TO must not be checked (RFC 5041, 5.2).
            return TerminateCode.NONE;
        }
        RegisteredMemory memory = resources.table().find(stag);
        if (memory == null) {
            return TerminateCode.TAGGED_INVALID_STAG;
        }
        Fault fault = resources.check(memory, stag, AccessFlags.REMOTE_WRITE, offset, length);
        if (fault == Fault.NONE) {
            target.wrap(memory, offset - memory.base(), length);
            return TerminateCode.NONE;
        }
        return switch (fault) {
            case NOT_OF_STREAM -> TerminateCode.TAGGED_STAG_NOT_OF_STREAM;
            case BOUNDS -> TerminateCode.TAGGED_BOUNDS;
            case WRAP -> TerminateCode.TAGGED_TO_WRAP;
            // DDP has no code for a missing right: the STag is not valid for Writes of this peer. siw sends the same code.
            default -> TerminateCode.TAGGED_INVALID_STAG;
        };
    }

    /** How many bytes of the peer's Writes have come. */
    long bytesWritten() {
        return bytesWritten;
    }

    /** How many bytes of the peer's Sends have come. */
    long bytesReceived() {
        return bytesReceived;
    }

    int deliverTagged(boolean last, int length) {
        bytesWritten += length;
        written = wrote ? length : written + length;
        wrote = last && !(opening != Opening.OVER && written == 0);
        opening = Opening.OVER;
        // A completion has 32 bits for the length.
        return written <= LONGEST_MESSAGE ? TerminateCode.NONE : TerminateCode.RDMA_UNSPECIFIED;
    }

    int onUntagged(int opcode, SgeCursor target) {
        if (!resources.receives().take(target)) {
            return TerminateCode.UNTAGGED_NO_BUFFER;
        }
        if (Rdmap.isImmediate(opcode)) {
            // The message takes a receive, but places nothing into the memory of the receive.
            target.wrap(control, at, Rdmap.IMMEDIATE_SIZE);
        }
        return TerminateCode.NONE;
    }

    /**
     * The receive that the message under way has taken completes with an error, by {@link #flush}: a program that closes the connection for
     * the error must not be faster than the end of the stream, or the peer gets no Terminate.
     */
    void fail(CompletionStatus status, int vendorError) {
        failure = status;
        failureError = vendorError;
    }

    /** Completes that receive, and flushes the others. */
    void flush() {
        if (failure != null) {
            resources.receives().complete(failure, failureError, 0, false, false, 0);
            failure = null;
        }
        resources.receives().flush();
    }

    int deliverUntagged(int opcode, int word, long length) {
        if (opening == Opening.IN_SEND) {
            return TerminateCode.NONE;
        }
        return Rdmap.isImmediate(opcode) ? deliverImmediate(opcode, length) : deliverSend(opcode, word, length);
    }

    private int deliverImmediate(int opcode, long length) {
        if (length != Rdmap.IMMEDIATE_SIZE) {
            return TerminateCode.RDMA_UNSPECIFIED;
        }
        boolean room = resources.receives().completeImmediate(wrote, wrote ? written : 0, Rdmap.isSolicited(opcode),
                control.get(NetworkOrder.LONG, at));
        return room ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    private int deliverSend(int opcode, int stag, long length) {
        boolean invalidates = Rdmap.invalidates(opcode);
        if (invalidates) {
            int error = invalidate(stag);
            if (error != TerminateCode.NONE) {
                return error;
            }
        }
        bytesReceived += length;
        boolean room = resources.receives().complete(CompletionStatus.SUCCESS, 0, length, Rdmap.isSolicited(opcode), invalidates, stag);
        return room ? TerminateCode.NONE : TerminateCode.LOCAL_CATASTROPHIC;
    }

    private int invalidate(int stag) {
        RegisteredMemory memory = resources.table().find(stag);
        if (memory == null || !memory.hold(stag) || memory.isRetired()) {
            return TerminateCode.RDMA_INVALID_STAG;
        }
        if (!memory.isOf(resources.domain()) || !memory.isInvalidatedBy(resources.queuePair())) {
            // An STag is valid on all streams of its domain. A peer of one stream must not end the access of other peers (RFC 5042, 6.4.5).
            return TerminateCode.RDMA_CANNOT_INVALIDATE;
        }
        if (memory.isBinding()) {
            // The window keeps its index of the table.
            memory.retire();
        } else {
            resources.table().remove(memory);
        }
        return TerminateCode.NONE;
    }
}
