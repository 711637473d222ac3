package org.panamaverbs.rpcrdma.endpoint;

import java.io.EOFException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException.Reason;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;

/**
 * The calls of this side: their order, credits, answers and ends. All methods are called under the endpoint's lock.
 *
 * <p>At most as many calls are outstanding as the peer granted, and one before the first answer (RFC 8166, 3.3.1 and 3.3.3). The others
 * wait in the order in which they were made.
 */
final class Requester {
    private final Endpoint endpoint;
    private final Link link;
    private final EndpointOptions options;
    private final Map<Integer, OutboundCall> calls = new HashMap<>();
    private final Queue<OutboundCall> queue = new ArrayDeque<>();
    private final CallMessage callMessage;
    private final AnswerDecoder decoder;
    private final Refusals refusals;
    private int outstanding;
    private int granted = 1;

    Requester(Endpoint endpoint, Link link, EndpointOptions options) {
        this.endpoint = endpoint;
        this.link = link;
        this.options = options;
        callMessage = new CallMessage(endpoint, link, options);
        decoder = new AnswerDecoder(endpoint.counters());
        refusals = new Refusals(endpoint, options);
    }

    /** Whether a call of this side waits for an answer. */
    boolean isOutstanding(int xid) {
        OutboundCall call = calls.get(xid);
        return call != null && call.state != OutboundCall.State.QUEUED;
    }

    void call(OutboundCall call) {
        if (calls.putIfAbsent(call.xid, call) != null) {
            endpoint.later(() -> call.listener.failed(new CallFailedException(Reason.LOCAL,
                    "a call with XID 0x" + Integer.toHexString(call.xid) + " is outstanding already: use another XID")));
            return;
        }
        queue.add(call);
        pump();
    }

    /** Sends as many calls as the credits allow. */
    void pump() {
        while (!queue.isEmpty() && outstanding < Math.min(granted, Math.max(options.creditsAsked(), 1))) {
            OutboundCall call = queue.remove();
            endpoint.attempt(() -> transmit(call), cause -> notMade(call, cause));
        }
    }

    /** Its memory may be at fault, or what it holds: then the call alone fails. */
    private void notMade(OutboundCall call, Throwable cause) {
        switch (cause) {
            case CallFailedException failure -> fail(call, failure);
            case RuntimeException failure ->
                fail(call, new CallFailedException(Reason.LOCAL, "the call cannot be made: " + failure.getMessage()));
            default -> link.fail(cause);
        }
    }

    private void fail(OutboundCall call, Throwable cause) {
        finish(call, false, 0, () -> call.listener.failed(cause));
    }

    /** The caller hears of the end of a call. Only then is the call forgotten: whatever this throws, the caller hears of the connection's end. */
    private void finish(OutboundCall call, boolean invalidated, int handle, Endpoint.Attempt then) {
        close(call, invalidated, handle, then);
        calls.remove(call.xid);
    }

    private void transmit(OutboundCall call) throws CallFailedException {
        Link.Memory send = link.takeSend();
        if (send == null) {
            link.fail("no memory is left to send a call in: too many messages are under way");
            return;
        }
        boolean posted = false;
        try {
            int length = callMessage.compose(call, send.segment());
            link.send(send, length, success -> {
                if (success) {
                    endpoint.step(() -> sent(call, length));
                }
            });
            posted = true;
            call.state = OutboundCall.State.OUTSTANDING;
            outstanding++;
        } finally {
            if (!posted) {
                send.release();
            }
        }
        endpoint.counters().callsSent.increment();
    }

    /** A completion may come after the answer, and a call may be sent twice: its caller hears of the first alone. */
    private void sent(OutboundCall call, int length) {
        if (call.state == OutboundCall.State.OUTSTANDING && !call.sentOnce && calls.get(call.xid) == call) {
            call.sentOnce = true;
            endpoint.later(() -> call.listener.sent(length));
        }
    }

