package org.panamaverbs.softiwarp.simulation;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.QueuePair;
import org.panamaverbs.softiwarp.queue.CompletionRing;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.spi.CompletionBuffer;

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
    private final CompletionBuffer polled = CompletionBuffer.allocate(Arena.ofAuto(), POLLED);
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
        while (ring.poll(polled) > 0) {
            while (polled.next()) {
                CompletionStatus status = polled.status();
                flushedBeforeTold |= status == CompletionStatus.FLUSHED && !node.isTold();
                if (polled.id() >= RECEIVE_IDS) {
                    onReceive((int) (polled.id() - RECEIVE_IDS), status, polled.byteLength());
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
            node.require((silent.flags & QueuePair.SIGNALED) == 0, silent + " was signalled and completes silently");
            complete(silent, CompletionStatus.SUCCESS);
        }
        nextRequestToComplete++;
        Request request = requests.get(id);
        node.require(opcode.name().equals(request.operation.name()), request + " completes as " + opcode);
        complete(request, status);
    }

    private void complete(Request request, CompletionStatus status) {
        request.status = status;
        world.note(node + ": " + request);
        if (request.operation == Operation.READ) {
            if (status == CompletionStatus.SUCCESS && node.sink().isRegistered()) {
                for (long i = 0; i < request.length; i++) {
                    byte value = node.sink().segment().get(ValueLayout.JAVA_BYTE, request.offset + i);
                    node.require(value == Pattern.at(peer.readableMessage(), request.remoteOffset + i), "byte " + i + " of " + request);
                }
            }
            node.sink().takeBack(request.offset, request.length);
        } else if (request.operation != Operation.LOCAL_INVALIDATE) {
            node.source().takeBack(request.offset, request.length);
        }
    }

    private void onReceive(int number, CompletionStatus status, long length) {
        node.require(number == nextReceiveToComplete, "receive " + number + " completes instead of " + nextReceiveToComplete);
        nextReceiveToComplete++;
        Posted receive = posted.get(number);
        receive.status = status;
        receive.length = length;
        world.note(node + ": receive " + number + " " + status);
        if (status == CompletionStatus.SUCCESS) {
            Request send = peer.model().sendNumber(received++);
            node.require(send != null && send.length == length, "received " + length + " bytes for " + send);
            if (node.landing().isRegistered()) {
                long wrong = Pattern.mismatch(node.landing().segment(), receive.offset, length, peer.message(send));
                node.require(wrong < 0, "byte " + wrong + " of what " + send + " brought");
                wrong = Pattern.mismatch(node.landing().segment(), receive.offset + length, receive.capacity - length, Memory.GUARD);
                node.require(wrong < 0, "byte " + wrong + " behind what " + send + " brought");
            }
            peer.model().requireWritten(send, node);
        }
        node.landing().takeBack(receive.offset, receive.capacity);
    }

    /** The Send with this number, in the order posted. */
    Request sendNumber(int number) {
        int seen = 0;
        for (Request request : requests) {
            if (request.operation == Operation.SEND && seen++ == number) {
                return request;
            }
        }
        return null;
    }

    /** Once a Send is delivered, all Writes before it are in their place. */
    void requireWritten(Request send, Node target) {
        for (int i = 0; i < send.id && target.writable().isRegistered(); i++) {
            Request write = requests.get(i);
            if (write.operation == Operation.WRITE && !write.wrong) {
                requireInPlace(write, target);
            }
        }
    }

    private void requireInPlace(Request write, Node target) {
        long wrong = Pattern.mismatch(target.writable().segment(), write.remoteOffset, write.length, node.message(write));
        node.require(wrong < 0, "byte " + wrong + " of " + write + " is not in its place");
    }

    /** Checks all that can be told when the run is over. */
    void check() {
        if (!node.isDead()) {
            poll();
            node.require(node.isTold(), "nobody was told of the end");
            node.require(!flushedBeforeTold, "a request was flushed before the end was told");
            for (; nextRequestToComplete < requests.size(); nextRequestToComplete++) {
                Request silent = requests.get(nextRequestToComplete);
                node.require((silent.flags & QueuePair.SIGNALED) == 0, silent + " never completed");
                complete(silent, CompletionStatus.SUCCESS);
            }
            node.require(world.setup().shared() || nextReceiveToComplete == posted.size(), "a receive never completed");
        }
        WireCheck wire = new WireCheck(node, peer);
        int whole = wire.run();
        int sent = 0;
        for (Request request : requests) {
            boolean goes = request.operation != Operation.LOCAL_INVALIDATE;
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
    }

    /** Each byte of the writable memory is the guard's, or that of the Write which it was given out for. */
    private void checkWritable() {
        long at = 0;
        for (Request write : peer.model().requests) {
            if (write.operation == Operation.WRITE && write.length > 0) {
                requireGuard(at, write.remoteOffset);
                for (long i = 0; i < write.length; i++) {
                    byte value = node.writable().segment().get(ValueLayout.JAVA_BYTE, write.remoteOffset + i);
                    node.require(value == Memory.GUARD || !write.wrong && value == Pattern.at(peer.message(write), i),
                            "byte " + i + " of the target of " + write + " is neither old nor new");
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
        node.require(node.failure() == null, "failed: " + node.failure());
        node.require(node.isGood(), "ended by " + node.outcome());
        if (peer.program().onlyWaited()) {
            for (int i = 0; i < Math.min(postedBeforeEnd, requests.size()); i++) {
                node.require(requests.get(i).status == CompletionStatus.SUCCESS, requests.get(i) + ", posted before the disconnect");
            }
        }
    }
}
