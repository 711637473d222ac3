package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;

/** The cost of a placed result: neither copies nor allocations grow with it. Programs run in the thread that takes the calls. */
class PlacedResultTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int[] LENGTHS = { 64 << 10, 1 << 20, 4 << 20 };
    private static final int CALLS = 30;
    private static final int ROUNDS = 40;
    /** Of allocation for each byte that results differ by: the least object for every 1,600 bytes would be more. */
    private static final double PER_BYTE = 0.01;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Verbs verbs;
    private RegistrableArena arena;
    private RdmaRpcService service;
    private volatile boolean releases;
    private RdmaRpcClient client;
    private RdmaRpcTransport transport;
    private PlacedCall placed;

    @BeforeEach
    void connect() throws Exception {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        arena = RegistrableArena.ofShared();
        MemorySegment data = arena.allocate(LENGTHS[2], 4096);
        data.fill((byte) 7);
        service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults()).withSameThread().withRpcService(TestProgram.PROGRAM, call -> {
            XdrInt length = new XdrInt();
            call.retrieveCall(length);
            call.reply(new OpaqueSegment(data.asSlice(0, length.intValue())));
            if (releases) {
                service.release(data);
            }
        }).listen(new InetSocketAddress("127.0.0.1", 0));
        service.keepRegistered(data);
        client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults());
        transport = client.connect(service.address(), TIMEOUT);
        placed = new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
        verbs.close();
        arena.close();
    }

    private void read(MemorySegment into) throws Exception {
        OpaqueSegment result = new OpaqueSegment(into);
        placed.call(TestProgram.READ, new XdrInt((int) into.byteSize()), result, Placement.none().result(into).replyAtMost(64), TIMEOUT);
        assertEquals(into.byteSize(), result.length());
    }

    /** Bytes that all threads of client and service allocated for each call. */
    private double allocated(MemorySegment into) throws Exception {
        long before = THREADS.getTotalThreadAllocatedBytes();
        for (int i = 0; i < CALLS; i++) {
            read(into);
        }
        return (THREADS.getTotalThreadAllocatedBytes() - before) / (double) CALLS;
    }

    @Test
    void shouldAllocateNothingForEachPlacedByte() throws Exception {
        MemorySegment memory = arena.allocate(LENGTHS[2], 4096);
        double[] allocated = new double[LENGTHS.length];
        // Code that is not compiled yet allocates for each segment of the wire, so it takes some rounds until one is flat as a whole.
        boolean flat = false;
        for (int round = 0; round < ROUNDS && !flat; round++) {
            for (int i = 0; i < LENGTHS.length; i++) {
                allocated[i] = allocated(memory.asSlice(0, LENGTHS[i]));
            }
            flat = isFlat(allocated);
        }
        assertTrue(flat, () -> "bytes for each call of " + Arrays.toString(LENGTHS) + " bytes: " + Arrays.toString(allocated));
    }

    private static boolean isFlat(double[] allocated) {
        for (int i = 1; i < LENGTHS.length; i++) {
            if (allocated[i] - allocated[0] > PER_BYTE * (LENGTHS[i] - LENGTHS[0])) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldCopyAsMuchForAnyLength() throws Exception {
        MemorySegment memory = arena.allocate(LENGTHS[2], 4096);
        long[] copied = new long[LENGTHS.length];
        for (int i = 0; i < LENGTHS.length; i++) {
            long before = copied();
            read(memory.asSlice(0, LENGTHS[i]));
            copied[i] = copied() - before;
            assertEquals((byte) 7, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, LENGTHS[i] - 1));
        }
        assertTrue(Arrays.stream(copied).allMatch(each -> each == copied[0] && each < 1024), () -> "copied: " + Arrays.toString(copied));
    }

    private long copied() {
        long sum = transport.statistics().bytesCopied();
        for (RdmaRpcTransport each : service.transports()) {
            sum += each.statistics().bytesCopied();
        }
        return sum;
    }

    @Test
    void shouldSendAReplyWhoseMemoryIsReleasedMeanwhile() throws Exception {
        MemorySegment memory = arena.allocate(LENGTHS[2], 4096);
        read(memory);
        releases = true;
        read(memory);
        assertEquals((byte) 7, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, LENGTHS[2] - 1));
        // It is registered for each reply from now on.
        read(memory);
    }

    @Test
    void shouldServeManyThreadsThatWait() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Callable<Void>> callers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                MemorySegment memory = arena.allocate(70_000, 8);
                int calls = 20 * (i + 1);
                callers.add(() -> {
                    for (int call = 0; call < calls; call++) {
                        memory.fill((byte) 0);
                        read(memory);
                        assertEquals((byte) 7, memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 69_999));
                    }
                    return null;
                });
            }
            for (Future<Void> caller : threads.invokeAll(callers)) {
                caller.get();
            }
        }
        assertEquals(720, transport.statistics().repliesReceived());
    }

    @Test
    void shouldAnswerAsynchronousCallsAfterACallerThatWaited() throws Exception {
        for (int i = 0; i < 200; i++) {
            MemorySegment memory = arena.allocate(100, 8);
            read(memory);
            placed.callAsync(TestProgram.READ, new XdrInt(100), new OpaqueSegment(memory), Placement.none().result(memory), TIMEOUT).get();
        }
        assertEquals(400, transport.statistics().repliesReceived());
        // And a refusal comes to a caller that leads.
        PlacedCall unknown = new PlacedCall(77, 1, new RpcAuthTypeNone(), transport);
        org.junit.jupiter.api.Assertions.assertThrows(java.io.IOException.class,
                () -> unknown.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT));
    }
}
