package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.Inet4Address;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.BaseMultiplexerTestCase;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.Task;
import org.panamaverbs.testing.Proofs;

/** The epoll transport: the contract, and the promises of this transport alone. */
class EpollMultiplexerTest extends BaseMultiplexerTestCase {
    @BeforeEach
    @Override
    protected void openMultiplexer() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
        super.openMultiplexer();
    }

    @Override
    protected Multiplexer open() {
        return new EpollMultiplexer();
    }

    @Test
    void shouldTakeAllPartsThoughOneSystemCallTakesFewer() {
        IoVector from = new IoVector(1000);
        MemorySegment[] segments = new MemorySegment[5];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = arena.allocate(4096);
        }
        for (int i = 0; i < 200; i++) {
            from.add(segments[i < 100 ? 0 : i % 5], 7 * i, 3);
        }
        try (Peers peers = Peers.connect(multiplexer)) {
            assertEquals(600, peers.client.channel.write(from));
            peers.await(() -> peers.server.readable);
            assertEquals(600, peers.server.channel.read(from));
        }
    }

    @Test
    void shouldTellAgainOfWhatAShortReadLeftBehind() {
        try (Peers peers = Peers.connect(multiplexer)) {
            MemorySegment good = arena.allocate(8);
            peers.write(peers.client, Peers.vector(arena.allocate(100)));
            peers.await(() -> peers.server.readable);
            peers.server.readable = false;
            // The fourth segment is not part of the first system call, and cannot be read into.
            IoVector into = Peers.vector(good, arena.allocate(8), arena.allocate(8), arena.allocate(8).asReadOnly());
            assertEquals(24, peers.server.channel.read(into));
            peers.await(() -> peers.server.readable);
            into.consume(24);
            assertEquals(Channel.BAD_MEMORY, peers.server.channel.read(into));
        }
    }

    @Test
    void shouldTellNothingOfAChannelUntilItIsWatchedAgain() {
        try (Peers peers = Peers.connect(multiplexer)) {
            peers.await(() -> peers.server.writable && peers.client.writable);
            peers.server.writable = false;
            multiplexer.unwatch(peers.server.channel);
            peers.write(peers.client, Peers.vector(arena.allocate(100)));
            multiplexer.select(20_000_000);
            assertFalse(peers.server.readable, "nobody watches");
            assertTrue(multiplexer.watch(peers.server.channel));
            peers.await(() -> peers.server.readable && peers.server.writable);
            assertEquals(100, peers.server.channel.read(Peers.vector(arena.allocate(200))));
            assertTrue(multiplexer.watch(peers.server.channel), "it is watched already");
        }
    }

    @Test
    void shouldWatchAChannelNoMoreThatIsClosed() {
        try (Peers peers = Peers.connect(multiplexer)) {
            multiplexer.unwatch(peers.server.channel);
            peers.server.channel.close();
            assertTrue(multiplexer.watch(peers.server.channel));
            multiplexer.unwatch(peers.server.channel);
        }
    }

    @Test
    void shouldRefuseAPartThatLeavesItsSegment() {
        try (Peers peers = Peers.connect(multiplexer)) {
            IoVector from = new IoVector(1);
            from.add(arena.allocate(8), 1, 8);
            assertThrows(IndexOutOfBoundsException.class, () -> peers.client.channel.write(from));
        }
    }

    // Needs the compiler that avoids allocations.
    @Tag(Proofs.TAG)
    @Test
    void shouldAllocateNothingWhileItSelectsReadsAndWrites() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().threadId();
        MemorySegment source = arena.allocate(1000);
        MemorySegment sink = arena.allocate(1000);
        IoVector from = Peers.vector(source, arena.allocate(10), arena.allocate(20));
        IoVector into = Peers.vector(sink, arena.allocate(2000));
        try (Peers peers = Peers.connect(multiplexer)) {
            // Until it is compiled by C2, the JDK's linker makes an object for each captured errno (see SocketCalls); we make none.
            long allocated = Long.MAX_VALUE;
            long most = 0;
            for (int window = 0; window < 200 && allocated > 0; window++) {
                long before = threads.getThreadAllocatedBytes(self);
                for (int i = 0; i < 500; i++) {
                    exchange(peers, from, into);
                }
                allocated = threads.getThreadAllocatedBytes(self) - before;
                most = window == 0 ? 0 : Math.max(most, allocated);
            }
            assertEquals(0, allocated, "bytes allocated in 500 rounds");
            assertTrue(most <= 500 * (5 * 40 + 8), "bytes allocated in 500 rounds of 5 calls, not compiled: " + most);
        }
    }

    private void exchange(Peers peers, IoVector from, IoVector into) {
        assertEquals(1030, peers.client.channel.write(from));
        peers.server.readable = false;
        while (!peers.server.readable) {
            multiplexer.select(1_000_000_000);
        }
        assertEquals(1030, peers.server.channel.read(into));
        assertEquals(0, peers.server.channel.read(into));
        multiplexer.select(1000);
    }

    @Test
    void shouldNameTheAddressThatIsNotThisMachines() {
        // 192.0.2.0/24 is for documentation (RFC 5737).
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.listen(new InetSocketAddress("192.0.2.1", 0), 1));
        assertEquals(Errno.EADDRNOTAVAIL, failure.errorNumber());
        assertTrue(failure.getMessage().contains("listen on 192.0.2.1:0: bind: EADDRNOTAVAIL (99), "), failure.getMessage());
    }

    @Test
    void shouldNameTheAddressToConnectFromThatIsNotThisMachines() {
        Route route = Route.to(Peers.loopback(1)).from(new InetSocketAddress("192.0.2.1", 0));
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.connect(route));
        assertEquals(Errno.EADDRNOTAVAIL, failure.errorNumber());
        String said = "connect to 127.0.0.1:1 from 192.0.2.1:0: bind: EADDRNOTAVAIL (99), ";
        assertTrue(failure.getMessage().contains(said), failure.getMessage());
        assertTrue(failure.getMessage().contains("no network interface of this machine has this address"), failure.getMessage());
    }

    @Test
    void shouldNameTheAddressToConnectFromThatIsInUse() {
        Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 1);
        Route route = Route.to(Peers.loopback(1)).from(acceptor.address());
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.connect(route));
        assertEquals(Errno.EADDRINUSE, failure.errorNumber());
        assertTrue(failure.getMessage().contains(" from " + Route.text(acceptor.address()) + ": bind: EADDRINUSE (98), "),
                failure.getMessage());
        acceptor.close();
    }

    /** As the kernel tells it of both sockets; it keeps the two lower bits to itself. */
    @ParameterizedTest
    @CsvSource({ "127.0.0.1, 184, 0, 184, 0", "127.0.0.1, -1, 40, 0, 40", "127.0.0.1, 255, 3, 252, 0", "::1, 184, 40, 184, 40" })
    void shouldMarkThePacketsOfEachEnd(String host, int connecting, int listening, int client, int server) {
        InetSocketAddress local = new InetSocketAddress(host, 0);
        Acceptor<Channel> acceptor = null;
        try {
            acceptor = multiplexer.listen(local, 1, listening);
        } catch (SystemException e) {
            assumeTrue(false, "no IPv6 here: " + e.getMessage());
        }
        Channel asks = multiplexer.connect(Route.to(acceptor.address()).withTypeOfService(connecting));
        Channel answers = null;
        while (answers == null || asks.finishConnect() == 0) {
            answers = answers == null ? acceptor.accept() : answers;
        }
        boolean four = local.getAddress() instanceof Inet4Address;
        assertEquals(client, typeOfService(asks, four));
        assertEquals(server, typeOfService(answers, four));
        asks.close();
        answers.close();
        acceptor.close();
    }

    private static int typeOfService(Channel channel, boolean four) {
        Descriptor socket = ((EpollChannel) channel).source().socket();
        assertTrue(socket.acquire());
        try (Arena arena = Arena.ofConfined()) {
            return Sockets.option(Native.newErrno(arena), socket.fd(), four ? Sockets.IPPROTO_IP : Libc.IPPROTO_IPV6(),
                    four ? Sockets.IP_TOS : Sockets.IPV6_TCLASS, -1);
        } finally {
            socket.release();
        }
    }

    @Test
    void shouldTellAHandlerAddedFromAnotherThreadWhileItSelects() throws InterruptedException {
        AtomicLong calls = new AtomicLong();
        try (Peers peers = Peers.connectOnly(multiplexer)) {
            Task other = Task.start(() -> multiplexer.add(peers.client.channel, events -> calls.incrementAndGet()));
            while (calls.get() == 0) {
                multiplexer.select(-1);
            }
            other.join();
        }
    }
}
