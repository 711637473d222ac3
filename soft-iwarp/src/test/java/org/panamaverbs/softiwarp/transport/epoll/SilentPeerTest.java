package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.panamaverbs.SystemException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.testing.Proofs;

/** Keep-alive and the user time-out: peers that are gone without a word, and peers that only take nothing. */
class SilentPeerTest {
    private static final int NEVER = 0;
    private static final int SHORT = 300;
    private static final int MEBIBYTE = 1 << 20;

    private final Arena arena = Arena.ofShared();
    private Multiplexer multiplexer;
    private Peers peers;

    @BeforeEach
    void requireEpoll() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
    }

    @AfterEach
    void close() {
        if (peers != null) {
            peers.close();
            multiplexer.close();
        }
        arena.close();
    }

    private void connect(int keepAlive, int userTimeout) {
        multiplexer = new EpollMultiplexer(new TcpOptions("", keepAlive, userTimeout));
        peers = Peers.connect(multiplexer);
    }

    @Test
    void shouldSetKeepAliveAtBothEnds() {
        connect(20_000, NEVER);
        for (Peers.End end : new Peers.End[] { peers.client, peers.server }) {
            assertAll(() -> assertEquals(1, option(end, Libc.SOL_SOCKET(), Sockets.SO_KEEPALIVE)),
                    () -> assertEquals(10, option(end, Libc.IPPROTO_TCP(), Sockets.TCP_KEEPIDLE)),
                    () -> assertEquals(2, option(end, Libc.IPPROTO_TCP(), Sockets.TCP_KEEPINTVL)),
                    () -> assertEquals(5, option(end, Libc.IPPROTO_TCP(), Sockets.TCP_KEEPCNT)),
                    // It would end the connection of a living peer that takes nothing: see PeerWatch.
                    () -> assertEquals(0, option(end, Libc.IPPROTO_TCP(), Libc.TCP_USER_TIMEOUT())));
        }
    }

    @Test
    void shouldLeaveKeepAliveToTheSystemIfItIsOff() {
        connect(NEVER, NEVER);
        assertAll(() -> assertEquals(0, option(peers.client, Libc.SOL_SOCKET(), Sockets.SO_KEEPALIVE)),
                () -> assertEquals(0, option(peers.server, Libc.SOL_SOCKET(), Sockets.SO_KEEPALIVE)));
    }

    @Test
    void shouldEndAConnectionWhosePeerAcknowledgesNothing() {
        connect(NEVER, SHORT);
        Deafness.begin(fd(peers.server));
        fill(peers.client);

        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
        assertEquals(Channel.BROKEN, peers.client.channel.write(into(1)));
        SystemException failure = (SystemException) peers.client.channel.failure();
        assertAll(() -> assertEquals(Libc.ETIMEDOUT(), failure.errorNumber()), () -> assertTrue(failure.getMessage().contains(Route
                .text(peers.client.channel.remoteAddress())
                + " acknowledged nothing for 0.3 s (setting panamaverbs.softiwarp.user-timeout); the peer does not answer: it is down,"
                + " or the link to it is cut, or a firewall drops the packets"), failure::getMessage));
    }

    /** Less than what the socket takes: the program has nothing to wait for, and no event comes. */
    @Test
    void shouldEndAConnectionWhosePeerAcknowledgesNoSmallMessage() {
        connect(NEVER, SHORT);
        Deafness.begin(fd(peers.server));
        assertEquals(1, peers.client.channel.write(into(1)));
        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
    }

    /** Nothing but the end of the stream is under way. Keep-alive would not help: the kernel sends no probe while a packet is out. */
    @Test
    void shouldEndAHalfClosedConnectionWhosePeerAcknowledgesNothing() {
        connect(NEVER, SHORT);
        Deafness.begin(fd(peers.server));
        peers.client.channel.shutdownOutput();
        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
    }

    @Test
    void shouldKeepAHalfClosedConnectionWhosePeerLives() {
        connect(NEVER, SHORT);
        peers.client.channel.shutdownOutput();
        selectFor(3 * SHORT);
        peers.write(peers.server, into(1));
        assertEquals(1, peers.read(peers.client, into(1)));
    }

    /** The kernel gives up, and not for want of an answer to a probe. */
    @Test
    void shouldNotNameKeepAliveIfDataWasNotAcknowledged() {
        connect(20_000, NEVER);
        try (Arena call = Arena.ofConfined()) {
            Sockets.setOption(Native.newErrno(call), "set a time-out", new Descriptor(fd(peers.client)), Libc.IPPROTO_TCP(),
                    Libc.TCP_USER_TIMEOUT(), SHORT);
        }
        Deafness.begin(fd(peers.server));
        peers.write(peers.client, into(1));
        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
        SystemException failure = (SystemException) peers.client.channel.failure();
        assertAll(() -> assertEquals(Libc.ETIMEDOUT(), failure.errorNumber()),
                () -> assertFalse(failure.getMessage().contains("keepalive"), failure::getMessage));
    }

    @Test
    void shouldLiveOnIfThePeerAnswersAgainInTime() {
        connect(NEVER, 60_000);
        Deafness.begin(fd(peers.server));
        peers.write(peers.client, into(1));
        selectFor(100);
        Deafness.end(fd(peers.server));
        assertEquals(1, peers.read(peers.server, into(1)));
        selectFor(SHORT);
        peers.write(peers.server, into(1));
        assertEquals(1, peers.read(peers.client, into(1)));
    }

    /** The kernel's own TCP_USER_TIMEOUT ends this connection: a peer without room counts as silent there, though it answers each probe. */
    @Test
    void shouldKeepAConnectionWhosePeerTakesNothing() {
        connect(NEVER, SHORT);
        long sent = fill(peers.client);
        selectFor(2_500);
        IoVector into = into(MEBIBYTE);
        for (long left = sent; left > 0;) {
            long count = peers.read(peers.server, into);
            assertTrue(count > 0, "read returned " + count);
            left -= count;
        }
        peers.write(peers.client, into(1));
        assertEquals(1, peers.read(peers.server, into(1)));
    }

    /** The pause between two probes of a closed window doubles each time: after 7 s, the next one is some 6 s away if nothing limits it. */
    @Test
    @Tag(Proofs.TAG)
    void shouldEndAConnectionWhosePeerVanishesWhileItHasNoRoom() {
        connect(NEVER, 1_000);
        assumeTrue(option(peers.client, Libc.IPPROTO_TCP(), Sockets.TCP_RTO_MAX_MS) > 0, "Linux before 6.15 has no limit of the pause");
        fill(peers.client);
        selectFor(7_000);
        Deafness.begin(fd(peers.server));
        long begin = System.nanoTime();
        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
        long took = System.nanoTime() - begin;
        // The time-out while probes are out is 2 s at least, and the first probe comes within 1 s; without the limit that probe comes after 6 s.
        assertTrue(took < TimeUnit.MILLISECONDS.toNanos(5_500), () -> took / 1_000_000 + " ms");
    }

    @Test
    void shouldLimitThePauseBetweenAttemptsByTheUserTimeout() {
        connect(NEVER, 20_000);
        int client = option(peers.client, Libc.IPPROTO_TCP(), Sockets.TCP_RTO_MAX_MS);
        assumeTrue(client > 0, "Linux before 6.15 has no limit of the pause");
        assertEquals(5_000, client);
        assertEquals(5_000, option(peers.server, Libc.IPPROTO_TCP(), Sockets.TCP_RTO_MAX_MS));
    }

    /** An end that nobody writes to again must be free at once, with what it did not send. */
    @Test
    void shouldResetAConnectionThatItGaveUp() {
        connect(NEVER, SHORT);
        Deafness.begin(fd(peers.server));
        fill(peers.client);
        assertEquals(Channel.BROKEN, peers.read(peers.client, into(1)));
        Deafness.end(fd(peers.server));
        peers.client.channel.close();
        long count = peers.read(peers.server, into(MEBIBYTE));
        while (count > 0) {
            count = peers.read(peers.server, into(MEBIBYTE));
        }
        assertEquals(Channel.BROKEN, count);
    }

    private IoVector into(long bytes) {
        return Peers.vector(arena.allocate(bytes));
    }

    /** Writes until nothing more goes in; returns the number of bytes. */
    private long fill(Peers.End end) {
        MemorySegment memory = arena.allocate(MEBIBYTE);
        long sum = 0;
        while (true) {
            long count = end.channel.write(Peers.vector(memory));
            sum += count;
            if (count == 0) {
                return sum;
            }
            if (count < MEBIBYTE) {
                selectFor(20);
            }
        }
    }

    private void selectFor(long milliseconds) {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            multiplexer.select(left);
        }
    }

    private static int fd(Peers.End end) {
        return ((EpollChannel) end.channel).source().socket().fd();
    }

    private static int option(Peers.End end, int level, int option) {
        try (Arena arena = Arena.ofConfined()) {
            return Sockets.option(Native.newErrno(arena), fd(end), level, option, -1);
        }
    }
}
