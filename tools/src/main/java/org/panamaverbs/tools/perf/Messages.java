package org.panamaverbs.tools.perf;

import java.lang.foreign.ValueLayout;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.tools.shared.Failure;

/** The messages of a measurement that one end of a connection sends: they count from 0. */
final class Messages {
    private final Operation operation;
    private final long size;
    private final long footprint;
    private final QueuePair pair;
    private final MemoryRegion source;
    private final MemoryRegion sink;
    private final RemoteMemory target;
    private final boolean inline;
    private final SendRequest request = new SendRequest();
    /** The place of the next message. */
    private long at;

    /**
     * @param source the data that Writes and Sends carry
     * @param sink   the memory in which Reads and atomics land
     * @param target the peer's memory
     */
    Messages(Plan plan, QueuePair pair, MemoryRegion source, MemoryRegion sink, RemoteMemory target) {
        this.operation = plan.operation();
        this.size = plan.size();
        this.footprint = plan.footprint();
        this.pair = pair;
        this.source = source;
        this.sink = sink;
        this.target = target;
        this.inline = size <= pair.attributes().inlineLength();
    }

    /**
     * Posts one.
     *
     * @param number   of the message: it is the immediate data, and the value that a compare-and-swap expects
     * @param signaled whether it completes visibly
     * @param more     whether another one follows at once
     * @return {@code false} if the queue is full
     */
    boolean post(long id, long number, boolean signaled, boolean more) {
        SendRequest next = switch (operation) {
            case WRITE -> request.write(id).local(source, at, size).remote(target, at).inline(inline);
            case SEND -> request.send(id).local(source, 0, size).inline(inline);
            case READ -> request.read(id).local(sink, at, size).remote(target, at);
            case WRITE_IMMEDIATE -> request.write(id).local(source, 0, size).remote(target, 0).immediate((int) number).inline(inline);
            case SEND_IMMEDIATE -> request.send(id).local(source, 0, size).immediate((int) number).inline(inline);
            case IMMEDIATE -> request.immediateMessage(id).data(number);
            case FETCH_ADD -> request.fetchAndAdd(id).add(1).local(sink, 0, Long.BYTES).remote(target, 0);
            case COMPARE_SWAP -> request.compareAndSwap(id).compare(number).swap(number + 1).local(sink, 0, Long.BYTES).remote(target, 0);
        };
        if (!pair.tryPost(next.signaled(signaled).more(more))) {
            return false;
        }
        at = at + 2 * size <= footprint ? at + size : 0;
        return true;
    }

    /** Submits the requests that were posted with MORE. */
    void flush() {
        pair.ringDoorbell();
    }

    /**
     * Checks that all atomics have done their work, once they have completed: each found the number of those before it.
     *
     * @param posted how many there were
     */
    void check(long posted) {
        if (!operation.isAtomic() || posted == 0) {
            return;
        }
        long found = sink.segment().get(ValueLayout.JAVA_LONG, 0);
        if (found != posted - 1) {
            throw new Failure(Failure.Kind.PEER, operation + " number " + (posted - 1) + " found " + found + " in the peer's memory, not "
                    + (posted - 1) + ": the devices of both ends do not agree about atomics, or another program changes that memory");
        }
    }

    /** Checks a receive that is no signal: whether the peer sent it as the operation says, and in its turn. */
    void checkReceived(Completions completions, long number) {
        boolean expected = switch (operation) {
            case SEND -> !isImmediate(completions) && completions.byteLength() == size;
            case SEND_IMMEDIATE ->
                completions.hasImmediate() && completions.immediate() == (int) number && completions.byteLength() == size;
            case WRITE_IMMEDIATE -> completions.hasImmediate() && completions.immediate() == (int) number;
            case IMMEDIATE -> completions.hasImmediate64() && completions.immediate64() == number;
            case WRITE, READ, FETCH_ADD, COMPARE_SWAP -> false;
        };
        if (!expected) {
            throw new Failure(Failure.Kind.PEER, "the peer sent what does not belong to a measurement of " + operation + " of " + size
                    + " bytes, in the place of message " + number + ": run the same version at both ends");
        }
    }

    static boolean isImmediate(Completions completions) {
        return completions.hasImmediate() || completions.hasImmediate64();
    }
}
