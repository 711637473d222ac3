package org.panamaverbs.rpcrdma.endpoint;

import java.io.EOFException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.wire.ErrorCode;
import org.panamaverbs.rpcrdma.wire.HeaderReader;
import org.panamaverbs.rpcrdma.wire.HeaderWriter;
import org.panamaverbs.rpcrdma.wire.PropertyMessage;
import org.panamaverbs.rpcrdma.wire.Wire;

/**
 * One end of a connection. A link calls {@link #onReceive} for each message, in their order, and {@link #onEnd} once; threads of the program
 * call {@link #call}, {@link #cancel} and {@link #reply}. One lock orders them all; listeners and the dispatcher are called without it.
 *
 * <p>Each step may throw anything, for want of memory or by a defect, and so may a listener: {@link #attempt} is the one wall. Such a step
 * fails the call of this side that it makes, or else ends the connection, and all that the connection holds comes back at its end.
 *
 * <p>The version: a client proposes its highest by its first call, and takes a lower one if the server says so (draft, 8). A server answers
 * each call in the call's version.
 */
public final class Endpoint {
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    /** The threshold of a peer that has not said otherwise (RFC 8166, 3.3.3), also for the first message of version 2 (draft, 8). */
    private static final int INLINE_1 = 1024;
    private static final int INLINE_2 = 4096;

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Attempt> deferred = new ConcurrentLinkedQueue<>();
    private final Consumer<Throwable> failing;
    private final HeaderReader header = new HeaderReader();
    private final Counters counters = new Counters();
    private final Link link;
    private final EndpointOptions options;
    private final Requester requester;
    private final Responder responder;
    private final PropertyExchange properties;
    private int version;
    private boolean confirmed;

    public Endpoint(Link link, EndpointOptions options, Dispatcher dispatcher, Seat seat) {
        this.link = link;
        this.options = options;
        failing = link::fail;
        version = options.highestVersion();
        requester = new Requester(this, link, options);
        responder = new Responder(this, link, options, dispatcher, seat);
        properties = new PropertyExchange(this, link, options);
    }

    public Counters counters() {
        return counters;
    }

    /** The version of this side's next call. */
    public int version() {
        return version;
    }

    /** The version that both sides speak, or 0 before the peer's first message. */
    public int confirmedVersion() {
        return confirmed ? version : 0;
    }

    /** The longest message that the peer takes. */
    int sendThreshold() {
        return Math.min(Math.min(options.sendSize(), link.sendCapacity()), peerReceiveSize());
    }

    private int peerReceiveSize() {
        if (version == Wire.VERSION_2) {
            // The first message of version 2 may reach a server that knows version 1 alone (draft, 8).
            return confirmed ? properties.peerReceiveSize(link.peer()) : INLINE_1;
        }
        return link.peer() == null ? INLINE_1 : link.peer().receiveSize();
    }

    /** The longest message that the peer sends. */
    int receiveThreshold() {
        int peerSends = link.peer() == null ? INLINE_1 : link.peer().sendSize();
        if (version == Wire.VERSION_2) {
            // A peer that does not speak of properties may not heed ours, and sends messages of the usual size (draft, 6.3.1).
            int usual = !confirmed ? INLINE_1 : properties.peerAnnounced() ? Integer.MAX_VALUE : INLINE_2;
            peerSends = link.peer() == null ? usual : Math.min(usual, peerSends);
        }
        return Math.min(link.receiveCapacity(), peerSends);
    }

    /** The peer answered in the version that was proposed. */
    void confirmed() {
        if (!confirmed) {
            confirmed = true;
            if (version == Wire.VERSION_2) {
                properties.announce();
            }
        }
    }

    /** A server takes the version of the peer's calls for its own. */
    void adopt(int called) {
        if (!options.client() && (!confirmed || version != called)) {
            version = called;
            confirmed = false;
            confirmed();
        }
    }

    /** Takes a version of the peer's range instead of the one that it refused; {@code false} if there is none. */
    boolean fallBack(long lowest, long highest) {
        int best = (int) Math.min(highest, version - 1L);
        if (confirmed || !options.client() || best < lowest || best < options.lowestVersion()) {
            return false;
        }
        version = best;
        return true;
    }

    /** What may throw anything. */
    interface Attempt {
        void run() throws CallFailedException;
    }

