package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

/**
 * The required outcome of the requests of a node's program: each request and receive completes once, in order; each byte of each region is
 * what it was or what a message brought; nothing of a buffer changes after its completion, which the program shows by writing into it at
 * once.
 */
final class Model {
    static final long RECEIVE_IDS = 1L << 32;
    private static final int POLLED = 16;

    private final World world;
    private final Node node;
    private final CompletionRing ring;
    private final Completions polled = Completions.allocate(POLLED);
    private Node peer;
    private final List<Request> requests = new ArrayList<>();
    private final List<Posted> posted = new ArrayList<>();
    private int nextRequestToComplete;
    private int nextReceiveToComplete;
    private int received;
    private int postedBeforeEnd = Integer.MAX_VALUE;
    private boolean flushedBeforeTold;

    Model(World world, Node node, CompletionRing ring) {
        this.world = world;
        this.node = node;
        this.ring = ring;
    }

    void meet(Node other) {
        peer = other;
    }

    List<Request> requests() {
        return requests;
    }

    List<Posted> posted() {
        return posted;
    }

    /** The program ends the connection: requests posted up to here are to be done. */
    void endsHere() {
        postedBeforeEnd = Math.min(postedBeforeEnd, requests.size());
    }

    /** Takes all completions. */
    void poll() {
        while (ring.poll(Described.of(polled)) > 0) {
            while (polled.next()) {
                CompletionStatus status = polled.status();
                flushedBeforeTold |= status == CompletionStatus.FLUSHED && !node.isTold();
                if (polled.id() >= RECEIVE_IDS) {
                    onReceive((int) (polled.id() - RECEIVE_IDS), status);
                } else {
                    onRequest((int) polled.id(), status, polled.opcode());
                }
            }
        }
        node.require(!ring.isOverrun(), "the completion queue overran");
    }

    private void onRequest(int id, CompletionStatus status, CompletionOpcode opcode) {
        node.require(id >= nextRequestToComplete && id < requests.size(), "request " + id + " completes twice or out of order");
        for (; nextRequestToComplete < id; nextRequestToComplete++) {
            Request silent = requests.get(nextRequestToComplete);
            node.require((silent.flags & SendWorkRequest.SIGNALED) == 0, silent + " was signalled and completes silently");
            complete(silent, CompletionStatus.SUCCESS);
        }
        nextRequestToComplete++;
        Request request = requests.get(id);
        node.require(opcode.value() == request.operation.opcode(), request + " completes as " + opcode);
        complete(request, status);
    }

    private void complete(Request request, CompletionStatus status) {
        request.status = status;
        world.note(node + ": " + request);
        if (request.operation == Operation.READ) {
            if (status == CompletionStatus.SUCCESS && node.sink().isRegistered()) {
                long wrong = Pattern.mismatch(node.sink().segment(), request.offset, request.length, peer.readableMessage(),
                        request.remoteOffset);
                node.require(wrong < 0, "byte " + wrong + " of " + request);
            }
            node.sink().takeBack(request.offset, request.length);
        } else if (request.operation.isAtomic()) {
            if (status == CompletionStatus.SUCCESS && node.sink().isRegistered()) {
                node.require(node.sink().segment().get(ValueLayout.JAVA_LONG_UNALIGNED, request.offset) == numberBefore(request),
                        "the value that " + request + " found");
            }
            node.sink().takeBack(request.offset, request.length);
        } else if (request.hasSource()) {
            node.source().takeBack(request.offset, request.length);
        } else if (request.window != null) {
            completeChange(request);
        }
    }

    /** A window of this node is bound or invalidated. */
    private void completeChange(Request request) {
        SimulatedWindow window = request.window;
        if (request.status == CompletionStatus.SUCCESS) {
            // The bindings of a region end with it.
            node.require(!request.wrong || !window.memory.isRegistered(), request + " binds a window that is bound");
            if (request.operation == Operation.BIND) {
                window.onBound(request.key, request.offset, request.offset + request.length);
            } else {
                window.onInvalidated();
            }
        } else if (request.status != CompletionStatus.FLUSHED) {
            node.require(request.wrong || !window.memory.isRegistered(), request + " failed");
            node.require(request.status == (request.operation == Operation.BIND ? CompletionStatus.MEMORY_WINDOW_BIND_ERROR
                    : CompletionStatus.LOCAL_QP_OPERATION_ERROR), request + " failed otherwise");
        }
    }

