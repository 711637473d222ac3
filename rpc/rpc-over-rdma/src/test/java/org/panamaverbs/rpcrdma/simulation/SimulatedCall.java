package org.panamaverbs.rpcrdma.simulation;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.endpoint.OutboundCall;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/** A call that a {@link SimulatedNode} makes, and its expected outcome. */
final class SimulatedCall implements OutboundCall.Listener {
    private static final int GUARD = 32;
    private static final byte GUARDED = 0x5A;
    final int xid;
    final Plan plan;
    final OutboundCall call;
    private final SimulatedWire wire;
    /** Memory of results, with guards around it. */
    private final MemorySegment[] whole;
    private final MemorySegment[] into;
    private final int placed;
    /** The caller offers less than the reply takes. */
    private final boolean stingy;
    private boolean cancelled;
    private int sent;
    private String outcome;
    private int[] sums;

    SimulatedCall(SimulatedWire wire, int xid, Random random) {
        this.wire = wire;
        this.xid = xid;
        plan = new Plan(random.nextInt());
        int results = plan.results.length;
        placed = random.nextInt(results + 1) + (random.nextInt(10) == 0 ? 1 : 0);
        whole = new MemorySegment[Math.max(results, placed)];
        into = new MemorySegment[whole.length];
        boolean tooShort = false;
        for (int i = 0; i < whole.length; i++) {
            int needed = i < results ? plan.results[i] : 100;
            int room = Math.max(1, needed + (random.nextBoolean() ? random.nextInt(100) : 0));
            if (i < placed && needed > 1 && random.nextInt(30) == 0) {
                room = needed - 1;
                tooShort = true;
            }
            whole[i] = wire.allocate(room + 2 * GUARD).fill(GUARDED);
            into[i] = whole[i].asSlice(GUARD, room);
        }
        int reply = plan.replyLength(placed);
        boolean replyTooShort = random.nextInt(30) == 0;
        int most = replyTooShort ? Math.max(0, reply - 1 - random.nextInt(reply))
                : reply + (random.nextBoolean() ? random.nextInt(3000) : 0);
        stingy = tooShort || replyTooShort;
        call = new OutboundCall(xid, plan.call(xid, wire), new ArrayList<>(Arrays.asList(into).subList(0, placed)), most,
                random.nextBoolean(), this);
    }

    void cancelled() {
        cancelled = true;
    }

    boolean isDone() {
        return outcome != null;
    }

    boolean wasCancelled() {
        return cancelled;
    }

    String outcome() {
        return outcome;
    }

    @Override
    public void sent(int bytes) {
        if (outcome != null || ++sent > 1) {
            throw wire.broken("the call was reported as sent twice, or after its end: " + this);
        }
    }

    @Override
    public void answered(MessageXdr reply) {
        end("answered");
        if (!plan.answered) {
            throw wire.broken("answered, though the program does not answer: " + this);
        }
        try {
            plan.decodeReply(reply, xid, into);
        } catch (IOException | AssertionError e) {
            throw new AssertionError(this + ": " + e.getMessage(), e);
        }
        sums = sums();
    }

    @Override
    public void failed(Throwable cause) {
        end(cause instanceof CallFailedException refused ? refused.reason().name() : cause.getClass().getSimpleName());
        boolean refused = cause instanceof CallFailedException error
                && Set.of(Reason.BAD_XDR, Reason.WRITE_RESOURCE, Reason.REPLY_RESOURCE).contains(error.reason());
        if (!(refused && stingy) && !(cause instanceof TimeoutException && cancelled) && !(cause instanceof EOFException)) {
            throw new AssertionError(this + " failed: " + cause, cause);
        }
        sums = sums();
    }

    private void end(String how) {
        wire.log("call 0x" + Integer.toHexString(xid) + " ends: " + how);
        if (outcome != null) {
            throw wire.broken("the call ended twice, as " + outcome + " and " + how + ": " + this);
        }
        outcome = how;
    }

    private int[] sums() {
        return Arrays.stream(whole).mapToInt(memory -> Arrays.hashCode(memory.toArray(ValueLayout.JAVA_BYTE))).toArray();
    }

    /** At the end of all: nothing was written beyond the results, or after the end of the call. */
    void check() {
        if (outcome == null) {
            throw wire.broken("the call never ended: " + this);
        }
        if (!Arrays.equals(sums, sums())) {
            throw wire.broken("memory changed after the end of " + this);
        }
        for (int i = 0; i < whole.length; i++) {
            for (long at : List.of(0L, into[i].byteSize() + GUARD)) {
                for (int byteAt = 0; byteAt < GUARD; byteAt++) {
                    if (whole[i].get(ValueLayout.JAVA_BYTE, at + byteAt) != GUARDED) {
                        throw wire.broken("memory beside result " + i + " changed: " + this);
                    }
                }
            }
        }
    }

    @Override
    public String toString() {
        return "call 0x" + Integer.toHexString(xid) + " " + plan + ", " + placed + " placed" + (stingy ? ", too little room" : "")
                + (cancelled ? ", cancelled" : "") + ", reply at most " + plan.replyLength(placed);
    }
}
