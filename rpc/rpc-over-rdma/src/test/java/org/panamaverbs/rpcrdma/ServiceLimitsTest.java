package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;
import org.panamaverbs.rpcrdma.limits.ServiceCounts;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.StallingRelay;

/** One client that says nothing, or takes nothing, hurts itself alone, over RDMA and over TCP. The attacker's address is another. */
class ServiceLimitsTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String ATTACKER = "127.0.0.2";
    private static final int CONNECTIONS = 8;
    private static final int LONG = 1 << 20;
    private static final long MEMORY = 4 << 20;
    /** In the default build, longer than a busy machine keeps an honest client waiting. */
    private static final Duration LIMIT = Duration.ofSeconds(Proofs.run() ? 3 : 120);
    private final TestProgram program = new TestProgram();
    private final List<AutoCloseable> open = new ArrayList<>();
    private Verbs verbs;
    private RdmaRpcService rdma;
    private TcpRpcService tcp;

    /** What carries the calls. */
    enum Carrier {
        /** soft-iWARP. */
        RDMA,
        /** TCP. */
        TCP
    }

    @BeforeEach
    void listen() throws IOException {
        ServiceLimits limits = ServiceLimits.builder().connections(CONNECTIONS).firstCall(LIMIT).silence(Duration.ofMinutes(5)).stall(LIMIT)
                .calls(64).memory(MEMORY).build();
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        rdma = RdmaRpcService.builder(verbs, options()).withRpcService(TestProgram.PROGRAM, program).withLimits(limits)
                .listen(new InetSocketAddress("127.0.0.1", 0));
        tcp = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, program).withLimits(limits).withLongestCall(2 * LONG)
                .listen(new InetSocketAddress("127.0.0.1", 0));
    }

    @AfterEach
    void close() throws Exception {
        program.released.countDown();
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        rdma.close();
        tcp.close();
        verbs.close();
    }

    private static RdmaRpcOptions options() {
        return RdmaRpcOptions.defaults().withFirstCallDelay(Duration.ZERO).withSizes(2 * LONG, 2 * LONG, 64);
    }

    private InetSocketAddress service(Carrier carrier) {
        return carrier == Carrier.RDMA ? rdma.address() : tcp.address();
    }

    private ServiceCounts counts(Carrier carrier) {
        return carrier == Carrier.RDMA ? rdma.counts() : tcp.counts();
    }

    private PlacedCall client(Carrier carrier, InetSocketAddress address) throws IOException {
        RpcTransport transport;
        if (carrier == Carrier.RDMA) {
            RdmaRpcClient client = RdmaRpcClient.open(verbs, options());
            open.add(client);
            transport = client.connect(address, TIMEOUT);
        } else {
            OncRpcClient client = new OncRpcClient(address, IpProtocolType.TCP);
            open.add(client);
            transport = client.connect(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        }
        return new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    private static void call(PlacedCall client) throws Exception {
        client.call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT);
    }

    private static void callLong(PlacedCall client) throws Exception {
        byte[] bytes = new byte[LONG];
        client.call(TestProgram.ECHO, new OpaqueSegment(MemorySegment.ofArray(bytes)), new OpaqueSegment(MemorySegment.ofArray(bytes)),
                Placement.none(), TIMEOUT);
    }

    /** H2 and H4 of the review: idle connections of one address took all places for ever. */
    @ParameterizedTest
    @EnumSource
    void shouldServeOthersBesideConnectionsThatSayNothing(Carrier carrier) throws Exception {
        PlacedCall before = client(carrier, service(carrier));
        call(before);
        StallingRelay relay = new StallingRelay(service(carrier), ATTACKER);
        open.add(relay);
        for (int i = 0; i < 4 * CONNECTIONS; i++) {
            if (carrier == Carrier.RDMA) {
                idle(relay.address());
            } else {
                Socket socket = new Socket(relay.address().getAddress(), relay.address().getPort());
                open.add(socket);
            }
        }
        // The relay passes on in threads of its own: the service may meet the last of them after its client has gone on.
        Await.until("nobody lost a place", () -> counts(carrier).displaced() > 0);
        call(client(carrier, service(carrier)));
        call(before);
        assertTrue(counts(carrier).connections() <= CONNECTIONS, () -> counts(carrier).toString());
        if (Proofs.run()) {
            Await.until("they are kept: " + counts(carrier), () -> counts(carrier).connections() == 2);
            assertTrue(counts(carrier).silent() > 0, () -> counts(carrier).toString());
        }
        call(before);
    }

    private void idle(InetSocketAddress address) {
        RdmaRpcClient client = RdmaRpcClient.open(verbs, options());
        open.add(client);
        try {
            client.connect(address, TIMEOUT);
        } catch (IOException | RuntimeException e) {
            // It has lost its place before the answer came.
        }
    }

    /** H1 and H3: replies that are not taken fill the memory, and the connection lasts. */
    @Tag(Proofs.TAG)
    @ParameterizedTest
    @EnumSource
    void shouldEndAConnectionThatTakesNoReplies(Carrier carrier) throws Exception {
        PlacedCall bystander = client(carrier, service(carrier));
        call(bystander);
        StallingRelay relay = new StallingRelay(service(carrier), ATTACKER);
        open.add(relay);
        PlacedCall attacker = client(carrier, relay.address());
        call(attacker);
        relay.stall();
        RegistrableArena arena = RegistrableArena.ofShared();
        for (int i = 0; i < 60; i++) {
            MemorySegment result = arena.allocate(LONG, 8);
            attacker.callAsync(TestProgram.ECHO, new OpaqueSegment(MemorySegment.ofArray(new byte[LONG / 8])), new OpaqueSegment(result),
                    Placement.none(), TIMEOUT);
        }
        long most = 0;
        long begin = System.nanoTime();
        while (counts(carrier).stalled() == 0) {
            call(bystander);
            callLong(bystander);
            most = Math.max(most, counts(carrier).memory());
            assertTrue(System.nanoTime() - begin < TIMEOUT.toNanos(), () -> "the connection lasts: " + counts(carrier));
        }
        // The bystander's reply may come on top of what is counted before.
        assertTrue(most <= MEMORY + 2L * LONG, "memory of calls: " + most);
        Await.until("memory is kept: " + counts(carrier), () -> counts(carrier).memory() == 0 && counts(carrier).connections() == 1);
        callLong(bystander);
    }

    /** A call that is begun and not ended holds memory. */
    @Tag(Proofs.TAG)
    @ParameterizedTest
    @EnumSource(names = "TCP")
    void shouldEndAConnectionThatSendsHalfACall(Carrier carrier) throws Exception {
        TcpPeer peer = new TcpPeer(service(carrier));
        open.add(peer);
        peer.call(1, 2, TestProgram.NULL);
        peer.reply();
        peer.mark(true, LONG);
        Await.until("memory is not counted", () -> counts(carrier).memory() > 0);
        assertTrue(peer.isEnded());
        Await.until("memory is kept", () -> counts(carrier).memory() == 0);
        Await.until("it is not counted", () -> counts(carrier).stalled() == 1);
    }

    /** M2: an Error of a program cost a credit, and after 64 of them nobody answered any more. */
    @ParameterizedTest
    @EnumSource
    void shouldAnswerAllCallsOfAProgramThatHasNoMemory(Carrier carrier) throws Exception {
        PlacedCall client = client(carrier, service(carrier));
        for (int i = 0; i < 200; i++) {
            try {
                client.call(i % 2 == 0 ? TestProgram.EXHAUST : TestProgram.THROW, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(),
                        TIMEOUT);
                throw new AssertionError("the program cannot have answered");
            } catch (org.dcache.oncrpc4j.rpc.OncRpcAcceptedException e) {
                // SYSTEM_ERR.
                assertTrue(e.getMessage() != null);
            }
        }
        call(client);
    }

    /** H5: calls that wait keep others waiting, of the same connection or not. */
    @ParameterizedTest
    @EnumSource
    void shouldAnswerShortCallsBesideThoseThatWait(Carrier carrier) throws Exception {
        PlacedCall waiting = client(carrier, service(carrier));
        // The first reply grants the credits.
        call(waiting);
        for (int i = 0; i < 60; i++) {
            waiting.callAsync(TestProgram.HANG, XdrVoid.XDR_VOID, new XdrInt(), Placement.none().replyAtMost(100), TIMEOUT);
        }
        Await.until("calls are not there", () -> program.hanging.get() == 60);
        call(waiting);
        call(client(carrier, service(carrier)));
    }
}
