package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;
import org.panamaverbs.rpcrdma.wire.PrivateData;
import org.panamaverbs.testing.conformance.Requirement;

/** A service over sockets whose clients send garbage, or vanish in the middle: it goes on for the others, and keeps nothing of them. */
class HostileClientTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int XID = 0x0badcafe;
    private static final int LARGE = 4 << 20;
    private static final byte[] SOUND = new PrivateData(true, 4096, 4096).encode();
    private final TestProgram program = new TestProgram();
    private Verbs verbs;
    private RdmaRpcService service;
    private RdmaRpcClient client;
    private RdmaRpcTransport bystander;

    @BeforeEach
    void connect() throws Exception {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        service = RdmaRpcService.builder(verbs, RdmaRpcOptions.defaults().withVersions(1, 2)).withRpcService(TestProgram.PROGRAM, program)
                .listen(new InetSocketAddress("127.0.0.1", 0));
        client = RdmaRpcClient.open(verbs, RdmaRpcOptions.defaults().withFirstCallDelay(Duration.ZERO));
        bystander = client.connect(service.address(), TIMEOUT);
    }

    @AfterEach
    void close() {
        program.released.countDown();
        client.close();
        service.close();
        verbs.close();
    }

    private PlacedCall placed(RdmaRpcTransport transport) {
        return new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    private void expectBystander() throws Exception {
        try (RegistrableArena arena = RegistrableArena.ofShared()) {
            MemorySegment memory = arena.allocate(100_000, 8);
            TestProgram.Trailed result = TestProgram.Trailed.of(memory, 0);
            placed(bystander).call(TestProgram.READ, new XdrInt(100_000), result, Placement.none().result(memory).replyAtMost(100),
                    TIMEOUT);
            assertEquals(100_000, result.length()[0]);
            assertEquals(TestProgram.pattern(99_999), memory.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 99_999));
        }
    }

    private void expectNothingKept() {
        Await.until("connections are kept", () -> service.transports().size() == 1);
        Await.until("memory of results is kept", () -> program.openArenas.get() == 0);
    }

    private static byte[] words(int... words) {
        ByteBuffer bytes = ByteBuffer.allocate(4 * words.length);
        for (int word : words) {
            bytes.putInt(word);
        }
        return bytes.array();
    }

    static Stream<Arguments> garbage() {
        byte[] random = new byte[4096];
        new Random(7).nextBytes(random);
        return Stream.of(Arguments.of("nothing", new byte[0], false), Arguments.of("random bytes", random, false),
                Arguments.of("version 3", words(XID, 3, 8, 0, 0, 0, 0), false),
                Arguments.of("NOMSG without chunks", words(XID, 1, 8, 1, 0, 0, 0), false),
                Arguments.of("a chunk of 4 GiB", words(XID, 1, 8, 1, 1, 0, 5, -1, 0, 0, 0, 0, 0), false),
                Arguments.of("chunks that overlap", words(XID, 1, 8, 0, 1, 8, 5, 40, 0, 0, 1, 12, 5, 8, 0, 0, 0, 0, 0, XID, 0, 7), false),
                Arguments.of("an unknown handle", words(XID, 1, 8, 1, 1, 0, 5, 100, 0, 0, 0, 0, 0), true),
                Arguments.of("no RPC header", words(XID, 1, 8, 0, 0, 0, 0, XID, 0, 2), true));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("garbage")
    void shouldGoOnWhenAClientSendsGarbage(String name, byte[] message, boolean ends) throws Exception {
        try (RawPeer raw = new RawPeer(verbs, service.address(), SOUND, 4096)) {
            raw.send(message);
            if (ends) {
                assertTrue(raw.connection.awaitDisconnected(TIMEOUT), "the connection is open yet");
            }
            expectBystander();
        }
        expectNothingKept();
    }

    /** RFC 5531, 9: MSG_DENIED, RPC_MISMATCH, and the versions that are served: 2 to 2. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 3, -1 })
    void shouldDenyAnotherVersionOfRpc(int version) throws Exception {
        try (RawPeer raw = new RawPeer(verbs, service.address(), SOUND, 4096)) {
            raw.send(words(XID, 1, 8, 0, 0, 0, 0, XID, 0, version, 0x20000042, 1, 0, 0, 0, 0, 0));
            byte[] reply = raw.receive();
            assertArrayEquals(words(XID, 1, 1, 0, 2, 2), Arrays.copyOfRange(reply, 28, reply.length));
        }
    }

    /** The opaque of ECHO, which the binding does not name: ERR_CHUNK, and the program is not called. */
    @Test
    @Requirement("RFC8166-6.1-b")
    void shouldReportAChunkWithAnArgumentThatIsNotEligible() throws Exception {
        try (RawPeer raw = new RawPeer(verbs, service.address(), new PrivateData(false, 4096, 4096).encode(), 4096)) {
            int position = 44;
            raw.send(words(XID, 1, 8, 0, 1, position, raw.handle(), 8, (int) (raw.offset() >>> 32), (int) raw.offset(), 0, 0, 0, XID, 0, 2,
                    0x20000042, 1, TestProgram.READ, 0, 0, 0, 0, 8));
            byte[] reply = raw.receive();
            assertArrayEquals(words(4, 2), Arrays.copyOfRange(reply, 12, reply.length));
        }
    }

    @Test
    void shouldGoOnWhenPrivateDataAreGarbage() throws Exception {
        try (RawPeer raw = new RawPeer(verbs, service.address(), new byte[] { 1, 2, 3, 4, 5, 6, 7, 8, 9 }, 4096)) {
            raw.send(words(XID, 1, 8, 1, 0, 0, 0));
            expectBystander();
        }
        expectNothingKept();
    }

    @Test
    void shouldEndTheConnectionOfAClientThatExceedsItsCredits() throws Exception {
        int calls = 65;
        try (RawPeer raw = new RawPeer(verbs, service.address(), SOUND, 4096)) {
            for (int i = 0; i < calls && raw.connection.isConnected(); i++) {
                int xid = XID + i;
                byte[] hang = words(xid, 1, 8, 0, 0, 0, 0, xid, 0, 2, 0x20000042, 1, TestProgram.HANG, 0, 0, 0, 0);
                try {
                    raw.send(hang);
                } catch (org.panamaverbs.VerbsException e) {
                    // The send queue is full, or the connection has ended.
                    LockSupport.parkNanos(1_000_000);
                    i--;
                }
            }
            assertTrue(raw.connection.awaitDisconnected(TIMEOUT), "the connection is open yet");
        }
        expectBystander();
        program.released.countDown();
        expectNothingKept();
    }

    /** The service reads 4 MiB of a client that vanishes. */
    @Test
    void shouldGoOnWhenAClientVanishesWhileItsChunksAreRead() throws Exception {
        for (int i = 0; i < 10; i++) {
            try (RawPeer raw = new RawPeer(verbs, service.address(), SOUND, LARGE)) {
                raw.send(words(XID, 1, 8, 1, 1, 0, raw.handle(), LARGE, (int) (raw.offset() >>> 32), (int) raw.offset(), 0, 0, 0));
            }
            expectBystander();
        }
        expectNothingKept();
    }

    @Test
    void shouldFailCallsUnderWayWhenTheirConnectionIsCut() throws Exception {
        for (int round = 0; round < 10; round++) {
            RegistrableArena arena = RegistrableArena.ofShared();
            MemorySegment argument = arena.allocate(1 << 20, 8);
            List<CompletableFuture<?>> calls = new ArrayList<>();
            RdmaRpcTransport transport = client.connect(service.address(), TIMEOUT);
            for (int i = 0; i < 20; i++) {
                MemorySegment result = arena.allocate(1 << 20, 8);
                calls.add(placed(transport).callAsync(TestProgram.READ, new XdrInt(1 << 20), TestProgram.Trailed.of(result, 0),
                        Placement.none().result(result).replyAtMost(100), TIMEOUT));
                calls.add(placed(transport).callAsync(TestProgram.WRITE, TestProgram.Trailed.of(argument, i), new XdrInt(),
                        Placement.none().replyAtMost(100), TIMEOUT));
            }
            calls.get(round).exceptionally(failure -> null).get(60, TimeUnit.SECONDS);
            transport.close();
            for (CompletableFuture<?> call : calls) {
                try {
                    call.get(60, TimeUnit.SECONDS);
                } catch (ExecutionException e) {
                    assertTrue(e.getCause() instanceof java.io.IOException, "failed by " + e.getCause());
                }
            }
            assertEquals(0, arena.registrations(), "memory of calls that have ended is registered");
            arena.close();
            expectBystander();
        }
        expectNothingKept();
    }
}
