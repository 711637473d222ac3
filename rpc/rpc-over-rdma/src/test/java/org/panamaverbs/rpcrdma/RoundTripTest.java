package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcProgram;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** A client and a service of oncrpc4j over soft-iwarp, in the versions that either may have. */
@ParameterizedClass
@CsvSource({ "1,1,1,1,1", "1,2,1,1,1", "2,2,2,2,2", "1,2,1,2,2", "1,1,1,2,1" })
class RoundTripTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private final RdmaRpcOptions clientOptions;
    private final RdmaRpcOptions serviceOptions;
    private final int expectedVersion;
    private final TestProgram program = new TestProgram();
    private Verbs verbs;
    private RdmaRpcService service;
    private RdmaRpcClient client;
    private RdmaRpcTransport transport;

    RoundTripTest(int clientLowest, int clientHighest, int serviceLowest, int serviceHighest, int expectedVersion) {
        clientOptions = RdmaRpcOptions.defaults().withFirstCallDelay(Duration.ZERO).withVersions(clientLowest, clientHighest);
        serviceOptions = RdmaRpcOptions.defaults().withVersions(serviceLowest, serviceHighest);
        this.expectedVersion = expectedVersion;
    }

    @BeforeEach
    void connect() throws IOException {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        service = RdmaRpcService.builder(verbs, serviceOptions).withRpcService(TestProgram.PROGRAM, program)
                .listen(new InetSocketAddress("127.0.0.1", 0));
        client = RdmaRpcClient.open(verbs, clientOptions);
        transport = client.connect(service.address(), TIMEOUT);
    }

    @AfterEach
    void close() {
        program.released.countDown();
        client.close();
        service.close();
        verbs.close();
    }

    private RpcCall call() {
        return new RpcCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    private PlacedCall placed() {
        return new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    @Test
    void shouldAgreeOnTheHighestVersionOfBoth() throws Exception {
        call().call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 60, TimeUnit.SECONDS);
        assertEquals(expectedVersion, transport.version());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 4, 900, 1024, 4000, 4096, 5000, 60_000, 1 << 20 })
    void shouldEchoAnyLengthWithoutPlacement(int length) throws Exception {
        byte[] sent = new byte[length];
        for (int i = 0; i < length; i++) {
            sent[i] = TestProgram.pattern(i);
        }
        Bytes result = new Bytes(null);
        if (length > 60_000) {
            placed().call(TestProgram.ECHO, new Bytes(sent), result, Placement.none().replyAtMost(length + 100), TIMEOUT);
        } else {
            call().call(TestProgram.ECHO, new Bytes(sent), result, 60, TimeUnit.SECONDS);
        }
        assertArrayEquals(sent, result.bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 3, 4, 900, 4096, 5001, 1 << 20, 1_234_567 })
    void shouldPlaceAResultIntoTheCallersMemory(int length) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(length + 8, 8);
            TestProgram.Trailed result = TestProgram.Trailed.of(memory, 0);
            placed().call(TestProgram.READ, new XdrInt(length), result, Placement.none().result(memory).replyAtMost(100), TIMEOUT);
            assertEquals(length, result.length()[0]);
            assertEquals(length, result.trailer()[0]);
            for (int i = 0; i < length; i++) {
                assertEquals(TestProgram.pattern(i), memory.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
            }
            assertEquals(length, transport.statistics().bytesPlacedIn());
            assertTrue(transport.statistics().invalidatedByPeer() > 0, "the service invalidates what the call opened");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 3, 900, 4096, 5001, 1 << 20, 1_234_567 })
    void shouldReadAnArgumentOutOfTheCallersMemory(int length) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = TestProgram.data(arena, length);
            XdrInt result = new XdrInt();
            placed().call(TestProgram.WRITE, TestProgram.Trailed.of(memory, 5), result, Placement.none().replyAtMost(100), TIMEOUT);
            assertEquals(TestProgram.sum(memory) + 5, result.intValue());
            if (length > 4096) {
                assertEquals(length, transport.statistics().bytesPlacedOut());
            }
        }
    }

    @Test
    void shouldCarryMoreCallsAtOnceThanThereAreCredits() throws Exception {
        List<CompletableFuture<XdrInt>> calls = new ArrayList<>();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = TestProgram.data(arena, 9000);
            for (int i = 0; i < 300; i++) {
                calls.add(placed().callAsync(TestProgram.WRITE, TestProgram.Trailed.of(memory, i), new XdrInt(),
                        Placement.none().replyAtMost(100), TIMEOUT));
            }
            for (int i = 0; i < calls.size(); i++) {
                assertEquals(TestProgram.sum(memory) + i, calls.get(i).get(60, TimeUnit.SECONDS).intValue());
            }
        }
    }

    @Test
    void shouldSayThatAProcedureOrProgramIsUnavailable() {
        assertThrows(OncRpcAcceptedException.class, () -> call().call(99, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID));
        RpcCall other = new RpcCall(7, 1, new RpcAuthTypeNone(), transport);
        assertThrows(OncRpcAcceptedException.class, () -> other.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID));
    }

    @Test
    void shouldCloseTheMemoryOfACallThatRanOutOfTime() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 16);
            assertThrows(TimeoutException.class, () -> placed().call(TestProgram.HANG, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID,
                    Placement.none().result(memory), Duration.ofMillis(200)));
        }
        // The arena is closed, so nothing of it was registered any more.
        program.released.countDown();
    }

    @Test
    void shouldCloseTheMemoryOfACallWhoseThreadWasInterrupted() throws Exception {
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(1 << 16);
        CompletableFuture<Boolean> closed = new CompletableFuture<>();
        Thread caller = Thread.ofPlatform().start(() -> {
            try {
                placed().call(TestProgram.HANG, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none().result(memory), Verbs.FOREVER);
            } catch (InterruptedIOException e) {
                // Nothing of it is registered any more, or this throws.
                arena.close();
                closed.complete(Thread.currentThread().isInterrupted());
            } catch (IOException | TimeoutException | RuntimeException e) {
                closed.completeExceptionally(e);
            }
        });
        while (transport.statistics().callsSent() == 0) {
            Thread.onSpinWait();
        }
        caller.interrupt();
        assertTrue(closed.get(60, TimeUnit.SECONDS), "the thread stays interrupted");
    }

    @Test
    void shouldFailAllCallsWhenTheServiceEnds() throws Exception {
        CompletableFuture<XdrVoid> waiting = placed().callAsync(TestProgram.HANG, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(),
                TIMEOUT);
        // The service knows the connection a moment after the client does.
        while (service.transports().isEmpty()) {
            Thread.onSpinWait();
        }
        service.transports().forEach(RdmaRpcTransport::close);
        assertTrue(assertThrows(java.util.concurrent.ExecutionException.class, () -> waiting.get(60, TimeUnit.SECONDS))
                .getCause() instanceof EOFException);
        assertThrows(EOFException.class, () -> call().call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID));
        assertThrows(EOFException.class, () -> call().call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 60, TimeUnit.SECONDS));
        assertThrows(EOFException.class,
                () -> placed().call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT));
    }

    @Test
    void shouldCallTheClientBack() throws Exception {
        try (RdmaRpcClient listening = RdmaRpcClient.open(verbs, clientOptions)) {
            OncRpcProgram callback = new OncRpcProgram(0x20000043, 1);
            listening.withRpcService(callback, call -> call.reply(new XdrInt(4711)));
            transport = listening.connect(service.address(), TIMEOUT);
            call().call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, 60, TimeUnit.SECONDS);
            RdmaRpcTransport backward = transportTo(transport.getLocalSocketAddress());
            XdrInt answer = new XdrInt();
            for (int i = 0; i < 40; i++) {
                new RpcCall(callback.getNumber(), 1, new RpcAuthTypeNone(), backward.getPeerTransport()).call(0, XdrVoid.XDR_VOID, answer,
                        60, TimeUnit.SECONDS);
            }
            assertEquals(4711, answer.intValue());
        }
    }

    /** The service knows the connection a moment after the client does, and may answer a call before. */
    private RdmaRpcTransport transportTo(InetSocketAddress client) {
        while (true) {
            for (RdmaRpcTransport each : service.transports()) {
                if (each.getRemoteSocketAddress().equals(client)) {
                    return each;
                }
            }
            Thread.onSpinWait();
        }
    }

    /** Plain opaque bytes. */
    private static final class Bytes implements XdrAble {
        private byte[] bytes;

        Bytes(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) throws IOException {
            xdr.xdrEncodeDynamicOpaque(bytes);
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) throws IOException {
            bytes = xdr.xdrDecodeDynamicOpaque();
        }
    }
}
