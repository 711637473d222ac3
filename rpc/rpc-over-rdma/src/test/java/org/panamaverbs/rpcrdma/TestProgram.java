package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcDispatchable;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.panamaverbs.RegistrableArena;

/** A program for tests: its results follow from the arguments. */
final class TestProgram implements RpcDispatchable, UpperLayerBinding {
    static final OncRpcProgram PROGRAM = new OncRpcProgram(0x20000042, 1);
    private static final ValueLayout.OfInt PROCEDURE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final int NULL = 0;
    /** A length, and that much data with a trailer. */
    static final int READ = 1;
    /** Data; their sum with the trailer's. */
    static final int WRITE = 2;
    /** Plain opaque data, returned. */
    static final int ECHO = 3;
    /** Never answered before {@link #released}. */
    static final int HANG = 4;

    /** Fails with an exception. */
    static final int THROW = 5;
    /** Fails for want of memory. */
    static final int EXHAUST = 6;
    /** Answers with memory that is closed. */
    static final int CLOSED = 7;

    /** Calls of HANG that wait. */
    final AtomicInteger hanging = new AtomicInteger();
    final CountDownLatch released = new CountDownLatch(1);

    /** Memory of results that was not closed yet, or could not be. */
    final AtomicInteger openArenas = new AtomicInteger();

    private void close(RegistrableArena arena) {
        // Refused as long as some of it is registered.
        arena.close();
        openArenas.decrementAndGet();
    }

    /** The byte at a position of data that this program returns. */
    static byte pattern(long index) {
        return (byte) (index * 31 + (index >>> 8));
    }

    static MemorySegment data(Arena arena, int length) {
        MemorySegment data = arena.allocate(Math.max(length, 1), 8).asSlice(0, length);
        for (int i = 0; i < length; i++) {
            data.set(ValueLayout.JAVA_BYTE, i, pattern(i));
        }
        return data;
    }

    static int sum(MemorySegment data) {
        int sum = 0;
        for (long i = 0; i < data.byteSize(); i++) {
            sum = sum * 17 + data.get(ValueLayout.JAVA_BYTE, i);
        }
        return sum;
    }

    /** Data and an integer behind them, so that misplaced padding shows. */
    record Trailed(MemorySegment data, int[] trailer, long[] length) implements XdrAble {
        static Trailed of(MemorySegment data, int trailer) {
            return new Trailed(data, new int[] { trailer }, new long[] { data.byteSize() });
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) throws IOException {
            OpaqueSegment.encode(xdr, data);
            xdr.xdrEncodeInt(trailer[0]);
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            length[0] = OpaqueSegment.decode(xdr, data);
            trailer[0] = xdr.xdrDecodeInt();
        }
    }

    /** The argument of WRITE, decoded: a view. */
    private static final class Viewed implements XdrAble {
        private int sum;

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            sum = sum(OpaqueSegment.view(xdr)) + xdr.xdrDecodeInt();
        }
    }

    /** The data of WRITE and ECHO. */
    @Override
    public boolean isEligible(MemorySegment call, long position) {
        int procedure = call.get(PROCEDURE, 20);
        return procedure == WRITE || procedure == ECHO;
    }

    @Override
    public void dispatchOncRpcCall(RpcCall call) throws IOException {
        switch (call.getProcedure()) {
            case NULL -> call.reply(XdrVoid.XDR_VOID);
            case READ -> {
                XdrInt length = new XdrInt();
                call.retrieveCall(length);
                RegistrableArena arena = RegistrableArena.ofShared();
                openArenas.incrementAndGet();
                call.registerSendOnceListener(new CompletionHandler<Integer, InetSocketAddress>() {
                    @Override
                    public void completed(Integer sent, InetSocketAddress peer) {
                        close(arena);
                    }

                    @Override
                    public void failed(Throwable cause, InetSocketAddress peer) {
                        close(arena);
                    }
                });
                call.reply(Trailed.of(data(arena, length.intValue()), length.intValue()));
            }
            case WRITE -> {
                Viewed viewed = new Viewed();
                call.retrieveCall(viewed);
                call.reply(new XdrInt(viewed.sum));
            }
            case ECHO -> {
                byte[] bytes = call.getXdr().xdrDecodeDynamicOpaque();
                call.reply(new XdrAble() {
                    @Override
                    public void xdrEncode(XdrEncodingStream xdr) throws IOException {
                        xdr.xdrEncodeDynamicOpaque(bytes);
                    }

                    @Override
                    public void xdrDecode(XdrDecodingStream xdr) {
                        throw new UnsupportedOperationException();
                    }
                });
            }
            case HANG -> {
                try {
                    hanging.incrementAndGet();
                    released.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                call.reply(XdrVoid.XDR_VOID);
            }
            case THROW -> throw new IllegalStateException("a defect of the program");
            case CLOSED -> {
                RegistrableArena arena = RegistrableArena.ofShared();
                MemorySegment data = arena.allocate(10_000, 8);
                arena.close();
                call.reply(Trailed.of(data, 1));
            }
            case EXHAUST -> throw new OutOfMemoryError("of the program");
            default -> call.failProcedureUnavailable();
        }
    }
}