    /** The caller is no longer interested: its memory is closed to the peer, which may answer yet. */
    void cancel(int xid, Exception cause, Endpoint.Attempt unknown) {
        OutboundCall call = calls.get(xid);
        if (call == null || call.state == OutboundCall.State.ABANDONED) {
            // Its answer came meanwhile, and its memory is closed to the peer already.
            endpoint.later(unknown);
            return;
        }
        if (call.state == OutboundCall.State.QUEUED) {
            queue.remove(call);
            fail(call, cause);
            return;
        }
        close(call, false, 0, () -> call.listener.failed(cause));
        // The credit is free once the peer answers, not before.
        call.state = OutboundCall.State.ABANDONED;
    }

    /** A message of procedure MSG or NOMSG that is an answer. */
    void onReply(HeaderReader header, MemorySegment message, boolean invalidated, int handle) {
        OutboundCall call = calls.get(header.xid());
        if (call == null || call.state == OutboundCall.State.QUEUED || header.version() != endpoint.version()) {
            endpoint.counters().discarded.increment();
            return;
        }
        answered(header);
        endpoint.counters().repliesReceived.increment();
        endpoint.counters().bytesPlacedOut.add(call.bytesToRead);
        if (call.state == OutboundCall.State.ABANDONED) {
            calls.remove(call.xid);
        } else {
            finish(call, invalidated, handle, answer(call, header, message));
        }
        pump();
    }

    private Endpoint.Attempt answer(OutboundCall call, HeaderReader header, MemorySegment message) {
        try {
            MessageXdr reply = decoder.decode(call, header, message);
            return () -> endpoint.attempt(() -> call.listener.answered(reply), call.listener::failed);
        } catch (CallFailedException e) {
            return () -> call.listener.failed(e);
        }
    }

    private void answered(HeaderReader header) {
        outstanding--;
        // A grant of 0 is forbidden, since nothing could be sent any more (RFC 8166, 3.3.1).
        granted = header.credits() <= 0 ? 1 : header.credits();
        endpoint.confirmed();
    }

    /** A message of procedure ERROR. */
    void onError(HeaderReader header) {
        OutboundCall call = calls.get(header.xid());
        if (call == null || call.state == OutboundCall.State.QUEUED) {
            if (!endpoint.isPropertyError(header.xid())) {
                endpoint.counters().discarded.increment();
            }
            return;
        }
        endpoint.counters().errorsReceived.increment();
        outstanding--;
        if (call.state == OutboundCall.State.ABANDONED) {
            calls.remove(call.xid);
            pump();
            return;
        }
        if (refusals.adapt(call, header)) {
            sendAgain(call);
            return;
        }
        if (header.error() != ErrorCode.VERSION) {
            granted = header.credits() <= 0 ? 1 : header.credits();
            endpoint.confirmed();
        }
        fail(call, refusals.describe(header));
        pump();
    }

    /** Sends a call again, once its memory is closed to the peer. */
    private void sendAgain(OutboundCall call) {
        call.state = OutboundCall.State.QUEUED;
        close(call, false, 0, () -> endpoint.step(() -> {
            if (calls.get(call.xid) == call) {
                queue.add(call);
                pump();
            }
        }));
    }

    /** Closes the call's memory to the peer, and gives buffers back; then it goes on with the next step. */
    private void close(OutboundCall call, boolean invalidated, int handle, Endpoint.Attempt then) {
        List<Link.Exposure> exposures = List.copyOf(call.exposures);
        List<Link.Memory> buffers = List.copyOf(call.buffers);
        Endpoint.Attempt closed = buffers.isEmpty() ? then : () -> {
            try {
                buffers.forEach(Link.Memory::release);
            } finally {
                then.run();
            }
        };
        if (exposures.isEmpty()) {
            endpoint.later(closed);
        } else {
            if (invalidated && exposures.stream().anyMatch(exposure -> exposure.handle() == handle)) {
                endpoint.counters().invalidatedByPeer.increment();
            }
            link.revoke(exposures, invalidated, handle, success -> endpoint.attempt(closed));
        }
        call.exposures.clear();
        call.bytesToRead = 0;
        call.buffers.clear();
        call.replyBuffer = null;
        call.replyChunk = null;
    }

    /** The connection ended: nothing of this side is open to the peer any more. */
    void onEnd(String reason) {
        queue.clear();
        for (OutboundCall call : List.copyOf(calls.values())) {
            if (call.state != OutboundCall.State.ABANDONED) {
                fail(call, new EOFException(reason));
            }
        }
        calls.clear();
    }
}
