package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.CompletionHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.rpc.RpcAuth;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * Calls whose arguments and results are placed directly, beside oncrpc4j's {@link org.dcache.oncrpc4j.rpc.RpcCall}. Over a transport that
 * is not of RDMA, a call is an ordinary one. One object serves any number of calls of any threads.
 */
// Tested by RoundTripTest, PlacedResultTest.
public final class PlacedCall {
    private static final int RPC_VERSION = 2;
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
    private final AtomicInteger xids = new AtomicInteger(ThreadLocalRandom.current().nextInt());
    private final int program;
    private final int version;
    private final RpcAuth credential;
    private final RpcTransport transport;

    /**
     * Makes one.
     *
     * @param program    the program's number
     * @param version    the program's version
     * @param credential the caller
     * @param transport  of {@code RdmaRpcClient}, or of oncrpc4j's own client
     */
    public PlacedCall(int program, int version, RpcAuth credential, RpcTransport transport) {
        this.program = program;
        this.version = version;
        this.credential = Objects.requireNonNull(credential);
        this.transport = Objects.requireNonNull(transport);
    }

    /**
     * The transport.
     *
     * @return what was passed
     */
    public RpcTransport transport() {
        return transport;
    }

    /**
     * Calls, and waits for the reply.
     *
     * @param procedure the procedure's number
     * @param arguments encoded into the call
     * @param result    decoded from the reply
     * @param placement memory for results, and the length of the reply
     * @param timeout   the longest wait, more than 0
     * @throws TimeoutException if it took too long. The call's memory is no longer open to the peer
     * @throws IOException      if the call failed
     */
    public void call(int procedure, XdrAble arguments, XdrAble result, Placement placement, Duration timeout)
            throws IOException, TimeoutException {
        try {
            if (transport instanceof RdmaRpcTransport rdma) {
                await(rdma, procedure, arguments, result, placement, nanos(timeout));
            } else {
                callAsync(procedure, arguments, result, placement, timeout).get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted in a call of procedure " + procedure);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case TimeoutException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                default -> throw new IOException(e.getCause());
            }
        }
    }

    /**
     * Calls; the asynchronous twin of {@link #call}. A dependent of the result runs on the thread that takes the replies of all connections of
     * the client. One that waits holds them up: give it an executor ({@code thenApplyAsync}).
     *
     * @param <T>       the type of the result
     * @param procedure the procedure's number
     * @param arguments encoded into the call before this returns
     * @param result    decoded from the reply
     * @param placement memory for results, and the length of the reply
     * @param timeout   the longest time, more than 0
     * @return done when the reply was decoded and the call's memory is no longer open to the peer
     * @throws IOException if the arguments cannot be encoded
     */
    public <T extends XdrAble> CompletableFuture<T> callAsync(int procedure, XdrAble arguments, T result, Placement placement,
            Duration timeout) throws IOException {
        CompletableFuture<T> done = start(xids.incrementAndGet(), procedure, arguments, result, placement, nanos(timeout));
        if (transport instanceof RdmaRpcTransport rdma) {
            rdma.expectAnswers();
        }
        return done;
    }

    /** The caller's own wait is its timer. It ends when the call's memory is closed to the peer, even if the thread was interrupted. */
    private void await(RdmaRpcTransport rdma, int procedure, XdrAble arguments, XdrAble result, Placement placement, long nanos)
            throws IOException, InterruptedException, ExecutionException {
        int xid = xids.incrementAndGet();
        CompletableFuture<?> done = start(xid, procedure, arguments, result, placement, 0);
        boolean interrupted = false;
        try {
            rdma.await(done, nanos);
            return;
        } catch (TimeoutException e) {
            end(rdma, xid, new TimeoutException("procedure " + procedure + " was not answered within " + Duration.ofNanos(nanos)), done);
        } catch (InterruptedException e) {
            interrupted = true;
            end(rdma, xid, new InterruptedIOException("interrupted in a call of procedure " + procedure), done);
        }
        done.handle((answer, failure) -> null).join();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (done.isCompletedExceptionally()) {
            throw new ExecutionException(done.exceptionNow());
        }
    }