    /** Whether no request of this node that names an STag of the peer is under way, as far as the two programs can know. */
    boolean isDone(int key) {
        Request last = peer.model().received == 0 ? null : deliveryNumber(peer.model().received - 1);
        for (Request request : requests) {
            boolean known = request.operation.isAnswered() ? request.status != null : last != null && request.id <= last.id;
            if (request.key == key && !request.operation.isLocal() && !known) {
                return false;
            }
        }
        return true;
    }

    /** The number in the peer's counter before an atomic: the atomics posted before it were performed, each once, and none else. */
    private long numberBefore(Request atomic) {
        long number = Memory.UNTOUCHED_NUMBER;
        for (Request request : requests) {
            if (request == atomic) {
                break;
            }
            number = request.operation.isAtomic() ? request.perform(number) : number;
        }
        return number;
    }

    /** The number in the peer's counter once all atomics posted up to now are performed. */
    long counterOfPeer() {
        long number = Memory.UNTOUCHED_NUMBER;
        for (Request request : requests) {
            number = request.operation.isAtomic() ? request.perform(number) : number;
        }
        return number;
    }

    private void onReceive(int number, CompletionStatus status) {
        long length = polled.byteLength();
        node.require(number == nextReceiveToComplete, "receive " + number + " completes instead of " + nextReceiveToComplete);
        nextReceiveToComplete++;
        Posted receive = posted.get(number);
        receive.status = status;
        receive.length = length;
        world.note(node + ": receive " + number + " " + status);
        if (status == CompletionStatus.SUCCESS) {
            Request send = peer.model().deliveryNumber(received++);
            node.require(send != null, "received " + length + " bytes of nothing");
            node.require(!send.wrong, send + " may not invalidate, and was delivered");
            checkInvalidation(send);
            Request write = peer.model().writeOf(send);
            long brought = send.operation == Operation.SEND ? send.length : 0;
            node.require(length == (write != null ? write.length : brought), "received " + length + " bytes for " + send);
            node.require(polled.opcode() == (write != null ? CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE : CompletionOpcode.RECEIVE),
                    send + " completes a receive as " + polled.opcode());
            node.require(polled.hasImmediate64() == send.carriesImmediate(), "immediate data of " + send);
            node.require(!send.carriesImmediate() || polled.immediate64() == send.operands[0], "the wrong immediate data of " + send);
            if (node.landing().isRegistered()) {
                long wrong = Pattern.mismatch(node.landing().segment(), receive.offset, brought, peer.message(send));
                node.require(wrong < 0, "byte " + wrong + " of what " + send + " brought");
                wrong = Pattern.mismatch(node.landing().segment(), receive.offset + brought, receive.capacity - brought, Memory.GUARD);
                node.require(wrong < 0, "byte " + wrong + " behind what " + send + " brought");
            }
            peer.model().requireWritten(send, node);
        }
        node.landing().takeBack(receive.offset, receive.capacity);
    }

    private void checkInvalidation(Request send) {
        node.require(polled.hasInvalidatedKey() == (send.invalidated != 0), "the invalidation by " + send);
        node.require(send.invalidated == 0 || polled.invalidatedKey() == send.invalidated, "the key that " + send + " invalidated");
        if (send.window != null) {
            send.window.onInvalidated();
        }
    }

    /** The request with this number among those that take a receive, in the order posted. */
    Request deliveryNumber(int number) {
        int seen = 0;
        for (Request request : requests) {
            if (request.delivers() && seen++ == number) {
                return request;
            }
        }
        return null;
    }

    /** The Write that immediate data belong to: their own, or one right before them; {@code null} if there is none. */
    Request writeOf(Request delivery) {
        if (delivery.operation != Operation.IMMEDIATE) {
            return delivery.operation == Operation.WRITE_IMMEDIATE ? delivery : null;
        }
        for (int i = (int) delivery.id - 1; i >= 0; i--) {
            Request before = requests.get(i);
            if (!before.operation.isLocal()) {
                return before.operation == Operation.WRITE ? before : null;
            }
        }
        return null;
    }

    /** Once a Send is delivered, all Writes before it are in their place. */
    void requireWritten(Request send, Node target) {
        for (int i = 0; i <= send.id && target.writable().isRegistered(); i++) {
            Request write = requests.get(i);
            if (write.writes() && !write.wrong) {
                requireInPlace(write, target);
            }
        }
    }

