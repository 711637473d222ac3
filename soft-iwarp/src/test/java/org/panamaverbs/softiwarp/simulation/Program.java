package org.panamaverbs.softiwarp.simulation;

import java.util.List;
import org.panamaverbs.softiwarp.queue.SendQueue;
import org.panamaverbs.softiwarp.queue.SendQueue.Operation;
import org.panamaverbs.softiwarp.queue.WorkQueue;
import org.panamaverbs.spi.SendWorkRequest;

/** The program of a node: posts at random, then disconnects, closes, or waits for the peer's end. */
final class Program {
    /** A program that only waits for the peer's end gives up after so long. */
    private static final long PASSIVE_NANOS = 8_000_000_000L;

    private final World world;
    private final Setup setup;
    private final Node node;
    private final Model model;
    private Node peer;
    private int operations;
    private final boolean passive;
    private boolean mustBegin;
    private boolean ended;
    private boolean closed;
    /** Requests that take a receive of the peer. */
    private int deliveriesPosted;

    Program(World world, Node node, Model model) {
        this.world = world;
        this.setup = world.setup();
        this.node = node;
        this.model = model;
        passive = node.index() == 1 && world.once(3);
        operations = setup.operations();
        mustBegin = node.index() == 0 && !node.sendsReady();
    }

    void meet(Node other) {
        peer = other;
    }

    /** Whether it has closed its queue pair. */
    boolean isClosed() {
        return closed;
    }

    /** Whether it never ended the connection by itself. */
    boolean onlyWaited() {
        return passive && !ended;
    }

    /** The program does something; {@code false} if it has nothing to do but wait. */
    boolean act() {
        if (closed) {
            return false;
        }
        if (operations > 0 && !ended) {
            operations--;
            if (mustBegin) {
                // The client of the client-server model sends first: until then the server may not.
                postWrite(Operation.WRITE);
                mustBegin = model.requests().isEmpty();
            } else if (setup.mischief() && world.once(25)) {
                mischief();
            } else {
                post();
            }
            return true;
        }
        if (!ended && (!passive || world.now() > PASSIVE_NANOS)) {
            end();
            return true;
        }
        if (node.isTold() && !closed && world.once(20)) {
            // Requests posted after the end are flushed.
            post();
            return true;
        }
        if (node.isTold() && !closed && node.isChannelClosed() && world.once(3)) {
            close();
            return true;
        }
        return false;
    }

    private void end() {
        if (world.once(4) && setup.mischief()) {
            close();
            return;
        }
        ended = true;
        model.endsHere();
        world.note(node + " disconnects");
        node.sends().ringDoorbell();
        node.driver().disconnect();
    }

    private void close() {
        if (!node.isTold()) {
            world.incident(World.Incident.CLOSE);
        }
        world.note(node + " closes");
        ended = true;
        model.endsHere();
        node.driver().close();
        closed = true;
        model.poll();
        node.require(node.sends().retired() == node.sends().posted(), "a request is outstanding after close()");
        if (!setup.shared()) {
            node.require(node.receives().retired() == node.receives().posted(), "a receive is outstanding after close()");
        }
    }

    void post() {
        if (closed) {
            return;
        }
        switch (world.random().nextInt(18)) {
            case 0, 1, 2, 3 -> postReceive();
            case 4, 5, 6 -> postSend();
            case 7, 8 -> postWrite(Operation.WRITE);
            case 9 -> postRead();
            case 10 -> postInvalidate();
            case 11 -> postImmediate();
            case 12 -> postWrite(Operation.WRITE_IMMEDIATE);
            case 13 -> postAtomic();
            case 14, 15, 16 -> postWindow();
            default -> {
                node.sends().ringDoorbell();
                node.driver().kick();
            }
        }
    }

    private long length() {
        return world.once(8) ? 0 : world.once(4) ? world.random().nextInt(65) : 1 + world.random().nextInt(setup.longest());
    }

    private int flags() {
        return (world.once(2) ? SendWorkRequest.SIGNALED : 0) | (world.once(5) ? SendWorkRequest.MORE : 0)
                | (world.once(10) ? SendWorkRequest.FENCE : 0);
    }

    private void postReceive() {
        long length = length();
        long offset = node.landing().slot(length);
        if (offset < 0 || !node.landing().isRegistered()) {
            return;
        }
        Posted receive = new Posted(Model.RECEIVE_IDS + model.posted().size(), offset, length);
        long sequence = node.receives().claim(receive.id);
        if (sequence < 0) {
            return;
        }
        elements(node.receives(), sequence, node.landing(), offset, length);
        model.posted().add(receive);
        node.receives().publish(sequence);
        if (!node.isRunning()) {
            node.driver().flushLate();
        }
    }

    /** In one part or in two. */
    private void elements(WorkQueue queue, long sequence, Memory memory, long offset, long length) {
        long first = world.once(3) ? world.random().nextLong(length + 1) : length;
        queue.element(sequence, memory.registered(), offset, first);
        if (first < length) {
            queue.element(sequence, memory.registered(), offset + first, length - first);
        }
    }

