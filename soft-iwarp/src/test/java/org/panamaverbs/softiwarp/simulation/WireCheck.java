package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.wire.AtomicRequest;
import org.panamaverbs.softiwarp.wire.AtomicResponse;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.NetworkOrder;
import org.panamaverbs.softiwarp.wire.Rdmap;
import org.panamaverbs.softiwarp.wire.ReadRequest;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * Holds what a node sent against the model: whole FPDUs with right CRCs, messages whole and in the order posted, each byte as it was when
 * the request was posted, nothing after a Terminate.
 */
final class WireCheck {
    private final Node node;
    private final Node peer;
    private final MemorySegment bytes;
    private final List<Request> requests;
    private final List<Request> peersReads;
    private int nextRequest;
    private int nextAnswer;
    /** Whether the Write of the next request is whole, and its Immediate Data must follow. */
    private boolean immediateDue;
    private long inRequest;
    private long inAnswer;
    private final int[] sequences = new int[Rdmap.QUEUES];
    private boolean terminated;
    private boolean readyAnswered;
    private int fpdus;

    WireCheck(Node node, Node peer) {
        this.node = node;
        this.peer = peer;
        this.bytes = MemorySegment.ofArray(node.record());
        this.requests = node.requests().stream().filter(request -> !request.operation.isLocal()).toList();
        this.peersReads = peer.requests().stream().filter(request -> request.operation.isAnswered()).toList();
    }

    /** Checks; returns how many requests went whole. */
    int run() {
        long at = 0;
        long size = bytes.byteSize();
        while (at + Fpdu.LENGTH_SIZE <= size && at + Fpdu.size(Fpdu.length(bytes, at)) <= size) {
            require(!terminated, "an FPDU after the Terminate");
            at += fpdu(at);
            fpdus++;
        }
        if (at < size) {
            require(node.mayLeaveAnFpdu(), "an FPDU that is not whole at the end, " + (size - at) + " bytes of it");
        }
        return nextRequest;
    }

    boolean isTerminated() {
        return terminated;
    }

