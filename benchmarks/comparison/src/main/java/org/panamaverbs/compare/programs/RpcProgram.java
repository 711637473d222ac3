package org.panamaverbs.compare.programs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrLong;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.rpcrdma.OpaqueSegment;

/** The program that {@link RpcCalls} calls: the same over every transport. */
final class RpcProgram implements RpcDispatchable {
    static final OncRpcProgram ID = new OncRpcProgram(0x20000044, 1);
    static final int NULL = 0;
    /** Returns the data. */
    static final int READ = 1;
    /** Returns how many bytes all threads of this process have allocated. */
    static final int ALLOCATED = 2;
    /** Returns how many bytes the transport has copied, if it counts them. */
    static final int COPIED = 3;
    /** Ends the service. */
    static final int END = 4;
    /** Returns how many nanoseconds of processors this process has used. */
    static final int PROCESSOR = 5;
    /** How long a reply is without its data, at most. */
    static final int REPLY = 64;

    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final com.sun.management.OperatingSystemMXBean SYSTEM = (com.sun.management.OperatingSystemMXBean) ManagementFactory
            .getOperatingSystemMXBean();

    private final CountDownLatch end = new CountDownLatch(1);
    private final MemorySegment data;

    RpcProgram(MemorySegment data) {
        this.data = data;
    }

    MemorySegment data() {
        return data;
    }

    static long allocated() {
        return THREADS.getTotalThreadAllocatedBytes();
    }

    static long processor() {
        return SYSTEM.getProcessCpuTime();
    }

    /** Returns when the client has asked for the end, and the answer was sent. */
    void awaitEnd() throws InterruptedException {
        end.await();
    }

    /** Ends the service once the answer was sent, or cannot be. */
    private final class Ending implements CompletionHandler<Integer, InetSocketAddress> {
        @Override
        public void completed(Integer sent, InetSocketAddress client) {
            end.countDown();
        }

        @Override
        public void failed(Throwable failure, InetSocketAddress client) {
            end.countDown();
        }
    }

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws IOException {
        switch (call.getProcedure()) {
            case NULL -> call.reply(XdrVoid.XDR_VOID);
            case READ -> call.reply(new OpaqueSegment(data));
            case ALLOCATED -> call.reply(new XdrLong(allocated()));
            case COPIED -> call.reply(new XdrLong(RpcCalls.copied(call.getTransport())));
            case PROCESSOR -> call.reply(new XdrLong(processor()));
            case END -> {
                call.registerSendOnceListener(new Ending());
                call.reply(XdrVoid.XDR_VOID);
            }
            default -> call.failProcedureUnavailable();
        }
    }
}