    private void postSend() {
        long length = length();
        boolean sure = deliveriesPosted < peer.model().posted().size() && peer.model().posted().get(deliveriesPosted).capacity >= length;
        if (!sure && !(setup.mischief() && world.once(30))) {
            return;
        }
        long offset = node.source().slot(length);
        if (offset < 0 || !node.source().isRegistered()) {
            return;
        }
        int invalidated = !peer.spare().isEmpty() && world.once(10) ? peer.spare().removeLast().stag() : 0;
        SimulatedWindow window = invalidated == 0 && world.once(5) ? invalidable() : null;
        if (window != null) {
            invalidated = window.key();
        }
        // The peer may still be answering Reads through the window: they come first.
        Request request = new Request(
                model.requests().size(), Operation.SEND, length, offset, 0, flags() | (invalidated != 0 ? SendQueue.INVALIDATE : 0)
                        | (world.once(5) ? SendWorkRequest.SOLICITED : 0) | (window != null ? SendWorkRequest.FENCE : 0),
                invalidated, window != null && !window.ofOneStream);
        request.window = window;
        boolean posted = submit(request, invalidated, 0);
        if (posted && request.wrong) {
            world.incident(World.Incident.WRONG_KEY);
        } else if (posted && window != null) {
            window.onInvalidationPosted();
        }
        delivers(posted, sure);
    }

    /** A window of the peer to invalidate; for mischief one of type 1, which may not be; {@code null} if there is none. */
    private SimulatedWindow invalidable() {
        for (SimulatedWindow window : peer.windows()) {
            if (window.isBound() && !window.isChanging() && (window.ofOneStream || setup.mischief() && world.once(10))) {
                return window;
            }
        }
        return null;
    }

    /** Binds a window, or invalidates it so that it can be bound next. */
    private void postWindow() {
        SimulatedWindow window = node.windows().get(world.random().nextInt(node.windows().size()));
        boolean idle = !window.isBound() || peer.model().isDone(window.key());
        if (window.isChanging() || !window.memory.isRegistered() || !idle && !(setup.mischief() && world.once(8))) {
            return;
        }
        boolean taken = window.isBound() && window.ofOneStream;
        boolean wrong = taken && setup.mischief() && world.once(20);
        boolean posted;
        if (taken && !wrong) {
            Request request = new Request(model.requests().size(), Operation.LOCAL_INVALIDATE, 0, 0, 0, flags(), window.key(), false);
            request.window = window;
            posted = submit(request, window.key(), 0);
        } else {
            long size = window.memory.segment().byteSize();
            boolean whole = world.once(2);
            long from = whole || window.memory == node.counter() ? 0 : Math.min(size, window.memory.used());
            long length = world.once(6) ? 0 : whole ? size : world.random().nextLong(size - from + 1);
            Request request = new Request(model.requests().size(), Operation.BIND, length, from, 0, flags(), 0, wrong);
            request.window = window;
            posted = submit(request, 0, 0);
        }
        if (posted) {
            window.onPosted();
            if (!idle) {
                world.incident(World.Incident.INVALIDATE);
            }
            if (wrong) {
                world.incident(World.Incident.WRONG_BINDING);
            }
        }
    }

    private void postImmediate() {
        boolean sure = deliveriesPosted < peer.model().posted().size();
        if (!sure && !(setup.mischief() && world.once(30))) {
            return;
        }
        Request request = new Request(model.requests().size(), Operation.IMMEDIATE, 0, 0, 0,
                flags() | (world.once(5) ? SendWorkRequest.SOLICITED : 0), 0, false);
        request.operands = new long[] { world.random().nextLong() };
        delivers(submit(request, 0, 0), sure);
    }

    /** A request that takes a receive is posted, if there was room; {@code sure} if a receive is there. */
    private void delivers(boolean posted, boolean sure) {
        if (posted) {
            deliveriesPosted++;
            if (!sure) {
                world.incident(World.Incident.SEND_WITHOUT_RECEIVE);
            }
        }
    }

    private void postAtomic() {
        boolean wrong = setup.mischief() && world.once(40);
        long offset = node.sink().slot(Long.BYTES);
        if (offset < 0 || !node.sink().isRegistered() || !peer.counter().isRegistered() && !wrong || node.outboundReads() == 0) {
            return;
        }
        // RFC 7306, 5.1: the address is a multiple of 8.
        long crooked = wrong && world.once(2) ? 1 + world.random().nextInt(Long.BYTES - 1) : 0;
        boolean adds = world.once(2);
        Request request = new Request(model.requests().size(), adds ? Operation.FETCH_AND_ADD : Operation.COMPARE_AND_SWAP, Long.BYTES,
                offset, crooked, flags(), 0, wrong);
        request.operands = adds ? new long[] { world.random().nextLong(), world.once(2) ? 0 : world.random().nextLong(), 0, -1 }
                : comparing();
        int key = wrong && crooked == 0 ? peer.wrongKeyOf(peer.counter(), 0, Long.BYTES) : peer.keyOf(peer.counter(), 0, 2L * Long.BYTES);
        if (submit(request, key, peer.counter().region().base() + crooked) && wrong) {
            world.incident(World.Incident.WRONG_KEY);
        }
    }

