package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.dcache.oncrpc4j.rpc.MismatchInfo;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.rpc.RpcException;
import org.dcache.oncrpc4j.rpc.RpcMismatchReply;
import org.dcache.oncrpc4j.rpc.RpcRejectStatus;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.panamaverbs.rpcrdma.endpoint.Dispatcher;
import org.panamaverbs.rpcrdma.message.MessageXdr;
import org.panamaverbs.spi.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings calls to the programs of oncrpc4j, and answers those that no program takes, as oncrpc4j's own service does. Whatever a program
 * throws, its call is answered, or its connection ends: what the call takes comes back.
 */
final class CallDispatcher implements Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(CallDispatcher.class);
    private static final Complaints.Message FAILED = new Complaints(CallDispatcher.class).message("a call failed: {}");
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** In a call (RFC 5531, 9). */
    private static final long PROGRAM_AT = 12;
    private static final long VERSION_AT = 16;
    /** RFC 5531, 9: the only one. */
    private static final int RPC_VERSION = 2;
    private final RpcTransport transport;
    private final Consumer<Xdr> ending;
    private final Map<OncRpcProgram, RpcDispatchable> programs;
    private final Executor executor;

    /** @param ending ends the connection, because this call cannot be answered */
    CallDispatcher(RpcTransport transport, Consumer<Xdr> ending, Map<OncRpcProgram, RpcDispatchable> programs, Executor executor) {
        this.transport = transport;
        this.ending = ending;
        this.programs = programs;
        this.executor = executor;
    }

    /** What may throw anything. */
    private interface Attempt {
        void run() throws IOException;
    }

    @Override
    public void onCall(int xid, MessageXdr message) {
        // The executor may be shut down, or have no thread.
        attempt(transport, message, () -> executor.execute(() -> dispatch(xid, message)), () -> refuse(xid, message));
    }

    @Override
    public boolean isEligible(MemorySegment call, long position) {
        return call.byteSize() < VERSION_AT + Integer.BYTES
                || !(programs
                        .get(new OncRpcProgram(call.get(INT, PROGRAM_AT), call.get(INT, VERSION_AT))) instanceof UpperLayerBinding binding)
                || binding.isEligible(call, position);
    }

    /**
     * The wall: whatever an attempt throws, the other one follows; if not even that works, the connection ends.
     *
     * @param named in the log
     */
    private void attempt(Object named, MessageXdr call, Attempt action, Attempt otherwise) {
        try {
            action.run();
        } catch (IOException | RuntimeException | Error e) {
            FAILED.error(named, e);
            if (otherwise == null) {
                ending.accept(call);
            } else {
                attempt(named, call, otherwise, null);
            }
        }
    }

    private void dispatch(int xid, MessageXdr message) {
        attempt(transport, message, () -> {
            RpcCall call = accepted(xid, message);
            if (call != null) {
                attempt(call, message, () -> serve(call), call::failRpcSystem);
            }
        }, null);
    }

    /** Answers SYSTEM_ERR. */
    private void refuse(int xid, MessageXdr message) {
        RpcCall call = accepted(xid, message);
        if (call != null) {
            call.failRpcSystem();
        }
    }

    private void serve(RpcCall call) {
        try {
            RpcDispatchable program = programs.get(new OncRpcProgram(call.getProgram(), call.getProgramVersion()));
            if (program == null) {
                unavailable(call);
            } else {
                program.dispatchOncRpcCall(call);
            }
        } catch (RpcException e) {
            call.reject(e.getStatus(), e.getRpcReply());
        } catch (IOException e) {
            LOG.debug("{} from {}: {}", call, transport, e.getMessage());
            call.failRpcGarbage();
        }
    }

    /** Decodes the header of a call; {@code null} if that cannot be served, and everything is done. */
    private RpcCall accepted(int xid, MessageXdr message) {
        try {
            message.beginDecoding();
            RpcCall call = new RpcCall(xid, message, transport);
            message.xdrDecodeInt();
            message.xdrDecodeInt();
            try {
                call.accept();
                return call;
            } catch (RpcMismatchReply e) {
                // oncrpc4j names the caller's version as the lowest.
                call.reject(RpcRejectStatus.RPC_MISMATCH, new MismatchInfo(RPC_VERSION, RPC_VERSION));
                return null;
            } catch (RpcException e) {
                call.reject(e.getStatus(), e.getRpcReply());
                return null;
            }
        } catch (IOException e) {
            LOG.debug("a call of {} has no sound RPC header: {}", transport, e.getMessage());
            // Without a credential there is no verifier to answer with; the peer sees the connection end.
            ending.accept(message);
            return null;
        }
    }

    /** RFC 5531, 9: the program is there in other versions, or not at all. */
    private void unavailable(RpcCall call) {
        int least = Integer.MAX_VALUE;
        int most = Integer.MIN_VALUE;
        for (OncRpcProgram program : programs.keySet()) {
            if (program.getNumber() == call.getProgram()) {
                least = Math.min(least, program.getVersion());
                most = Math.max(most, program.getVersion());
            }
        }
        if (least > most) {
            call.failProgramUnavailable();
        } else {
            call.failProgramMismatch(least, most);
        }
    }
}
