package org.panamaverbs.rpcrdma;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.dcache.oncrpc4j.rpc.OncRpcAcceptedException;
import org.dcache.oncrpc4j.rpc.OncRpcClient;
import org.dcache.oncrpc4j.rpc.RpcAuthTypeNone;
import org.dcache.oncrpc4j.rpc.RpcCall;
import org.dcache.oncrpc4j.rpc.RpcTransport;
import org.dcache.oncrpc4j.rpc.net.IpProtocolType;
import org.dcache.oncrpc4j.xdr.XdrInt;
import org.dcache.oncrpc4j.xdr.XdrVoid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.limits.ServiceLimits;

/** The service over TCP, called by oncrpc4j's own client and by bytes. */
class TcpRpcServiceTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final int LONGEST = 1 << 20;
    private final TestProgram program = new TestProgram();
    private TcpRpcService service;

    @BeforeEach
    void listen() throws Exception {
        service = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, program).withLongestCall(LONGEST)
                .withLimits(ServiceLimits.builder().calls(4).build()).listen(new InetSocketAddress("127.0.0.1", 0));
    }

    @AfterEach
    void close() {
        program.released.countDown();
        service.close();
    }

    private static PlacedCall placed(RpcTransport transport) {
        return new PlacedCall(TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), new RpcAuthTypeNone(), transport);
    }

    @Test
    void shouldServeOncrpc4jsClient() throws Exception {
        try (OncRpcClient client = new OncRpcClient(service.address(), IpProtocolType.TCP); Arena arena = Arena.ofShared()) {
            PlacedCall calls = placed(client.connect(60, TimeUnit.SECONDS));
            calls.call(TestProgram.NULL, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID, Placement.none(), TIMEOUT);
            for (int length : new int[] { 0, 1, 2, 3, 4, 1000, 9000, 300_001 }) {
                MemorySegment memory = arena.allocate(Math.max(length, 1), 8).asSlice(0, length);
                TestProgram.Trailed result = TestProgram.Trailed.of(memory, 0);
                calls.call(TestProgram.READ, new XdrInt(length), result, Placement.none(), TIMEOUT);
                assertEquals(length, result.length()[0]);
                assertEquals(length, result.trailer()[0]);
                for (int i = 0; i < length; i++) {
                    assertEquals(TestProgram.pattern(i), memory.get(ValueLayout.JAVA_BYTE, i));
                }
                XdrInt sum = new XdrInt();
                calls.call(TestProgram.WRITE, TestProgram.Trailed.of(memory, 5), sum, Placement.none(), TIMEOUT);
                assertEquals(TestProgram.sum(memory) + 5, sum.intValue());
            }
        }
    }

    @Test
    void shouldSayWhatItDoesNotServe() throws Exception {
        try (OncRpcClient client = new OncRpcClient(service.address(), IpProtocolType.TCP)) {
            RpcTransport transport = client.connect(60, TimeUnit.SECONDS);
            int number = TestProgram.PROGRAM.getNumber();
            for (RpcCall call : new RpcCall[] { new RpcCall(number, 9, new RpcAuthTypeNone(), transport),
                    new RpcCall(number + 1, 1, new RpcAuthTypeNone(), transport) }) {
                assertThrows(OncRpcAcceptedException.class, () -> call.call(0, XdrVoid.XDR_VOID, XdrVoid.XDR_VOID));
            }
        }
    }

    @Test
    void shouldPutFragmentsTogether() throws Exception {
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.fragment(false, 7, 0, 2);
            peer.fragment(false);
            peer.fragment(false, TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), TestProgram.ECHO, 0, 0, 0, 0);
            peer.fragment(true, 4, 0x01020304);
            assertArrayEquals(new int[] { 7, 1, 0, 0, 0, 0, 4, 0x01020304 }, peer.reply());
            int[] data = new int[5000];
            Arrays.setAll(data, i -> i);
            peer.fragment(false, 8, 0, 2, TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), TestProgram.ECHO, 0, 0, 0, 0,
                    20_000);
            peer.fragment(true, data);
            int[] reply = peer.reply();
            assertArrayEquals(data, Arrays.copyOfRange(reply, 7, reply.length));
        }
    }

    /** A part that it has already leaves no room for the whole. */
    @Test
    void shouldTakeTheLongestRecordInFragmentsWithoutMemoryToSpare() throws Exception {
        int[] head = { 8, 0, 2, TestProgram.PROGRAM.getNumber(), TestProgram.PROGRAM.getVersion(), TestProgram.NULL, 0, 0, 0, 0 };
        int words = LONGEST / Integer.BYTES;
        try (TcpRpcService small = TcpRpcService.builder().withRpcService(TestProgram.PROGRAM, program).withLongestCall(LONGEST)
                .withLimits(ServiceLimits.builder().memory(LONGEST).firstCall(HOUR).stall(HOUR).build())
                .listen(new InetSocketAddress("127.0.0.1", 0))) {
            try (TcpPeer peer = new TcpPeer(small.address())) {
                peer.fragment(false, head);
                peer.fragment(false, new int[words / 2]);
                peer.fragment(true, new int[words - words / 2 - head.length]);
                assertArrayEquals(new int[] { 8, 1, 0, 0, 0, 0 }, peer.reply());
            }
            Await.until("memory is kept", () -> small.counts().memory() == 0);
        }
    }

    @Test
    void shouldEndConnectionsThatSendGarbage() throws Exception {
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.mark(true, LONGEST + 1);
            assertTrue(peer.isEnded());
        }
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.fragment(true, 1);
            assertTrue(peer.isEnded());
        }
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.fragment(true, 1, 1, 0);
            assertTrue(peer.isEnded());
        }
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.fragment(true, 1, 0, 2);
            assertTrue(peer.isEnded());
        }
        try (TcpPeer peer = new TcpPeer(service.address())) {
            for (int i = 0; i < 2000; i++) {
                peer.fragment(false);
            }
            assertTrue(peer.isEnded());
        } catch (java.net.SocketException e) {
            // The end came while it was sending.
        }
        shouldServeOncrpc4jsClient();
        Await.until("connections are kept", () -> service.counts().connections() == 0);
        assertEquals(0, service.counts().memory());
    }

    @Test
    void shouldEndItsConnectionsThoughTheCallerIsInterrupted() throws Exception {
        try (TcpPeer peer = new TcpPeer(service.address())) {
            peer.call(1, 2, TestProgram.NULL);
            peer.reply();
            Thread.currentThread().interrupt();
            service.close();
            assertTrue(Thread.interrupted(), "the interrupt is lost");
            assertTrue(peer.isEnded());
        }
    }

    /** The reader stops at the limit; answers come in any order. */
    @Test
    void shouldReadNoMoreCallsThanMayBeUnderWay() throws Exception {
        try (TcpPeer peer = new TcpPeer(service.address()); TcpPeer other = new TcpPeer(service.address())) {
            for (int xid = 0; xid < 4; xid++) {
                peer.call(xid, 2, TestProgram.HANG);
            }
            peer.call(4, 2, TestProgram.NULL);
            other.call(1, 2, TestProgram.NULL);
            assertEquals(1, other.reply()[0]);
            Await.until("calls are not there", () -> program.hanging.get() == 4);
            program.released.countDown();
            int[] xids = new int[5];
            for (int i = 0; i < 5; i++) {
                xids[i] = peer.reply()[0];
            }
            assertTrue(xids[0] != 4, () -> Arrays.toString(xids));
        }
    }

    @Test
    void shouldAnswerACallWhoseProgramFails() throws Exception {
        try (TcpPeer peer = new TcpPeer(service.address())) {
            // More than may be under way: each must come back.
            for (int xid = 0; xid < 20; xid++) {
                peer.call(xid, 2, xid % 2 == 0 ? TestProgram.THROW : TestProgram.EXHAUST);
                int[] reply = peer.reply();
                assertEquals(xid, reply[0]);
                assertEquals(org.dcache.oncrpc4j.rpc.RpcAccepsStatus.SYSTEM, reply[5]);
            }
        }
    }
}
