package org.panamaverbs.compare.programs;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcReply;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.xdr.XdrLong;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.rpcrdma.OpaqueSegment;
import org.panamaverbs.rpcrdma.PlacedCall;
import org.panamaverbs.rpcrdma.Placement;
import org.panamaverbs.rpcrdma.RdmaRpcStatistics;
import org.panamaverbs.rpcrdma.RdmaRpcTransport;

/**
 * Calls of ONC RPC: {@code RpcCalls serve SIZE} prints its address and serves one client; {@code RpcCalls PORT SIZE} and the
 * arguments of {@link Timed} measure against it on loopback. A call returns SIZE bytes into a segment of the caller; with 0 it is one of
 * the NULL procedure. The system property {@code rpc.over} says how both travel ({@link RpcOver}), and {@code rpc.flight} how many calls
 * are in flight: 1 is a thread that calls and waits; with more, each reply's handler makes the next call.
 *
 * <p>A thread that waits for a NULL call uses {@link PlacedCall} over RDMA, which lets that thread take the answer itself, and
 * {@link RpcCall} over TCP, without a time-out, since oncrpc4j's timer would wake a thread for each call. With more in flight both sides
 * use {@link RpcCall}. A result comes from memory that the service keeps registered, and ends in a segment of the caller: over RDMA the
 * service writes it there, over TCP {@code OpaqueSegment} copies it out of the message. The output also has {@code processorMicros}, the
 * processor time of both processes for a call; threads that busy-poll count as busy.
 */
public final class RpcCalls {
    private static final int FLIGHT = Integer.getInteger("rpc.flight", 1);
    private static final long SECONDS = 60;
    private static final Duration LONG = Duration.ofSeconds(SECONDS);

    private final RpcTransport transport;
    private final PlacedCall placed;
    private final RpcCall plain;
    private final int size;
    private final LongAdder calls = new LongAdder();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final Semaphore free = new Semaphore(FLIGHT);
    private volatile boolean ending;

    /** Both sides at a moment. */
    private record Tally(long calls, long allocated, long copied, long nanos, long processor) {
    }

    private RpcCalls(RpcTransport transport, int size) {
        this.transport = transport;
        this.size = size;
        placed = new PlacedCall(RpcProgram.ID.getNumber(), RpcProgram.ID.getVersion(), new RpcAuthTypeNone(), transport);
        plain = new RpcCall(RpcProgram.ID.getNumber(), RpcProgram.ID.getVersion(), new RpcAuthTypeNone(), transport);
    }

    /** Is either end. */
    public static void main(String[] arguments) throws Exception {
        int size = Integer.parseInt(arguments[1]);
        RpcOver over = RpcOver.valueOf(System.getProperty("rpc.over", "RDMA"));
        if (arguments[0].equals("serve")) {
            try (RegistrableArena arena = RegistrableArena.ofShared()) {
                RpcProgram program = new RpcProgram(arena.allocate(Math.max(size, 1), 4096).asSlice(0, size));
                try (RpcOver.Served served = over.serve(program)) {
                    Timed.listening(served.port());
                    program.awaitEnd();
                }
            }
            return;
        }
        InetSocketAddress remote = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        try (RpcOver.Connected connected = over.connect(remote)) {
            RpcCalls client = new RpcCalls(connected.transport(), size);
            client.measure(new Timed(arguments));
            client.plain.call(RpcProgram.END, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, SECONDS, java.util.concurrent.TimeUnit.SECONDS);
        }
    }

    private void measure(Timed timed) throws Exception {
        try (RegistrableArena arena = RegistrableArena.ofShared()) {
            MemorySegment[] results = new MemorySegment[FLIGHT];
            for (int i = 0; i < FLIGHT; i++) {
                results[i] = arena.allocate(Math.max(size, 1), 4096).asSlice(0, size);
            }
            timed.warmUp(seconds -> {
                Tally before = tally();
                run(results, seconds);
                return figures(before, tally());
            });
            Tally before = tally();
            run(results, timed.seconds());
            Tally after = tally();
            double done = after.calls - before.calls;
            double copied = transport instanceof RdmaRpcTransport && size > 0 ? (after.copied - before.copied) / done / size : Double.NaN;
            timed.print(figures(before, after), size, "allocatedBytesPerMessage", (after.allocated - before.allocated) / done,
                    "processorMicros", (after.processor - before.processor) / 1e3 / done, "copiedBytesPerByte", copied);
        }
    }

    private static Timed.Figures figures(Tally before, Tally after) {
        return Timed.Figures.of(after.calls - before.calls, (after.nanos - before.nanos) / 1e9);
    }