    /** The operands of a CmpSwap: of all bits or of some, with a number that is there or another. */
    private long[] comparing() {
        long compared = world.once(2) ? model.counterOfPeer() : world.random().nextLong();
        return switch (world.random().nextInt(4)) {
            case 0 -> new long[] { world.random().nextLong(), -1, compared, -1 };
            // A plain swap.
            case 1 -> new long[] { world.random().nextLong(), -1, 0, 0 };
            case 2 -> new long[] { world.random().nextLong(), world.random().nextLong(), compared, world.random().nextLong() };
            default -> new long[] { world.random().nextLong(), world.random().nextLong(), compared, world.random().nextLong() & 3 };
        };
    }

    private void postWrite(Operation operation) {
        boolean delivers = operation == Operation.WRITE_IMMEDIATE;
        boolean sure = !delivers || deliveriesPosted < peer.model().posted().size();
        if (!sure && !(setup.mischief() && world.once(30))) {
            return;
        }
        long length = length();
        boolean wrong = setup.mischief() && world.once(40);
        long offset = node.source().slot(length);
        if (offset < 0 || !node.source().isRegistered() || !peer.writable().isRegistered() && !wrong) {
            return;
        }
        long target = peer.writable().slot(length);
        if (target < 0) {
            return;
        }
        Request request = new Request(model.requests().size(), operation, length, offset, target, flags(), 0, wrong && length > 0);
        if (delivers) {
            request.operands = new long[] { world.random().nextLong() };
        }
        int key = request.wrong ? peer.wrongKeyOf(peer.writable(), target, length) : peer.keyOf(peer.writable(), target, length);
        request.reachable = request.wrong ? peer.reachOf(key, peer.writable(), target) : length;
        boolean posted = submit(request, key, peer.writable().region().base() + target);
        if (delivers) {
            delivers(posted, sure);
        }
        if (posted && request.wrong) {
            world.incident(World.Incident.WRONG_KEY);
        }
    }

    private void postRead() {
        long length = Math.min(length(), 30_000);
        boolean wrong = setup.mischief() && world.once(40) && length > 0;
        long offset = node.sink().slot(length);
        if (offset < 0 || !node.sink().isRegistered() || !peer.readable().isRegistered() && !wrong || node.outboundReads() == 0) {
            return;
        }
        long from = world.random().nextLong(40_000 - length);
        Request request = new Request(model.requests().size(), Operation.READ, length, offset, from, flags(), 0, wrong);
        int key = wrong ? peer.wrongKeyOf(peer.readable(), from, length) : peer.keyOf(peer.readable(), from, length);
        if (submit(request, key, peer.readable().region().base() + from) && wrong) {
            world.incident(World.Incident.WRONG_KEY);
        }
    }

    private void postInvalidate() {
        if (node.spare().isEmpty() || !world.once(4)) {
            return;
        }
        int key = node.spare().removeLast().stag();
        submit(new Request(model.requests().size(), Operation.LOCAL_INVALIDATE, 0, 0, 0, flags(), key, false), key, 0);
    }

    private boolean submit(Request request, int key, long address) {
        long sequence = node.sends().claim(request.id);
        if (sequence < 0) {
            return false;
        }
        request.key = key;
        if (request.operation == Operation.BIND) {
            node.sends().bind(sequence, request.window.window, request.window.memory.region(), request.offset, request.length,
                    request.window.rights(), request.flags);
            request.key = request.window.window.stag();
        } else {
            node.sends().describe(sequence, request.operation, request.length, address, key, request.flags);
        }
        if (request.operation.isAtomic()) {
            node.sends().operands(sequence, request.operands[0], request.operands[1], request.operands[2], request.operands[3]);
        } else if (request.carriesImmediate()) {
            node.sends().immediate(sequence, request.operands[0]);
        }
        if (request.operation.isAnswered()) {
            node.sends().element(sequence, node.sink().registered(), request.offset, request.length);
        } else if (request.hasSource()) {
            Pattern.fill(node.source().segment(), request.offset, request.length, node.message(request));
            elements(node.sends(), sequence, node.source(), request.offset, request.length);
        }
        model.requests().add(request);
        world.note(node + " posts " + request);
        node.sends().publish(sequence);
        if ((request.flags & SendWorkRequest.MORE) == 0) {
            node.driver().kick();
        }
        return true;
    }

    private void mischief() {
        if (node.isLeaderBusy()) {
            return;
        }
        List<Memory> all = node.memories();
        Memory memory = all.get(world.random().nextInt(all.size()));
        if (memory.isRegistered()) {
            world.incident(World.Incident.DEREGISTER);
            world.note(node + " deregisters");
            node.deregister(memory);
        }
    }
}