    private void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(node + " sent, after " + fpdus + " FPDUs: " + otherwise);
        }
    }

    private long fpdu(long at) {
        int length = Fpdu.length(bytes, at);
        int size = Fpdu.size(length);
        int covered = size - Fpdu.CRC_SIZE;
        int expected = 0;
        if (node.usesCrc()) {
            CRC32C crc = new CRC32C();
            crc.update(bytes.asSlice(at, covered).asByteBuffer());
            expected = (int) crc.getValue();
        }
        require(Fpdu.crc(bytes, at + covered) == expected, "a wrong CRC");
        long header = at + Fpdu.LENGTH_SIZE;
        int control = Ddp.control(bytes, header);
        int headerSize = Ddp.size(control);
        require(length <= node.mulpdu() && length >= headerSize, "a ULPDU of " + length + " bytes");
        int payload = length - headerSize;
        int opcode = Rdmap.opcode(Ddp.ulp(bytes, header));
        if (node.sendsReady() && fpdus == 0 && opcode != Rdmap.TERMINATE) {
            ready(header, control, payload, opcode);
        } else if (Ddp.isTagged(control)) {
            if (opcode == Rdmap.WRITE) {
                write(header, control, payload);
            } else {
                require(opcode == Rdmap.READ_RESPONSE, "opcode " + opcode + " in a tagged segment");
                answer(header, control, payload);
            }
        } else {
            untagged(header, control, payload, opcode);
        }
        return size;
    }

    private void ready(long header, int control, int payload, int opcode) {
        require(opcode == node.readyOpcode(), "opcode " + opcode + " as the ready-to-receive indication");
        require(Ddp.isLast(control), "a ready-to-receive indication in parts");
        if (opcode == Rdmap.READ_REQUEST) {
            require(ReadRequest.length(bytes, header + Ddp.UNTAGGED_SIZE) == 0, "a ready-to-receive indication that reads");
        } else {
            require(payload == 0, "payload in the ready-to-receive indication");
        }
        if (!Ddp.isTagged(control)) {
            require(Ddp.messageSequence(bytes, header) == ++sequences[Ddp.queueNumber(bytes, header)], "the wrong MSN");
        }
    }

    private Request next(Operation operation) {
        require(nextRequest < requests.size(), "a message that no request asked for");
        Request request = requests.get(nextRequest);
        require(request.operation == operation, "a " + operation + " where the next request is " + request);
        return request;
    }

    private Request nextWrite() {
        require(nextRequest < requests.size() && !immediateDue, "a Write that no request asked for");
        Request request = requests.get(nextRequest);
        require(request.writes(), "a Write where the next request is " + request);
        return request;
    }

    private void write(long header, int control, int payload) {
        Request request = nextWrite();
        if (request.length > 0 && !request.wrong) {
            require(Ddp.taggedOffset(bytes, header) == peer.writable().registered().base() + request.remoteOffset + inRequest,
                    "the wrong Tagged Offset for " + request);
        }
        if (request.length > 0) {
            require(Ddp.stag(bytes, header) == request.key, "the wrong STag for " + request);
        }
        content(header + Ddp.TAGGED_SIZE, payload, request, node.message(request), inRequest);
        advance(request, control, payload);
    }

    private void content(long at, int payload, Request request, long message, long from) {
        require(from + payload <= request.length, "more than the length of " + request);
        long wrong = Pattern.mismatch(bytes, at, payload, message, from);
        require(wrong < 0, "byte " + (from + wrong) + " of " + request);
    }

    private void advance(Request request, int control, int payload) {
        inRequest += payload;
        require(Ddp.isLast(control) == (inRequest == request.length), "the L bit in the wrong segment of " + request);
        if (Ddp.isLast(control)) {
            immediateDue = request.operation == Operation.WRITE_IMMEDIATE;
            nextRequest += immediateDue ? 0 : 1;
            inRequest = 0;
        }
    }

    private void answer(long header, int control, int payload) {
        if (peer.sendsReady() && peer.readyOpcode() == Rdmap.READ_REQUEST && !readyAnswered) {
            require(payload == 0 && Ddp.isLast(control), "a wrong answer to the ready-to-receive indication");
            readyAnswered = true;
            return;
        }
        require(nextAnswer < peersReads.size(), "an answer to no Read");
        Request read = peersReads.get(nextAnswer);
        require(read.operation == Operation.READ, "the answer to a Read instead of " + read);
        if (read.length > 0) {
            require(Ddp.taggedOffset(bytes, header) == peer.sink().registered().base() + read.offset + inAnswer, "the wrong sink");
        }
        content(header + Ddp.TAGGED_SIZE, payload, read, node.readableMessage(), read.remoteOffset, inAnswer);
        inAnswer += payload;
        require(Ddp.isLast(control) == (inAnswer == read.length), "the L bit in the wrong segment of the answer to " + read);
        if (Ddp.isLast(control)) {
            nextAnswer++;
            inAnswer = 0;
        }
    }

    private void content(long at, int payload, Request read, long message, long offset, long from) {
        require(from + payload <= read.length, "more than the length of " + read);
        long wrong = Pattern.mismatch(bytes, at, payload, message, offset + from);
        require(wrong < 0, "byte " + (from + wrong) + " of the answer to " + read);
    }

    private void untagged(long header, int control, int payload, int opcode) {
        int queue = Ddp.queueNumber(bytes, header);
        require(queue >= 0 && queue < Rdmap.QUEUES, "queue " + queue);
        int offset = Ddp.messageOffset(bytes, header);
        if (offset == 0) {
            sequences[queue]++;
        }
        require(Ddp.messageSequence(bytes, header) == sequences[queue], "the wrong MSN in queue " + queue);
        switch (queue) {
            case Rdmap.SEND_QUEUE -> {
                if (Rdmap.isImmediate(opcode)) {
                    immediate(header, control, payload, opcode);
                    return;
                }
                Request request = next(Operation.SEND);
                require(offset == inRequest, "the wrong MO for " + request);
                require(Rdmap.invalidates(opcode) == (request.invalidated != 0), "the wrong opcode for " + request);
                require(Ddp.ulpWord(bytes, header) == request.invalidated, "the wrong STag to invalidate for " + request);
                content(header + Ddp.UNTAGGED_SIZE, payload, request, node.message(request), inRequest);
                advance(request, control, payload);
            }
            case Rdmap.READ_REQUEST_QUEUE -> {
                if (opcode == Rdmap.ATOMIC_REQUEST) {
                    atomic(header + Ddp.UNTAGGED_SIZE, payload);
                } else {
                    read(header + Ddp.UNTAGGED_SIZE, payload);
                }
                require(Ddp.isLast(control), "a Read Request or an Atomic Request in parts");
                nextRequest++;
            }
            case Rdmap.ATOMIC_RESPONSE_QUEUE -> {
                require(nextAnswer < peersReads.size(), "an answer to no atomic");
                Request atomic = peersReads.get(nextAnswer++);
                require(opcode == Rdmap.ATOMIC_RESPONSE && Ddp.isLast(control) && payload == AtomicResponse.SIZE, "an Atomic Response");
                require(atomic.operation.isAtomic(), "the answer to an atomic instead of " + atomic);
                require(AtomicResponse.identifier(bytes, header + Ddp.UNTAGGED_SIZE) == (int) atomic.id, "the answer to another atomic");
            }
            default -> {
                require(opcode == Rdmap.TERMINATE, "opcode " + opcode + " in queue 2");
                terminated = true;
            }
        }
    }

    private void immediate(long header, int control, int payload, int opcode) {
        require(nextRequest < requests.size(), "immediate data that no request asked for");
        Request request = requests.get(nextRequest++);
        require(request.operation == (immediateDue ? Operation.WRITE_IMMEDIATE : Operation.IMMEDIATE), "immediate data of " + request);
        immediateDue = false;
        require(payload == Rdmap.IMMEDIATE_SIZE && Ddp.isLast(control), "immediate data in parts");
        require(Ddp.ulpWord(bytes, header) == 0, "an STag to invalidate with immediate data");
        require(bytes.get(NetworkOrder.LONG, header + Ddp.UNTAGGED_SIZE) == request.operands[0], "the wrong immediate data");
        require(Rdmap.isSolicited(opcode) == ((request.flags & SendWorkRequest.SOLICITED) != 0), "the wrong opcode for " + request);
    }

    private void read(long at, int payload) {
        Request request = next(Operation.READ);
        require(payload == ReadRequest.SIZE && ReadRequest.length(bytes, at) == request.length, "the wrong Read Request for " + request);
        if (request.length > 0) {
            require(ReadRequest.sourceStag(bytes, at) == request.key
                    && ReadRequest.sourceOffset(bytes, at) == peer.readable().region().base() + request.remoteOffset,
                    "the wrong source of " + request);
            require(ReadRequest.sinkStag(bytes, at) == node.sink().registered().stag()
                    && ReadRequest.sinkOffset(bytes, at) == node.sink().registered().base() + request.offset,
                    "the wrong sink of " + request);
        }
    }

    private void atomic(long at, int payload) {
        boolean adds = AtomicRequest.operation(bytes, at) == AtomicRequest.FETCH_ADD;
        Request request = next(adds ? Operation.FETCH_AND_ADD : Operation.COMPARE_AND_SWAP);
        require(payload == AtomicRequest.SIZE && AtomicRequest.identifier(bytes, at) == (int) request.id, "the wrong Atomic Request");
        require(AtomicRequest.stag(bytes, at) == request.key
                && AtomicRequest.offset(bytes, at) == peer.counter().region().base() + request.remoteOffset, "the target of " + request);
        require(AtomicRequest.data(bytes, at) == request.operands[0] && AtomicRequest.mask(bytes, at) == request.operands[1]
                && AtomicRequest.compareData(bytes, at) == request.operands[2]
                && AtomicRequest.compareMask(bytes, at) == request.operands[3], "the wrong operands of " + request);
    }
}
