package org.panamaverbs.rpcrdma.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.panamaverbs.rpcrdma.endpoint.Link;

/**
 * The requests of a link, in their order. Those under way are in the send queue, and each but a Write holds a slot, whose number is its
 * identifier. A request that finds no slot or a full send queue waits, and so do all after it. Any thread may call any method.
 */
final class RequestQueue {
    enum Kind {
        SEND, SEND_INVALIDATE, WRITE, READ
    }

    /** A request; a Write reports nothing, so it has no {@code done}. */
    record Request(Kind kind, RegisteredMemory memory, long offset, long length, int handle, long address, Link.Done done) {
    }

    /** The send queue of a queue pair. */
    interface Poster {
        /** Posts a request; {@code false} if the send queue is full. */
        boolean tryPost(Request request, int slot);

        void ringDoorbell();
    }

    private final Poster poster;
    private final Request[] underWay;
    private final Queue<Integer> freeSlots = new ArrayDeque<>();
    private final Queue<Request> waiting = new ArrayDeque<>();
    private boolean ended;

    /**
     * Makes one.
     *
     * @param depth how many requests with a slot are under way at most
     */
    RequestQueue(int depth, Poster poster) {
        this.poster = poster;
        underWay = new Request[depth];
        for (int i = 0; i < depth; i++) {
            freeSlots.add(i);
        }
    }

    /** Posts a request, or has it wait; {@code false} if the queue has ended. */
    synchronized boolean post(Request request) {
        if (ended) {
            return false;
        }
        if (!waiting.isEmpty() || !tryPost(request)) {
            waiting.add(request);
            // What was posted with MORE would otherwise wait for this request, and this request for that.
            poster.ringDoorbell();
        }
        return true;
    }

    private boolean tryPost(Request request) {
        if (freeSlots.isEmpty()) {
            return false;
        }
        int slot = freeSlots.peek();
        boolean posted = poster.tryPost(request, slot);
        if (posted && request.kind != Kind.WRITE) {
            freeSlots.remove();
            underWay[slot] = request;
        }
        return posted;
    }

    /** The request of a slot is complete; {@code null} if {@link #drain} has given it back already. */
    synchronized Request completed(int slot) {
        Request request = underWay[slot];
        if (request != null) {
            underWay[slot] = null;
            freeSlots.add(slot);
        }
        return request;
    }

    /** Posts those that wait, as far as there is room. */
    synchronized void pump() {
        while (!ended && !waiting.isEmpty() && tryPost(waiting.peek())) {
            waiting.remove();
        }
        if (!ended && !waiting.isEmpty()) {
            poster.ringDoorbell();
        }
    }

    /** Takes no more. */
    synchronized void end() {
        ended = true;
    }

    /** Gives back those that are left: those under way, then those that wait. */
    synchronized List<Request> drain() {
        List<Request> left = new ArrayList<>();
        for (Request request : underWay) {
            if (request != null) {
                left.add(request);
            }
        }
        Arrays.fill(underWay, null);
        left.addAll(waiting);
        waiting.clear();
        return left;
    }
}