    private static void end(RdmaRpcTransport rdma, int xid, Exception cause, CompletableFuture<?> done) {
        if (rdma.getReplyQueue().get(xid) != null) {
            rdma.cancel(xid, cause, () -> done.completeExceptionally(cause));
        }
    }

    /** Calls; with 0 nanoseconds no timer ends the call. */
    private <T extends XdrAble> CompletableFuture<T> start(int xid, int procedure, XdrAble arguments, T result, Placement placement,
            long nanos) throws IOException {
        RdmaRpcTransport placing = transport instanceof RdmaRpcTransport rdma ? rdma : null;
        Xdr xdr = placing == null ? new Xdr(Xdr.INITIAL_XDR_SIZE) : new MessageXdr();
        encode(xdr, xid, procedure, arguments);
        CompletableFuture<T> done = new CompletableFuture<>();
        Answer<T> answer = new Answer<>(xid, result, done, placing);
        transport.getReplyQueue().registerKey(xid, transport.getLocalSocketAddress(), answer, nanos, TimeUnit.NANOSECONDS);
        CompletionHandler<Integer, Object> sending = new Sending(xid, done);
        if (placing == null) {
            transport.send(xdr, null, sending);
        } else {
            placing.call(xdr, xid, placement, null, sending);
        }
        return done;
    }

    private static long nanos(Duration timeout) {
        if (!timeout.isPositive()) {
            throw new IllegalArgumentException("a time-out is more than 0, not " + timeout);
        }
        return timeout.compareTo(LONGEST) > 0 ? Long.MAX_VALUE : timeout.toNanos();
    }

    private void encode(Xdr xdr, int xid, int procedure, XdrAble arguments) throws IOException {
        xdr.beginEncoding();
        xdr.xdrEncodeInt(xid);
        xdr.xdrEncodeInt(RpcMessageType.CALL);
        xdr.xdrEncodeInt(RPC_VERSION);
        xdr.xdrEncodeInt(program);
        xdr.xdrEncodeInt(version);
        xdr.xdrEncodeInt(procedure);
        credential.xdrEncode(xdr);
        arguments.xdrEncode(xdr);
        xdr.endEncoding();
    }

    /** The outcome of sending: a failure is that of the call, and then its memory is closed to the peer. */
    private final class Sending implements CompletionHandler<Integer, Object> {
        private final int xid;
        private final CompletableFuture<?> done;

        Sending(int xid, CompletableFuture<?> done) {
            this.xid = xid;
            this.done = done;
        }

        @Override
        public void completed(Integer sent, Object attachment) {
            // The reply counts.
        }

        @Override
        public void failed(Throwable failure, Object attachment) {
            transport.getReplyQueue().get(xid);
            done.completeExceptionally(failure);
        }
    }

    /** The outcome of the call: the reply, or the end of the caller's time. */
    private record Answer<T extends XdrAble>(int xid, T result, CompletableFuture<T> done,
            RdmaRpcTransport placing) implements CompletionHandler<RpcReply, RpcTransport> {
        @Override
        public void completed(RpcReply reply, RpcTransport transport) {
            // Whatever the program's decoder throws is the outcome.
            done.completeAsync(() -> decode(reply), Runnable::run);
        }

        private T decode(RpcReply reply) {
            try {
                reply.getReplyResult(result);
                return result;
            } catch (IOException e) {
                done.completeExceptionally(e);
                return null;
            }
        }

        /** The time is up, or the reply is a refusal. After a time-out the caller hears of it once its memory is closed to the peer. */
        @Override
        public void failed(Throwable failure, RpcTransport transport) {
            if (placing != null && failure instanceof TimeoutException timeout) {
                placing.cancel(xid, timeout, () -> done.completeExceptionally(timeout));
            } else {
                done.completeExceptionally(failure);
            }
        }
    }
}
