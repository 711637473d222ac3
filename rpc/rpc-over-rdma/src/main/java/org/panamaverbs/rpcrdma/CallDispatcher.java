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
import org.panamaverbs.spi.support.Complaints;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings calls to the programs of oncrpc4j, and answers those that no program takes, as oncrpc4j's own service does. Whatever a program
 * throws, its call is answered, or its connection ends: what the call takes comes back.
 */
final class CallDispatcher implements Dispatcher {
    private static final Logger LOG = LoggerFactory.getLogger(CallDispatcher.class);
    private static final Complaints.Message FAILED = new Complaints(CallDispatcher.class).message("{} failed");
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

    /** A step of a call, which may throw anything. */
    private interface Step {
        void of(Call call) throws IOException;
    }

    @Override
    public void onCall(int xid, MessageXdr message) {
        // The executor may be shut down, or have no thread.
        attempt(new Call(xid, message), Call::submit, Call::refuse);
    }

    /** The wall: whatever a step throws, the other one follows; if not even that works, the connection ends. */
    private void attempt(Call call, Step step, Step otherwise) {
        try {
            step.of(call);
        } catch (IOException | RuntimeException | Error e) {
            FAILED.error(call, e);
            if (otherwise == null) {
                ending.accept(call.message);
            } else {
                attempt(call, otherwise, null);
            }
        }
    }

    @Override
    public boolean isEligible(MemorySegment call, long position) {
        return call.byteSize() < VERSION_AT + Integer.BYTES
                || !(programs
                        .get(new OncRpcProgram(call.get(INT, PROGRAM_AT), call.get(INT, VERSION_AT))) instanceof UpperLayerBinding binding)
                || binding.isEligible(call, position);
    }

    /** A call from its receipt to its answer. */
    private final class Call implements Runnable {
        private final int xid;
        private final MessageXdr message;
        /** Once its header is decoded. */
        private RpcCall header;

        Call(int xid, MessageXdr message) {
            this.xid = xid;
            this.message = message;
        }

        void submit() {
            executor.execute(this);
        }

        @Override
        public void run() {
            attempt(this, Call::serve, null);
        }

        private void serve() {
            if (isAccepted()) {
                attempt(this, Call::dispatch, Call::fail);
            }
        }

        /** No thread takes it. */
        private void refuse() {
            if (isAccepted()) {
                fail();
            }
        }

        /** Answers SYSTEM_ERR. */
        private void fail() {
            header.failRpcSystem();
        }

        private void dispatch() {
            try {
                RpcDispatchable program = programs.get(new OncRpcProgram(header.getProgram(), header.getProgramVersion()));
                if (program == null) {
                    unavailable(header);
                } else {
                    program.dispatchOncRpcCall(header);
                }
            } catch (RpcException e) {
                header.reject(e.getStatus(), e.getRpcReply());
            } catch (IOException e) {
                LOG.debug("{} from {}: {}", header, transport, e.getMessage());
                header.failRpcGarbage();
            }
        }

        /** Decodes the header; {@code false} if it cannot be served, and everything is done. */
        private boolean isAccepted() {
            try {
                message.beginDecoding();
                header = new RpcCall(xid, message, transport);
                message.xdrDecodeInt();
                message.xdrDecodeInt();
                try {
                    header.accept();
                    return true;
                } catch (RpcMismatchReply e) {
                    // oncrpc4j names the caller's version as the lowest.
                    header.reject(RpcRejectStatus.RPC_MISMATCH, new MismatchInfo(RPC_VERSION, RPC_VERSION));
                } catch (RpcException e) {
                    header.reject(e.getStatus(), e.getRpcReply());
                }
            } catch (IOException e) {
                LOG.debug("a call of {} has no sound RPC header: {}", transport, e.getMessage());
                // Without a credential there is no verifier to answer with; the peer sees the connection end.
                ending.accept(message);
            }
            return false;
        }

        @Override
        public String toString() {
            return (header == null ? "a call" : header) + " of " + transport;
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
