package org.panamaverbs.rpcrdma.link;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import org.panamaverbs.rpcrdma.endpoint.Link;
import org.panamaverbs.rpcrdma.link.LinkState.Event;

/**
 * The outbound part of a link: its requests, in their order. Those under way are in the send queue, and each but a Write holds a slot,
 * whose number is its identifier. A request that finds no slot or a full send queue waits, and so do all after it. Any thread may call any
 * method.
 */
final class LinkOutput {
    enum Kind {
        SEND, SEND_INVALIDATE, WRITE, READ
    }

    /** A request; a Write reports nothing, so it has no {@code done}. */
    record Request(Kind kind, RegisteredMemory memory, long offset, long length, int handle, long address, Link.Done done) {
        /** The request is over: the memory of a Send is free again. */
        void finish(boolean success) {
            if (memory instanceof MessageMemory.Send send) {
                send.release();
            }
            if (done != null) {
                done.done(success);
            }
        }
    }

    /** The send queue of a queue pair. */
    interface Poster {
        /** Posts a request; {@code false} if the send queue is full. */
        boolean tryPost(Request request, int slot);

        void ringDoorbell();
    }

    private final LinkLife life;
    private final Poster poster;
    private final Request[] underWay;
    private final Queue<Integer> freeSlots = new ArrayDeque<>();
    private final Queue<Request> waiting = new ArrayDeque<>();

    /**
     * Makes one.
     *
     * @param life  of the link
     * @param depth how many requests with a slot are under way at most
     */
    LinkOutput(LinkLife life, int depth, Poster poster) {
        this.life = life;
        this.poster = poster;
        underWay = new Request[depth];
        for (int i = 0; i < depth; i++) {
            freeSlots.add(i);
        }
    }

    /** Posts a request, or has it wait; {@code false} if the link has ended. */
    synchronized boolean post(Request request) {
        if (life.state().hasEnded()) {
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

    /** The request of a slot is complete: those that wait have room. */
    void onCompletion(int slot, boolean success) {
        Request request = take(slot);
        if (request != null) {
            request.finish(success);
            pump();
        }
    }

    /** {@return the request of a slot; {@code null} if {@link #release} has finished it already} */
    private synchronized Request take(int slot) {
        Request request = underWay[slot];
        if (request != null) {
            underWay[slot] = null;
            freeSlots.add(slot);
        }
        return request;
    }

    /** Posts those that wait, as far as there is room. */
    synchronized void pump() {
        while (!life.state().hasEnded() && !waiting.isEmpty() && tryPost(waiting.peek())) {
            waiting.remove();
        }
        if (!life.state().hasEnded() && !waiting.isEmpty()) {
            poster.ringDoorbell();
        }
    }

    /** Ends the link: when this returns, no thread posts any more. {@code false} if it has ended. */
    synchronized boolean end(String why) {
        return life.change(Event.END, why);
    }

    /** Finishes those that are left: those under way, then those that wait. */
    void release() {
        for (Request request : drain()) {
            request.finish(false);
        }
    }

    private synchronized List<Request> drain() {
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