    private void requireInPlace(Request write, Node target) {
        long wrong = Pattern.mismatch(target.writable().segment(), write.remoteOffset, write.length, node.message(write));
        node.require(wrong < 0, "byte " + wrong + " of " + write + " is not in its place");
    }

    /** Adds up the requests that were done, by what they are. */
    void count(Map<String, Integer> done) {
        for (Request request : requests) {
            if (request.status == CompletionStatus.SUCCESS) {
                done.merge(request.kind() + (peer.isWindow(request.key) ? " by a window" : ""), 1, Integer::sum);
            }
        }
    }

    /** Checks all that can be told when the run is over. */
    void check() {
        if (!node.isDead()) {
            poll();
            node.require(node.isTold(), "nobody was told of the end");
            node.require(!flushedBeforeTold, "a request was flushed before the end was told");
            for (; nextRequestToComplete < requests.size(); nextRequestToComplete++) {
                Request silent = requests.get(nextRequestToComplete);
                node.require((silent.flags & SendWorkRequest.SIGNALED) == 0, silent + " never completed");
                complete(silent, CompletionStatus.SUCCESS);
            }
            node.require(world.setup().shared() || nextReceiveToComplete == posted.size(), "a receive never completed");
        }
        WireCheck wire = new WireCheck(node, peer);
        int whole = wire.run();
        int sent = 0;
        for (Request request : requests) {
            boolean goes = !request.operation.isLocal();
            node.require(!goes || request.status != CompletionStatus.SUCCESS || sent < whole,
                    request + " succeeded, and was not sent whole");
            sent += goes ? 1 : 0;
        }
        checkMemory();
        if (!world.hasIncident()) {
            checkGoodEnd();
        }
    }

    private void checkMemory() {
        for (Memory memory : node.memories()) {
            memory.check(node.toString());
        }
        if (node.writable().isRegistered() && !world.incidents().contains(World.Incident.FLIPPED_BIT)) {
            checkWritable();
        }
        if (node.counter().isRegistered()) {
            checkCounter();
        }
    }

    /** The counter shows so many of the peer's atomics, in their order: at least those that the peer knows of. */
    private void checkCounter() {
        long value = node.counter().segment().get(ValueLayout.JAVA_LONG, 0);
        long number = Memory.UNTOUCHED_NUMBER;
        boolean found = value == number;
        for (Request request : peer.model().requests) {
            if (request.operation.isAtomic() && !request.wrong) {
                number = request.perform(number);
                found = value == number || found && request.status != CompletionStatus.SUCCESS;
            }
        }
        node.require(found, "the counter is " + Long.toHexString(value) + " after " + peer.model().requests);
        long wrong = Pattern.mismatch(node.counter().segment(), Long.BYTES, 56, Memory.GUARD);
        node.require(wrong < 0, "byte " + wrong + " behind the counter was written");
    }

    /** Each byte of the writable memory is the guard's, or that of the Write which it was given out for. */
    private void checkWritable() {
        long at = 0;
        for (Request write : peer.model().requests) {
            if (write.writes() && write.length > 0) {
                requireGuard(at, write.remoteOffset);
                for (long i = 0; i < write.length; i++) {
                    byte value = node.writable().segment().get(ValueLayout.JAVA_BYTE, write.remoteOffset + i);
                    if (value != Memory.GUARD && (write.wrong && i >= write.reachable || value != Pattern.at(peer.message(write), i))) {
                        throw new AssertionError(node + ": byte " + i + " of the target of " + write + " is neither old nor new");
                    }
                }
                at = write.remoteOffset + write.length;
            }
        }
        requireGuard(at, node.writable().segment().byteSize());
    }

    private void requireGuard(long from, long to) {
        long wrong = Pattern.mismatch(node.writable().segment(), from, to - from, Memory.GUARD);
        node.require(wrong < 0, "byte " + (from + wrong) + " of the writable memory was written, and no Write asked for it");
    }

    /** Nothing but posting and disconnecting happened: all that was posted before the only disconnect is done, and both ends are good. */
    private void checkGoodEnd() {
        node.require(node.failure() == null || node.isLate(), "failed: " + node.failure());
        node.require(node.isGood() || node.isLate(), "ended by " + node.outcome());
        if (peer.program().onlyWaited()) {
            for (int i = 0; i < Math.min(postedBeforeEnd, requests.size()); i++) {
                node.require(requests.get(i).status == CompletionStatus.SUCCESS, requests.get(i) + ", posted before the disconnect");
            }
        }
    }
}
