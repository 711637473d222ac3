package org.panamaverbs.rpcrdma;

import java.io.EOFException;
import java.net.SocketAddress;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.ReplyQueue;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;

/** The calls of one connection that wait for answers. Its thread for time-outs ends with the connection; later calls are refused. */
final class ConnectionReplies extends ReplyQueue {
    private volatile boolean ended;

    @Override
    public void registerKey(int xid, SocketAddress address, CompletionHandler<RpcReply, RpcTransport> callback, long timeout, TimeUnit unit)
            throws EOFException {
        if (ended) {
            throw new EOFException("the connection has ended");
        }
        try {
            super.registerKey(xid, address, callback, timeout, unit);
        } catch (RejectedExecutionException e) {
            throw new EOFException("the connection has ended");
        }
    }

    void end() {
        ended = true;
        shutdown();
    }
}
