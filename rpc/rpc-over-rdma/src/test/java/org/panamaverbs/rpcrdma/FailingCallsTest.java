package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** Code of the program that throws, at each place where it is called: the call fails, or its connection ends, and the others go on. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailingCallsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private final TestProgram program = new TestProgram();
    private Verbs verbs;
    private RdmaRpcService service;
    private RdmaRpcClient client;
    private RdmaRpcTransport transport;

    /** Arguments or results that throw. */
    private record Throwing(Throwable failure) implements XdrAble {
        private void fail() {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }

        @Override
        public void xdrEncode(XdrEncodingStream xdr) {
            fail();
        }

        @Override
        public void xdrDecode(XdrDecodingStream xdr) {
            fail();
        }

        static Throwing of(boolean isError) {
            return new Throwing(isError ? new OutOfMemoryError("of a test") : new IllegalStateException("of a test"));
        }
    }

    @BeforeEach
    void connect() throws Exception {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults()).withRpcService(TestProgram.PROGRAM, program)
                .listen(new InetSocketAddress("127.0.0.1", 0));
        client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults().withFirstCallDelay(Duration.ZERO));
        transport = client.connect(service.address(), TIMEOUT);
    }

    @AfterEach
    void close() {
        client.close();
        service.close();
        verbs.close();
    }

    private static PlacedCall placed(RpcTransport over) {
        return new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), over);
    }

    private static void expectService(RpcTransport over) throws Exception {
        placed(over).call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFailTheCallWhoseResultCannotBeDecoded(boolean isError) throws Exception {
        Throwing result = Throwing.of(isError);
        CompletableFuture<Throwing> done = placed(transport).callAsync(TestProgram.NULL, XdrVoid.XDR_VOID, result, Placement.none(),
                TIMEOUT);
        assertSame(result.failure, assertThrows(ExecutionException.class, () -> done.get(20, TimeUnit.SECONDS)).getCause());
        expectService(transport);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFailTheWaitForAResultThatCannotBeDecoded(boolean isError) throws Exception {
        Throwing result = Throwing.of(isError);
        Exception failure = assertThrows(Exception.class,
                () -> placed(transport).call(TestProgram.NULL, XdrVoid.XDR_VOID, result, Placement.none(), TIMEOUT));
        assertSame(result.failure, isError ? failure.getCause() : failure);
        expectService(transport);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFailTheCallOfOncrpc4jWhoseResultCannotBeDecoded(boolean isError) throws Exception {
        RpcCall call = new RpcCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
        assertThrows(Throwable.class, () -> call.call(TestProgram.NULL, XdrVoid.XDR_VOID, Throwing.of(isError), 20, TimeUnit.SECONDS));
        expectService(transport);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldThrowWhatTheArgumentsThrow(boolean isError) throws Exception {
        Throwing arguments = Throwing.of(isError);
        assertSame(arguments.failure, assertThrows(Throwable.class,
                () -> placed(transport).call(TestProgram.NULL, arguments, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT)));
        expectService(transport);
    }

    @Test
    void shouldFailTheCallAloneWhoseMemoryIsClosed() throws Exception {
        MemorySegment closed;
        try (Arena arena = Arena.ofShared()) {
            closed = arena.allocate(10_000, 8);
        }
        assertInstanceOf(RdmaRpcException.class, assertThrows(Exception.class, () -> placed(transport).call(TestProgram.WRITE,
                TestProgram.Trailed.of(closed, 1), new XdrInt(), Placement.none(), TIMEOUT)));
        assertInstanceOf(RdmaRpcException.class, assertThrows(Exception.class, () -> placed(transport).call(TestProgram.READ,
                new XdrInt(10_000), TestProgram.Trailed.of(closed, 1), Placement.none().result(closed).replyAtMost(100), TIMEOUT)));
        expectService(transport);
    }

    @Test
    void shouldEndTheConnectionOfAReplyWhoseMemoryIsClosed() throws Exception {
        RdmaRpcTransport other = client.connect(service.address(), TIMEOUT);
        assertThrows(Exception.class, () -> placed(transport).call(TestProgram.CLOSED, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID,
                Placement.none().replyAtMost(20_000), TIMEOUT));
        Await.until("the connection lasts", () -> !transport.isOpen());
        expectService(other);
        Await.until("the service keeps the connection", () -> service.transports().size() == 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldFailTheCallOverTcpWhoseResultCannotBeDecoded(boolean isError) throws Exception {
        try (TcpRpcService tcp = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, program)
                .listen(new InetSocketAddress("127.0.0.1", 0));
                OncRpcClient oncrpc4j = new OncRpcClient(tcp.address(), IpProtocolType.TCP)) {
            RpcTransport over = oncrpc4j.connect(20, TimeUnit.SECONDS);
            Throwing result = Throwing.of(isError);
            CompletableFuture<Throwing> done = placed(over).callAsync(TestProgram.NULL, XdrVoid.XDR_VOID, result, Placement.none(),
                    TIMEOUT);
            assertSame(result.failure, assertThrows(ExecutionException.class, () -> done.get(20, TimeUnit.SECONDS)).getCause());
            expectService(over);
        }
    }

    @Test
    void shouldEndTheTcpConnectionOfAReplyWhoseMemoryIsClosed() throws Exception {
        try (TcpRpcService tcp = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, program)
                .listen(new InetSocketAddress("127.0.0.1", 0));
                OncRpcClient broken = new OncRpcClient(tcp.address(), IpProtocolType.TCP);
                OncRpcClient sound = new OncRpcClient(tcp.address(), IpProtocolType.TCP)) {
            RpcTransport over = broken.connect(20, TimeUnit.SECONDS);
            assertThrows(Exception.class,
                    () -> placed(over).call(TestProgram.CLOSED, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT));
            Await.until("the service keeps the connection", () -> tcp.counts().connections() == 0);
            expectService(sound.connect(20, TimeUnit.SECONDS));
        }
    }
}