    private Tally tally() throws IOException, TimeoutException {
        long nanos = System.nanoTime();
        XdrLong allocated = new XdrLong();
        XdrLong copied = new XdrLong();
        XdrLong processor = new XdrLong();
        plain.call(RpcProgram.ALLOCATED, XdrVoid.XDR_VOID, allocated, SECONDS, java.util.concurrent.TimeUnit.SECONDS);
        plain.call(RpcProgram.COPIED, XdrVoid.XDR_VOID, copied, SECONDS, java.util.concurrent.TimeUnit.SECONDS);
        plain.call(RpcProgram.PROCESSOR, XdrVoid.XDR_VOID, processor, SECONDS, java.util.concurrent.TimeUnit.SECONDS);
        return new Tally(calls.sum(), allocated.longValue() + RpcProgram.allocated(), copied.longValue() + copied(transport), nanos,
                processor.longValue() + RpcProgram.processor());
    }

    /** The bytes that the transport copied, if it counts them. */
    static long copied(RpcTransport transport) {
        if (transport instanceof RdmaRpcTransport rdma) {
            RdmaRpcStatistics statistics = rdma.statistics();
            return statistics.bytesCopied();
        }
        return 0;
    }

    private void run(MemorySegment[] results, double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * 1e9);
        ending = false;
        if (FLIGHT == 1) {
            do {
                call(results[0]);
                calls.increment();
            } while (System.nanoTime() < end);
            return;
        }
        free.acquire(FLIGHT);
        for (MemorySegment result : results) {
            // Each of them makes one call at least.
            make(result, end);
        }
        free.acquire(FLIGHT);
        free.release(FLIGHT);
        if (failure.get() != null) {
            throw new IOException("a call failed", failure.get());
        }
    }

    private void call(MemorySegment result) throws IOException, TimeoutException {
        if (size == 0) {
            if (transport instanceof RdmaRpcTransport) {
                placed.call(RpcProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none().replyAtMost(RpcProgram.REPLY), LONG);
            } else {
                // Without a timer, which would wake a thread for each call.
                plain.call(RpcProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID);
            }
        } else {
            OpaqueSegment into = new OpaqueSegment(result);
            placed.call(RpcProgram.READ, XdrVoid.XDR_VOID, into, placement(result), LONG);
            check(into);
        }
    }

    private static Placement placement(MemorySegment result) {
        return Placement.none().result(result).replyAtMost(RpcProgram.REPLY);
    }

    private void check(OpaqueSegment result) throws IOException {
        if (result.length() != size) {
            throw new IOException("a result has " + result.length() + " bytes instead of " + size);
        }
    }

    /** Makes a call whose handler makes the next one. */
    private void next(MemorySegment result, long end) {
        if (ending || System.nanoTime() >= end) {
            free.release();
            return;
        }
        make(result, end);
    }

    private void make(MemorySegment result, long end) {
        try {
            if (size == 0 && transport instanceof RdmaRpcTransport) {
                // A plain call offers a Reply chunk, since it cannot know how long its reply may be; its memory is registered for the call.
                placed.callAsync(RpcProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none().replyAtMost(RpcProgram.REPLY), LONG)
                        .whenComplete((done, failed) -> onDone(null, result, end, failed));
            } else if (size == 0) {
                plain.call(RpcProgram.NULL, XdrVoid.XDR_VOID, new Again(result, end));
            } else {
                OpaqueSegment into = new OpaqueSegment(result);
                placed.callAsync(RpcProgram.READ, XdrVoid.XDR_VOID, into, placement(result), LONG)
                        .whenComplete((done, failed) -> onDone(into, result, end, failed));
            }
        } catch (IOException | RuntimeException e) {
            fail(e);
        }
    }

    private void onDone(OpaqueSegment into, MemorySegment result, long end, Throwable failed) {
        try {
            if (failed != null) {
                throw new IOException("a call failed", failed);
            }
            if (into != null) {
                check(into);
            }
            calls.increment();
            next(result, end);
        } catch (IOException e) {
            fail(e);
        }
    }

    private void fail(Throwable cause) {
        failure.compareAndSet(null, cause);
        ending = true;
        free.release();
    }

    /** The effect of a reply of the NULL procedure. */
    private final class Again implements java.nio.channels.CompletionHandler<RpcReply, RpcTransport> {
        private final MemorySegment result;
        private final long end;

        Again(MemorySegment result, long end) {
            this.result = result;
            this.end = end;
        }

        @Override
        public void completed(RpcReply reply, RpcTransport from) {
            calls.increment();
            next(result, end);
        }

        @Override
        public void failed(Throwable cause, RpcTransport from) {
            fail(cause);
        }
    }
}
