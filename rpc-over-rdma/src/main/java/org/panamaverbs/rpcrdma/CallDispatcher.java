package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.dcache.oncrpc4j.rpc.OncRpcException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcException;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings calls to the programs of oncrpc4j, and answers those that no program takes, as oncrpc4j's own service does. */
final class CallDispatcher implements Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(CallDispatcher.class);
    private final RdmaRpcTransport transport;
    private final Map<OncRpcProgram, RpcDispatchable> programs;
    private final Executor executor;

    CallDispatcher(RdmaRpcTransport transport, Map<OncRpcProgram, RpcDispatchable> programs, Executor executor) {
        this.transport = transport;
        this.programs = programs;
        this.executor = executor;
    }

    @Override
    public void onCall(int xid, MessageXdr message) {
        try {
            executor.execute(() -> dispatch(xid, message));
        } catch (RejectedExecutionException e) {
            new RpcCall(xid, message, transport).failRpcSystem();
        }
    }

    private void dispatch(int xid, MessageXdr message) {
        message.beginDecoding();
        RpcCall call = new RpcCall(xid, message, transport);
        try {
            message.xdrDecodeInt();
            message.xdrDecodeInt();
            call.accept();
        } catch (RpcException e) {
            call.reject(e.getStatus(), e.getRpcReply());
            return;
        } catch (IOException | RuntimeException e) {
            LOG.debug("a call of {} has no sound RPC header: {}", transport, e.getMessage());
            transport.endpoint().drop(message);
            // Without a credential there is no verifier to answer with; the peer sees the connection end.
            transport.close();
            return;
        }
        RpcDispatchable program = programs.get(new OncRpcProgram(call.getProgram(), call.getProgramVersion()));
        if (program == null) {
            unavailable(call);
            return;
        }
        try {
            program.dispatchOncRpcCall(call);
        } catch (RpcException e) {
            call.reject(e.getStatus(), e.getRpcReply());
        } catch (OncRpcException e) {
            LOG.debug("{} from {}: {}", call, transport, e.getMessage());
            call.failRpcGarbage();
        } catch (IOException e) {
            LOG.debug("{} from {}: {}", call, transport, e.getMessage());
            call.failRpcGarbage();
        } catch (RuntimeException e) {
            LOG.error("{} from {} failed", call, transport, e);
            call.failRpcSystem();
        }
    }

    /** RFC 5531, 9: the program is there in other versions, or not at all. */
    private void unavailable(RpcCall call) {
        int least = Integer.MAX_VALUE;
        int most = Integer.MIN_VALUE;
        for (OncRpcProgram known : programs.keySet()) {
            if (known.getNumber() == call.getProgram()) {
                least = Math.min(least, known.getVersion());
                most = Math.max(most, known.getVersion());
            }
        }
        if (least > most) {
            call.failProgramUnavailable();
        } else {
            call.failProgramMismatch(least, most);
        }
    }
}
