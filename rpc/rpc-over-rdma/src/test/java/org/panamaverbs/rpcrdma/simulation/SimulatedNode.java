package org.panamaverbs.rpcrdma.simulation;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.EndpointOptions;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/** An endpoint with the program above it: it makes calls, and answers those of the peer, each when the world says so. */
final class SimulatedNode implements SimulatedLink.End {
    private record Answer(int xid, Plan plan, MessageXdr message) {
    }

    final Endpoint endpoint;
    final SimulatedLink link;
    final List<SimulatedCall> calls = new ArrayList<>();
    private final SimulatedWire wire;
    private final Random random;
    private final List<Answer> open = new ArrayList<>();
    private final List<Answer> neverAnswered = new ArrayList<>();
    private final Map<Integer, Plan> replies = new LinkedHashMap<>();
    private int nextXid;
    private boolean heardProperties;

    SimulatedNode(SimulatedWire wire, SimulatedLink link, EndpointOptions options, int firstXid) {
        this.wire = wire;
        this.link = link;
        random = wire.random;
        nextXid = firstXid;
        link.attach(this);
        endpoint = new Endpoint(link, options, this::onCall, Seat.alone(8L * options.messageSize()));
    }

    @Override
    public void onReceive(MemorySegment message, long length, boolean invalidated, int handle) {
        endpoint.onReceive(message, length, invalidated, handle);
        heardProperties |= message.get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), 12) == 6;
    }

    @Override
    public void onEnd(String reason) {
        endpoint.onEnd(reason);
    }

    private void onCall(int xid, MessageXdr message) {
        try {
            Plan plan = Plan.decodeCall(message, xid);
            (plan.answered ? open : neverAnswered).add(new Answer(xid, plan, message));
        } catch (IOException | AssertionError e) {
            throw new AssertionError(link.name + ": the call 0x" + Integer.toHexString(xid) + " came wrong: " + e, e);
        }
    }

    /** A server calls back once the client has said how (draft, 6.2.2). */
    boolean knowsHowToCallBack() {
        return endpoint.confirmedVersion() == 1 || heardProperties;
    }

    SimulatedCall call() {
        SimulatedCall call = new SimulatedCall(wire, nextXid++, random);
        calls.add(call);
        wire.log(() -> link.name + " makes " + call);
        endpoint.call(call.call);
        return call;
    }

    void cancelOne() {
        SimulatedCall call = calls.get(random.nextInt(calls.size()));
        if (!call.isDone()) {
            cancel(call);
        }
    }

    private void cancel(SimulatedCall call) {
        wire.log(link.name + " cancels 0x" + Integer.toHexString(call.xid));
        call.cancelled();
        endpoint.cancel(call.xid, new TimeoutException("the time is up"), () -> {
            // It has ended, or is about to.
        });
    }

    void cancelAll() {
        calls.stream().filter(call -> !call.isDone() && !call.wasCancelled()).forEach(this::cancel);
    }

    boolean canAnswer() {
        return !open.isEmpty();
    }

    void answerOne() {
        answer(open.remove(random.nextInt(open.size())));
    }

    private void answer(Answer answer) {
        MemorySegment[] items = answer.plan.reply(answer.message, answer.xid, wire);
        boolean[] told = new boolean[1];
        replies.put(answer.xid, answer.plan);
        endpoint.reply(answer.message, success -> {
            if (told[0]) {
                throw wire.broken("the end of a reply is told twice: " + answer.plan);
            }
            told[0] = true;
            replies.remove(answer.xid);
            for (MemorySegment item : items) {
                // The program uses its memory for other things now.
                item.fill((byte) 0xAA);
            }
        });
    }

    /** The connection has ended: the program answers all the same, and the endpoint gives the memory of the calls back. */
    void answerAll() {
        open.addAll(neverAnswered);
        neverAnswered.clear();
        while (canAnswer()) {
            answerOne();
        }
    }

    void check() {
        calls.forEach(SimulatedCall::check);
        if (!replies.isEmpty()) {
            throw wire.broken(link.name + " was never told of the end of replies: " + replies);
        }
        if (!link.exposures.isEmpty() || link.held() != 0) {
            throw wire.broken(link.name + " leaks " + link.exposures.size() + " exposures and " + link.held() + " pieces of memory");
        }
        if (endpoint.isOpen()) {
            throw wire.broken(link.name + " does not know that the connection has ended");
        }
    }
}