    /** The wall: runs something, and passes what it throws to {@code failed}. */
    void attempt(Attempt action, Consumer<Throwable> failed) {
        try {
            action.run();
        } catch (CallFailedException | RuntimeException | Error e) {
            failed.accept(e);
        }
    }

    /** As the other, for what ends the connection if it fails. */
    void attempt(Attempt action) {
        attempt(action, failing);
    }

    /** Runs a step under the lock, and then without it the work that the step left for later, even if it fails. */
    void step(Attempt step) {
        lock.lock();
        try {
            attempt(step);
        } finally {
            lock.unlock();
        }
        drain();
    }

    void later(Attempt action) {
        deferred.add(action);
    }

    private void drain() {
        if (lock.isHeldByCurrentThread()) {
            return;
        }
        for (Attempt action = deferred.poll(); action != null; action = deferred.poll()) {
            // One caller's mistake keeps no other from hearing of its call.
            attempt(action);
        }
    }

    /** Makes a call; its listener hears the rest. */
    public void call(OutboundCall call) {
        step(() -> {
            String reason = link.endReason();
            if (reason != null) {
                later(() -> call.listener.failed(new EOFException(reason)));
            } else if (!options.client() && properties.peerTakesNoCalls()) {
                later(() -> call.listener.failed(new EOFException("the peer takes no calls in the backward direction")));
            } else {
                requester.call(call);
            }
        });
    }

    /**
     * Ends a call that nobody waits for any more. Its listener hears {@code cause} when its memory is closed to the peer.
     *
     * @param unknown run instead if the call is not outstanding
     */
    public void cancel(int xid, Exception cause, Runnable unknown) {
        step(() -> requester.cancel(xid, cause, unknown::run));
    }

    /**
     * Answers a call.
     *
     * @param message the stream that the call came in, with the reply encoded
     * @param done    told when the reply was sent, and its memory is free again
     */
    public void reply(Xdr message, Link.Done done) {
        step(() -> {
            if (!(message instanceof MessageXdr reply) || !(reply.context() instanceof InboundCall call)) {
                later(() -> done.done(false));
                return;
            }
            responder.reply(call, reply, done);
        });
    }

    /** The program will not answer a call: its memory is given back. Nothing happens to a call that was answered. */
    public void drop(Xdr message) {
        step(() -> {
            if (message instanceof MessageXdr call && call.context() instanceof InboundCall dropped) {
                responder.drop(dropped);
            }
        });
    }

    /** There may be memory again for calls that wait for it. */
    public void onMemory() {
        step(responder::onMemory);
    }

    /** Asks the peer to change the size of its receives (draft, 6.3.2); version 2 alone. */
    public void requestReceiveSize(int bytes) {
        properties.checkRequest(bytes);
        step(() -> properties.request(bytes));
    }

    /**
     * A message came. Its memory is the link's again when this returns.
     *
     * @param invalidated whether the peer invalidated a handle with it
     */
    public void onReceive(MemorySegment message, long length, boolean invalidated, int handle) {
        step(() -> {
            if (isOpen()) {
                receive(message, length, invalidated, handle);
            }
        });
    }

    private void receive(MemorySegment message, long length, boolean invalidated, int handle) {
        switch (header.parse(message, 0, length, options.lowestVersion(), options.highestVersion())) {
            case DISCARD -> counters.discarded.increment();
            case BAD_VERSION -> refuse(length, ErrorCode.VERSION, options.lowestVersion(), options.highestVersion());
            case BAD_PROCEDURE -> refuse(length, ErrorCode.INVALID_PROCEDURE, 0, 0);
            case BAD_XDR -> refuse(length, ErrorCode.BAD_XDR, 0, 0);
            case SOUND -> sound(message, length, invalidated, handle);
        }
    }

    /** Answers a header that cannot be taken for a call's, if it may be one. */
    private void refuse(long length, ErrorCode code, int first, int second) {
        // Below 28 bytes "the receiver cannot trust the value of the XID field" (RFC 8166, 4.5). An answer is never answered.
        boolean shortest = length < Wire.SHORTEST_MESSAGE;
        if (shortest || header.procedure() == Wire.ERROR || options.creditsGranted() == 0 || isReply(code)) {
            counters.discarded.increment();
            return;
        }
        responder.refuse(header.xid(), header.version(), code, first, second);
    }

