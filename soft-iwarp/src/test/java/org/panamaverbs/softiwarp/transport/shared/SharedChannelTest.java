package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.Task;
import org.panamaverbs.softiwarp.transport.epoll.EpollMultiplexer;

/** Each end of a channel, before and after the greeting, and the threads that may bring it about at the same time. */
class SharedChannelTest {
    private static final int ROUNDS = 300;
    private static final long MOMENT_NANOS = 5_000_000;
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Multiplexer multiplexer = new SharedMultiplexer(new EpollMultiplexer(), true);
    private final Arena arena = Arena.ofShared();
    private final Acceptor<Channel> acceptor = multiplexer.listen(Peers.loopback(0), 4);
    private final MemorySegment sink = arena.allocate(64);
    private final long mappings = mappings();
    private int events;

    @AfterEach
    void close() {
        acceptor.close();
        multiplexer.close();
        arena.close();
        assertUnmapped();
    }

    /** A session of an earlier test may still give rings back. */
    private void assertUnmapped() {
        assertTrue(mappings() <= mappings, "rings are still mapped");
    }

    private static long mappings() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains("panama-verbs-rings")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Channel accept() {
        Channel channel = null;
        while (channel == null) {
            channel = acceptor.accept();
        }
        return channel;
    }

    /** A peer that has connected, and has not sent its greeting. */
    private Offer.Connected connect() {
        return Offer.connect(Route.to(acceptor.address()));
    }

    private static SharedChannel greet(Offer.Connected peer) {
        return SharedChannel.ofConnected(peer, "test", RingMemory.LEAST_CAPACITY);
    }

    private long read(Channel channel) {
        return channel.read(Peers.vector(sink));
    }

    private long write(Channel channel) {
        return channel.write(Peers.vector(Peers.text(arena, "abc")));
    }

    private void add(Channel channel) {
        multiplexer.add(channel, ready -> events |= ready);
    }

    /** Selects until nothing is left to report: the peers have to wake this side from then on. */
    private void selectAll() {
        do {
            events = 0;
            multiplexer.select(MOMENT_NANOS);
        } while (events != 0);
    }

    private void await(int event) {
        long begin = System.nanoTime();
        while ((events & event) == 0) {
            multiplexer.select(PATIENCE_NANOS);
            assertTrue(System.nanoTime() - begin < PATIENCE_NANOS, "no edge");
        }
    }

    private static void assertErrno(int number, Channel channel) {
        assertEquals(number, assertInstanceOf(SystemException.class, channel.failure()).errorNumber());
    }

    private void assertBroken(Channel channel) {
        assertEquals(Channel.BROKEN, read(channel));
        assertEquals(Channel.BROKEN, write(channel));
    }

    @Test
    void shouldMoveNothingBeforeTheGreeting() {
        Offer.Connected peer = connect();
        Channel server = accept();
        assertEquals(1, server.finishConnect());
        assertEquals(0, read(server));
        assertEquals(0, write(server));
        SharedChannel client = greet(peer);
        assertEquals(0, read(server));
        assertEquals(3, write(server));
        assertEquals(3, read(client));
        server.close();
        client.close();
    }

    /** A read has taken the greeting, and the selecting thread does not learn of it from the socket. */
    @Test
    void shouldReportBytesThatComeAfterAReadHasTakenTheGreeting() {
        Offer.Connected peer = connect();
        Channel server = accept();
        add(server);
        selectAll();
        SharedChannel client = greet(peer);
        assertEquals(0, read(server));
        selectAll();
        assertEquals(0, read(server));
        assertEquals(3, write(client));
        await(Multiplexer.READABLE);
        assertEquals(3, read(server));
        server.close();
        client.close();
    }

    @Test
    void shouldBlameAPeerThatLeavesBeforeItsGreeting() {
        Offer.Connected peer = connect();
        Channel server = accept();
        add(server);
        selectAll();
        peer.socket().close();
        await(Multiplexer.READABLE);
        assertBroken(server);
        String message = assertInstanceOf(PeerException.class, server.failure()).getMessage();
        assertTrue(message.contains("it left before its greeting"), message);
        server.close();
    }

    @Test
    void shouldCloseBeforeTheGreeting() {
        Offer.Connected peer = connect();
        Channel server = accept();
        server.close();
        server.close();
        server.shutdownOutput();
        assertEquals(Channel.BROKEN, server.finishConnect());
        assertBroken(server);
        assertInstanceOf(ClosedException.class, server.failure());
        peer.socket().close();
    }

    @Test
    void shouldShowThePeerAnEndFromBeforeTheGreeting() {
        Offer.Connected peer = connect();
        Channel server = accept();
        server.shutdownOutput();
        assertEquals(Channel.BROKEN, write(server));
        SharedChannel client = greet(peer);
        add(client);
        selectAll();
        assertEquals(0, read(client));
        assertEquals(0, read(server));
        await(Multiplexer.READABLE);
        assertEquals(Channel.END_OF_STREAM, read(client));
        assertEquals(3, write(client));
        assertEquals(3, read(server));
        server.close();
        client.close();
    }

