package org.panamaverbs.rpcrdma;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.CompletionHandler;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcRejectedException;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcAccepsStatus;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.CallFailedException;
import org.panamaverbs.rpcrdma.endpoint.Counters;
import org.panamaverbs.rpcrdma.endpoint.Endpoint;
import org.panamaverbs.rpcrdma.endpoint.OutboundCall;
import org.panamaverbs.rpcrdma.link.KeptRegistrations;
import org.panamaverbs.rpcrdma.link.VerbsLink;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * One connection of RPC-over-RDMA, as a transport of oncrpc4j: calls of {@link org.dcache.oncrpc4j.rpc.RpcCall} and {@link PlacedCall} go
 * over it, in both directions at once. Answers are decoded, and futures completed, by the connection's own thread, or by a thread that waits
 * in {@link PlacedCall#call}: its continuations must not wait.
 */
// Tested by RoundTripTest, PlacedResultTest.
public final class RdmaRpcTransport implements RpcTransport, AutoCloseable {
    private static final int MESSAGE_TYPE = 4;
    private final ReplyQueue replies;
    private final KeptRegistrations kept;
    private final int usualReply;
    private volatile VerbsLink link;

    RdmaRpcTransport(ReplyQueue replies, KeptRegistrations kept, int usualReply) {
        this.replies = replies;
        this.kept = kept;
        this.usualReply = usualReply;
    }

    void attach(VerbsLink connected) {
        link = connected;
    }

    /** A call cannot be answered: the connection ends. */
    void end(Xdr call) {
        try {
            endpoint().drop(call);
        } finally {
            close();
        }
    }

    Endpoint endpoint() {
        return link.endpoint();
    }

    /**
     * The version of RPC-over-RDMA that both sides speak.
     *
     * @return 1, 2, or 0 before the first answer
     */
    public int version() {
        return endpoint().confirmedVersion();
    }

    /**
     * The traffic of the connection so far.
     *
     * @return a snapshot
     */
    public RdmaRpcStatistics statistics() {
        Counters counters = endpoint().counters();
        return new RdmaRpcStatistics(counters.callsSent.sum(), counters.callsReceived.sum(), counters.repliesSent.sum(),
                counters.repliesReceived.sum(), counters.bytesPlacedOut.sum(), counters.bytesPlacedIn.sum(), counters.bytesCopied.sum(),
                counters.errorsSent.sum(), counters.errorsReceived.sum(), counters.discarded.sum(), counters.exposures.sum(),
                counters.invalidatedByPeer.sum());
    }

    /**
     * Keeps memory registered between calls, for replies of this side that come out of it. Without, each reply registers its memory. Each call
     * opens the memory that its peer may touch in any case.
     *
     * @param memory native memory; its arena can be closed after {@link #release}
     */
    public void keepRegistered(MemorySegment memory) {
        kept.keep(memory);
    }

    /**
     * Ends the effect of {@link #keepRegistered}. A reply that is being sent out of the memory keeps it registered until it is sent, and until
     * then its arena cannot be closed; the listener of {@link org.dcache.oncrpc4j.rpc.RpcCall#registerSendOnceListener} hears of that.
     *
     * @param memory the same segment
     */
    public void release(MemorySegment memory) {
        kept.release(memory);
    }

    /**
     * Asks the peer of version 2 to receive messages of another size (RDMA2_REQPROP). It need not comply.
     *
     * @param bytes the size of its receives
     * @throws IllegalStateException in version 1, or before the first answer
     */
    public void requestReceiveSize(int bytes) {
        endpoint().requestReceiveSize(bytes);
    }

    @Override
    public <A> void send(Xdr message, A attachment, CompletionHandler<Integer, ? super A> handler) {
        if (message.asBuffer().remaining() < 2 * Integer.BYTES) {
            throw new IllegalArgumentException("an RPC message has an XID and a type, 8 bytes or more");
        }
        int at = message.asBuffer().position();
        if (message.asBuffer().getInt(at + MESSAGE_TYPE) == RpcMessageType.CALL) {
            call(message, message.asBuffer().getInt(at), Placement.none(), attachment, handler);
            expectAnswers();
            return;
        }
        int length = message.asBuffer().remaining();
        endpoint().reply(message, success -> {
            if (success) {
                handler.completed(length, attachment);
            } else {
                handler.failed(new EOFException("the reply was not sent: the connection ended, or the call had no room for it"),
                        attachment);
            }
        });
    }

    <A> void call(Xdr message, int xid, Placement placement, A attachment, CompletionHandler<Integer, ? super A> handler) {
        endpoint().call(new OutboundCall(xid, message, placement.results(),
                placement.replyAtMost() == Placement.UNKNOWN ? usualReply : placement.replyAtMost(), placement.isRepeatable(),
                new Answers<>(xid, attachment, handler)));
    }

    /** Waits for an answer, and may take completions meanwhile. */
    <T> T await(CompletableFuture<T> answer, long nanos) throws InterruptedException, ExecutionException, TimeoutException {
        long start = System.nanoTime();
        try {
            link.await(answer::isDone, nanos);
            return answer.get(Math.max(0, nanos - (System.nanoTime() - start)), TimeUnit.NANOSECONDS);
        } finally {
            if (!replies.getPendingRequests().isEmpty()) {
                expectAnswers();
            }
        }
    }

    /** Calls were made for whose answers no thread calls {@link #await}. */
    void expectAnswers() {
        link.expectAnswers();
    }

    /** Ends a call: when its handler fails with the cause, its memory is closed to the peer. */
    void cancel(int xid, Exception cause, Runnable unknown) {
        endpoint().cancel(xid, cause, unknown);
    }

    /** Brings answers to the handlers that oncrpc4j keeps. */
    private final class Answers<A> implements OutboundCall.Listener {
        private final int xid;
        private final A attachment;
        private final CompletionHandler<Integer, ? super A> handler;
        /** The caller's, once the answer is there. */
        private CompletionHandler<RpcReply, RpcTransport> waiting;

        Answers(int xid, A attachment, CompletionHandler<Integer, ? super A> handler) {
            this.xid = xid;
            this.attachment = attachment;
            this.handler = Objects.requireNonNull(handler);
        }

        @Override
        public void sent(int bytes) {
            handler.completed(bytes, attachment);
        }

        @Override
        public void answered(MessageXdr message) {
            waiting = replies.get(xid);
            if (waiting == null) {
                return;
            }
            try {
                message.beginDecoding();
                message.xdrDecodeInt();
                message.xdrDecodeInt();
                RpcReply reply = new RpcReply(xid, message, RdmaRpcTransport.this);
                if (!reply.isAccepted()) {
                    waiting.failed(new OncRpcRejectedException(reply.getRejectStatus()), RdmaRpcTransport.this);
                } else if (reply.getAcceptStatus() != RpcAccepsStatus.SUCCESS) {
                    waiting.failed(new OncRpcAcceptedException(reply.getAcceptStatus()), RdmaRpcTransport.this);
                } else {
                    waiting.completed(reply, RdmaRpcTransport.this);
                }
            } catch (IOException e) {
                waiting.failed(e, RdmaRpcTransport.this);
            }
        }

        @Override
        public void failed(Throwable cause) {
            if (waiting != null) {
                // It cannot take the answer, or nobody can decode it.
                waiting.failed(cause, RdmaRpcTransport.this);
                return;
            }
            handler.failed(cause instanceof CallFailedException failed ? RdmaRpcException.of(failed) : cause, attachment);
        }
    }

    @Override
    public ReplyQueue getReplyQueue() {
        return replies;
    }

    @Override
    public boolean isOpen() {
        return endpoint().isOpen();
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return link.localAddress();
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return link.remoteAddress();
    }

    /**
     * The same connection: calls go in both directions (RFC 8167).
     *
     * @return this
     */
    @Override
    public RpcTransport getPeerTransport() {
        return this;
    }

    /**
     * Refused: RPC with TLS is defined for TCP alone.
     *
     * @throws RpcAuthException never
     */
    @Override
    public void startTLS() throws RpcAuthException {
        throw new UnsupportedOperationException("RPC-over-RDMA has no TLS: use RPCSEC_GSS, or a private network");
    }

    @Override
    public boolean isTLS() {
        return false;
    }

    /** Ends the connection; calls under way fail. */
    @Override
    public void close() {
        link.close();
    }

    @Override
    public String toString() {
        return Route.text(getRemoteSocketAddress()) + " <=> " + Route.text(getLocalSocketAddress()) + " (RDMA)";
    }
}