    /** "If errors are detected in the RPC-over-RDMA header of an RPC Reply message, a Requester MUST silently discard" it (8166, 4.5). */
    private boolean isReply(ErrorCode code) {
        boolean message = header.procedure() == Wire.MSG || header.procedure() == Wire.NOMSG;
        if (message && header.version() == Wire.VERSION_2 && code != ErrorCode.VERSION) {
            return header.chunks().direction() == Wire.REPLY;
        }
        // No field tells the direction, but the XID may be one of ours.
        return requester.isOutstanding(header.xid()) || header.procedure() == Wire.RESPROP;
    }

    private void sound(MemorySegment message, long length, boolean invalidated, int handle) {
        switch (header.procedure()) {
            case Wire.MSG, Wire.NOMSG -> {
                int direction = direction(length);
                if (direction == Wire.REPLY) {
                    requester.onReply(header, message, invalidated, handle);
                } else if (direction == Wire.CALL) {
                    adopt(header.version());
                    responder.onCall(header, message);
                }
            }
            case Wire.ERROR -> requester.onError(header);
            case Wire.MSGP -> refuse(length, ErrorCode.BAD_XDR, 0, 0);
            case Wire.OPTIONAL -> {
                if (header.optionDirection() == Wire.CALL) {
                    adopt(header.version());
                    refuse(Math.max(length, Wire.SHORTEST_MESSAGE), ErrorCode.INVALID_OPTION, 0, 0);
                } else {
                    counters.discarded.increment();
                }
            }
            case Wire.CONNPROP, Wire.REQPROP, Wire.RESPROP, Wire.UPDPROP -> {
                adopt(header.version());
                properties.onMessage(header);
            }
            // DONE: "Receivers MUST silently discard" (RFC 8166, 4.6.2).
            default -> counters.discarded.increment();
        }
    }

    /** Whether a message is a call or a reply; -1 if it was refused or dropped. */
    private int direction(long length) {
        int type = header.procedure() == Wire.MSG ? header.payloadType() : -1;
        if (header.version() == Wire.VERSION_2) {
            int direction = header.chunks().direction();
            if (header.procedure() == Wire.MSG && type != direction) {
                if (direction == Wire.CALL) {
                    refuse(length, ErrorCode.BAD_XDR, 0, 0);
                } else {
                    counters.discarded.increment();
                }
                return -1;
            }
            return direction;
        }
        if (header.procedure() == Wire.NOMSG) {
            // A reply has no Read list (RFC 8166, 4.3.1), and a call without payload needs one: without it only the XID can tell.
            boolean reply = options.client() || requester.isOutstanding(header.xid());
            return header.chunks().reads().count() == 0 && reply ? Wire.REPLY : Wire.CALL;
        }
        if (type != Wire.CALL && type != Wire.REPLY) {
            refuse(length, ErrorCode.BAD_XDR, 0, 0);
            return -1;
        }
        return type;
    }

    /** Sends a message that is a header alone. */
    void sendHeader(java.util.function.ToLongFunction<MemorySegment> write, String what) {
        Link.Memory send = link.takeSend();
        if (send == null) {
            link.fail("no memory is left to send " + what + " in: the peer takes no messages");
            return;
        }
        link.send(send, write.applyAsLong(send.segment()), success -> {
            // If it was not sent, the connection ends, which says all.
        });
    }

    /** Whether calls of this side may have no chunks: those of a server, if the client did not say that it takes more. */
    boolean isInlineOnly() {
        return !options.client() && properties.peerTakesInlineCallsAlone();
    }

    /** An error may answer a request for properties (draft, 6.3). */
    boolean isPropertyError(int xid) {
        return properties.onError(xid);
    }

    void sendProperties(PropertyMessage message, int xid, int procedure) {
        sendHeader(into -> message.encode(into, 0, xid, credits(), procedure), "properties");
    }

    void sendError(int xid, int inVersion, ErrorCode code, int first, int second) {
        counters.errorsSent.increment();
        sendHeader(into -> HeaderWriter.error(into, 0, xid, inVersion, options.creditsGranted(), code, first, second), "an error");
    }

    private int credits() {
        return options.client() ? options.creditsAsked() : options.creditsGranted();
    }

    /** The link has ended; called once. */
    public void onEnd(String reason) {
        step(() -> {
            requester.onEnd(reason);
            responder.onEnd();
        });
    }

    public boolean isOpen() {
        return link.endReason() == null;
    }
}