    /** Once, even to a reader that has not taken all bytes that were reported before; the other direction goes on. */
    @Test
    void shouldReportTheEndOfThePeersDirection() {
        SharedChannel client = greet(connect());
        Channel server = accept();
        add(server);
        assertEquals(3, write(client));
        selectAll();
        client.shutdownOutput();
        await(Multiplexer.READABLE);
        selectAll();
        assertEquals(3, read(server));
        // The read has taken the last bytes, and so another one must come.
        await(Multiplexer.READABLE);
        assertEquals(Channel.END_OF_STREAM, read(server));
        selectAll();
        assertEquals(3, write(server));
        assertEquals(3, read(client));
        assertEquals(Channel.BROKEN, write(client));
        assertErrno(Errno.EPIPE, client);
        server.close();
        client.close();
    }

    @Test
    void shouldReadTheLastBytesOfAPeerThatHasLeft() {
        SharedChannel client = greet(connect());
        Channel server = accept();
        add(server);
        selectAll();
        assertEquals(3, write(client));
        client.close();
        await(Multiplexer.WRITABLE);
        assertEquals(Channel.BROKEN, write(server));
        events = 0;
        assertEquals(3, read(server));
        await(Multiplexer.READABLE);
        assertEquals(Channel.END_OF_STREAM, read(server));
        assertErrno(Errno.EPIPE, server);
        server.close();
    }

    @Test
    void shouldBreakTheStreamOfAPeerThatHasLeftBytesUnread() {
        SharedChannel client = greet(connect());
        Channel server = accept();
        add(server);
        selectAll();
        assertEquals(3, write(client));
        assertEquals(3, write(server));
        client.close();
        await(Multiplexer.WRITABLE);
        assertEquals(3, read(server), "its last bytes are there");
        assertBroken(server);
        assertErrno(Errno.ECONNRESET, server);
        server.close();
        assertInstanceOf(ClosedException.class, server.failure());
    }

    @Test
    void shouldNameTheFirstRuleThatThePeerBroke() {
        try (RawRings peer = RawRings.connect(acceptor.address())) {
            Channel server = accept();
            add(server);
            selectAll();
            peer.claimFrame(peer.written(), -1);
            await(Multiplexer.READABLE);
            assertBroken(server);
            for (int i = 0; i <= WakeUps.MOST; i++) {
                peer.wake();
            }
            selectAll();
            server.shutdownOutput();
            assertBroken(server);
            server.close();
            String message = assertInstanceOf(PeerException.class, server.failure()).getMessage();
            assertTrue(message.contains("make no sense"), message);
        }
    }

    @Test
    void shouldClose() {
        SharedChannel client = greet(connect());
        Channel server = accept();
        add(server);
        selectAll();
        server.close();
        server.close();
        server.shutdownOutput();
        assertEquals(Channel.BROKEN, server.finishConnect());
        assertBroken(server);
        assertInstanceOf(ClosedException.class, server.failure());
        client.close();
        selectAll();
    }

    /** Whichever comes first: the peer sees the end of this side's direction. */
    @Test
    void shouldEndADirectionWhileTheGreetingComes() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Offer.Connected peer = connect();
            Channel server = accept();
            CyclicBarrier start = new CyclicBarrier(3);
            SharedChannel[] client = new SharedChannel[1];
            Task greeter = task(start, () -> client[0] = greet(peer));
            Task ender = task(start, server::shutdownOutput);
            start.await();
            while (greeter.isAlive() || ender.isAlive()) {
                assertEquals(0, read(server));
            }
            greeter.join();
            ender.join();
            assertEquals(0, read(server));
            assertEquals(Channel.END_OF_STREAM, read(client[0]));
            client[0].close();
            server.close();
        }
    }

    /** Whichever comes first: nobody uses memory that is not there, and nothing stays mapped. */
    @Test
    void shouldCloseWhileTheGreetingComesAndOthersUseIt() throws Exception {
        for (int i = 0; i < ROUNDS; i++) {
            Offer.Connected peer = connect();
            Channel server = accept();
            add(server);
            CyclicBarrier start = new CyclicBarrier(5);
            SharedChannel[] client = new SharedChannel[1];
            Task[] tasks = { task(start, () -> {
                // Its peer may have closed already.
                try {
                    client[0] = greet(peer);
                } catch (SystemException e) {
                    assertEquals(Errno.EPIPE, e.errorNumber());
                }
            }), task(start, server::close), task(start, () -> {
                long count;
                do {
                    count = read(server);
                } while (count >= 0);
                assertEquals(Channel.BROKEN, count);
            }), task(start, () -> {
                server.write(Peers.vector(Peers.text(arena, "abc")));
                server.shutdownOutput();
            }) };
            start.await();
            while (Stream.of(tasks).anyMatch(Task::isAlive)) {
                multiplexer.select(0);
            }
            for (Task task : tasks) {
                task.join();
            }
            assertBroken(server);
            assertInstanceOf(ClosedException.class, server.failure());
            if (client[0] != null) {
                client[0].close();
            }
            assertUnmapped();
        }
    }

    private static Task task(CyclicBarrier start, Runnable body) {
        return Task.start(() -> {
            start.await();
            body.run();
        });
    }
}
