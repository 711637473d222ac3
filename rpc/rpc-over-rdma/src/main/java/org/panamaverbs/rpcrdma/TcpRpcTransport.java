package org.panamaverbs.rpcrdma;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.CompletionHandler;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcAuthException;
import org.dcache.oncrpc4j.rpc.RpcMessageType;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.cm.Route;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.gate.Seat;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.rpcrdma.tcp.RecordMemory;
import org.panamaverbs.rpcrdma.tcp.RecordStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One TCP connection of a service. A call is under way from its receipt until its reply is sent; as long as there are as many as the limits
 * allow, nothing more is read, so a client that takes no replies makes only its own calls wait.
 */
// Tested by TcpRpcServiceTest, ServiceLimitsTest.
final class TcpRpcTransport implements RpcTransport, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TcpRpcTransport.class);
    private static final int MESSAGE_TYPE = 4;
    /** What a call takes beside its bytes: a thread, and the start of a reply. */
    private static final long CALL = 4096;
    /** For a reply that fails by what the program's thread meets beside. It is there before memory can be lacking. */
    private static final IOException NOT_SENT = new IOException("the reply was not sent: sending it failed on this side");

    private final SocketChannel socket;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private final Seat seat;
    private final RecordStream stream;
    private final Semaphore places;
    private final ReplyQueue replies = new ReplyQueue();

    TcpRpcTransport(SocketChannel socket, Seat seat, RecordMemory memory, int calls, int longest) throws IOException {
        this.socket = socket;
        this.seat = seat;
        local = (InetSocketAddress) socket.getLocalAddress();
        remote = (InetSocketAddress) socket.getRemoteAddress();
        places = new Semaphore(calls);
        stream = new RecordStream(socket, seat, memory, longest);
        seat.attach(reason -> close(), stream::wake);
    }

    /** A call until it is over: it was answered, or never will be. */
    private final class Call {
        private final RecordStream.Received record;
        private final AtomicBoolean answered = new AtomicBoolean();
        private long reply;

        private Call(RecordStream.Received record) {
            this.record = record;
        }

        private void over() {
            record.release();
            seat.giveBack(CALL + reply);
            seat.answered();
            places.release();
        }
    }

    /** Reads calls until the connection ends. */
    void serve(Dispatcher dispatcher) {
        try {
            while (true) {
                places.acquire();
                RecordStream.Received record = stream.read();
                if (record == null) {
                    return;
                }
                seat.called();
                seat.take(CALL);
                dispatch(dispatcher, new Call(record));
            }
        } catch (IOException e) {
            LOG.debug("the connection to {} ends: {}", Route.text(remote), e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
            stream.end();
        }
    }

    private void dispatch(Dispatcher dispatcher, Call call) throws IOException {
        MemorySegment bytes = call.record.bytes();
        if (bytes.byteSize() < 2 * Integer.BYTES || word(bytes, MESSAGE_TYPE) != RpcMessageType.CALL) {
            call.over();
            throw new IOException("the peer sent a record that is no call");
        }
        MessageXdr message = MessageXdr.received(bytes);
        message.attach(call);
        dispatcher.onCall(word(bytes, 0), message);
    }

    private static int word(MemorySegment bytes, long offset) {
        return bytes.get(java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), offset);
    }

    /** A call cannot be answered: the connection ends. */
    void end(Xdr message) {
        try {
            if (message instanceof MessageXdr received && received.context() instanceof Call call
                    && call.answered.compareAndSet(false, true)) {
                call.over();
            }
        } finally {
            close();
        }
    }

    /** Sends a reply, in the calling thread. */
    @Override
    public <A> void send(Xdr message, A attachment, CompletionHandler<Integer, ? super A> handler) {
        if (!(message instanceof MessageXdr reply) || !(reply.context() instanceof Call call)
                || !call.answered.compareAndSet(false, true)) {
            handler.failed(new EOFException("only a call can be answered, and once"), attachment);
            return;
        }
        long length = 0;
        IOException failure = NOT_SENT;
        try {
            length = reply.streamLength();
            seat.take(length);
            call.reply = length;
            stream.write(reply);
            failure = null;
        } catch (IOException e) {
            failure = e;
        } finally {
            if (failure != null) {
                // The client would wait for its reply for ever.
                close();
            }
            call.over();
            if (failure != null) {
                handler.failed(failure, attachment);
            }
        }
        if (failure == null) {
            handler.completed((int) length, attachment);
        }
    }

    @Override
    public ReplyQueue getReplyQueue() {
        return replies;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public InetSocketAddress getLocalSocketAddress() {
        return local;
    }

    @Override
    public InetSocketAddress getRemoteSocketAddress() {
        return remote;
    }

    /** The same connection; it takes no calls in the other direction. */
    @Override
    public RpcTransport getPeerTransport() {
        return this;
    }

    @Override
    public void startTLS() throws RpcAuthException {
        throw new UnsupportedOperationException("this service has no TLS: use a private network");
    }

    @Override
    public boolean isTLS() {
        return false;
    }

    /** Ends the connection. Replies that wait are not sent. */
    @Override
    public void close() {
        seat.leave();
        try {
            socket.close();
        } catch (IOException e) {
            LOG.debug("closing the connection to {}: {}", Route.text(remote), e.getMessage());
        }
        stream.wake();
        replies.shutdown();
    }

    @Override
    public String toString() {
        return Route.text(remote) + " <=> " + Route.text(local) + " (TCP)";
    }
}
