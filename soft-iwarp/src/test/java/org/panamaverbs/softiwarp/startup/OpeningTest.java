package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.AcceptQueue;
import org.panamaverbs.softiwarp.cm.ActiveOpen;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.testing.conformance.Requirement;

/** Ends of openings, and failures on this side: the channel is closed, the program is told, and the next peer is served. */
class OpeningTest {
    private static final Duration END = Duration.ofSeconds(60);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Terms TERMS = new Terms(2, true, 16, 16, new byte[0]);
    /** The Request of {@link #TERMS}. */
    private static final int REQUEST_SIZE = 24;

    private static EventLoop loop(SurvivingLoopTest.Fault fault) {
        return new EventLoop(SurvivingLoopTest.faulty(fault), "faulty", 0);
    }

    /** Throws as a channel is to be watched, the first time. */
    private static EventLoop loopThatWatchesNotTheFirst(RuntimeException failure) {
        AtomicInteger channels = new AtomicInteger();
        return loop((method, arguments) -> {
            if (method.getName().equals("add") && arguments[0] instanceof Channel && channels.incrementAndGet() == 1) {
                throw failure;
            }
        });
    }

    private static ListeningPort<Channel> listen(EventLoop loop, Consumer<PassiveOpen<Object>> requested) {
        return ListeningPort.open(loop, ANY, new AcceptQueue<>("peer", 50), Route.USUAL_SERVICE, LONG_NANOS, requested);
    }

    private static void assertEnds(RawPeer peer) throws IOException {
        assertTrue(peer.endsWithin(END), "the peer sees no end");
    }

    /** A server that answers, or does not, and says when it has seen the end. */
    private static RawServer server(byte[] answer, CompletableFuture<Void> ended) throws IOException {
        return new RawServer(socket -> {
            try {
                socket.getOutputStream().write(answer);
                socket.getInputStream().transferTo(OutputStream.nullOutputStream());
            } catch (IOException e) {
                // An end that is not in good order.
            }
            ended.complete(null);
        });
    }

    // An opening that agrees at once.

    /** Names the steps of its end. */
    private static final class Agreeing extends Opening<String> {
        final List<String> calls = new CopyOnWriteArrayList<>();
        private final RuntimeException ofTheTaker;
        private final Error ofTheEnd;
        private int connected;
        private SystemException ofTheChannel;

        Agreeing(EventLoop loop, RuntimeException ofTheTaker, Error ofTheEnd) {
            super(loop, LONG_NANOS, reason -> {
                // The test looks at the outcome.
            });
            this.ofTheTaker = ofTheTaker;
            this.ofTheEnd = ofTheEnd;
        }

        /** Connects to a peer that answers, or does not. */
        void start(boolean answered) {
            connected = answered ? 1 : 0;
            connect(Route.to(ANY));
        }

        /** Connects to an address to which there is no channel. */
        void start(SystemException failure) {
            ofTheChannel = failure;
            connect(Route.to(ANY));
        }

        @Override
        protected Channel channelTo(Route route) {
            if (ofTheChannel != null) {
                throw ofTheChannel;
            }
            return new QuietChannel() {
                @Override
                public int finishConnect() {
                    return connected;
                }

                @Override
                public void close() {
                    calls.add("close");
                }
            };
        }

        @Override
        protected Registration watch() {
            return null;
        }

        @Override
        protected String waitsFor() {
            return "nothing comes";
        }

        @Override
        protected void advance() {
            agree();
        }

        @Override
        protected String take() {
            if (ofTheTaker != null) {
                throw ofTheTaker;
            }
            return "taken";
        }

        @Override
        protected void onNotTaken() {
            calls.add("tell");
            if (ofTheEnd != null) {
                throw ofTheEnd;
            }
        }

        @Override
        protected void onClosed() {
            calls.add("closed");
        }
    }

    /** The second failure is the loop's business, which logs it. */
    @Test
    void shouldCloseTheChannelThoughTellingThePeerFails() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            ResourceException first = new ResourceException("of the test");
            Agreeing opening = new Agreeing(loop, first, new OutOfMemoryError("the second of the test"));
            opening.start(true);
            assertSame(first, assertThrows(VerbsException.class, () -> opening.await(END)).getCause());
            loop.call(() -> assertEquals(List.of("tell", "close", "closed"), opening.calls));
        }
    }

    @Test
    void shouldGiveBackWhatItHasIfThereIsNoChannel() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            SystemException failure = new SystemException("of the test", (Throwable) null);
            Agreeing opening = new Agreeing(loop, null, null);
            assertSame(failure, assertThrows(SystemException.class, () -> opening.start(failure)));
            assertEquals(List.of("closed"), opening.calls);
        }
    }

    @Test
    void shouldNotAbortAConnectionThatIsTaken() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            Agreeing opening = new Agreeing(loop, null, null);
            opening.start(true);
            loop.call(opening::abort);
            assertEquals("taken", opening.await(Duration.ZERO));
            assertEquals(List.of(), opening.calls);
        }
    }

    @Test
    void shouldCloseTheChannelOfAnAttemptThatTakesTooLong() {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            Agreeing opening = new Agreeing(loop, null, null);
            opening.start(false);
            VerbsTimeoutException late = assertThrows(VerbsTimeoutException.class, () -> opening.await(Duration.ofMillis(20)));
            assertEquals("could not connect to " + Route.to(ANY).describe() + " within 20 ms: nothing comes", late.getMessage());
            assertEquals("await", late.getStackTrace()[1].getMethodName(), "the stack is the caller's");
            assertEquals(List.of("close", "closed"), opening.calls);
            loop.call(() -> opening.onReady(Multiplexer.READABLE));
            assertSame(late, assertThrows(VerbsTimeoutException.class, () -> opening.await(END)));
        }
    }

    @Test
    void shouldAbortAnAttemptThatAThreadWaitsFor() throws Exception {
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            Agreeing opening = new Agreeing(loop, null, null);
            opening.start(false);
            CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> opening.await(END));
            opening.abort();
            Throwable seen = assertThrows(ExecutionException.class, waiting::get).getCause();
            assertEquals("closed while trying to connect to " + Route.to(ANY).describe(),
                    assertInstanceOf(ClosedException.class, seen).getMessage());
            assertEquals(List.of("close", "closed"), opening.calls);
        }
    }

    @Test
    void shouldEndWithItsLoop() {
        Agreeing opening;
        try (EventLoop loop = new EventLoop(new NioMultiplexer(), "agreeing", 0)) {
            opening = new Agreeing(loop, null, null);
            opening.start(false);
        }
        assertThrows(ClosedException.class, () -> opening.await(END));
        assertEquals(List.of("close", "closed"), opening.calls);
    }

    // The active side.

    /** The reason for which an opening fails whose taker, if it comes so far, throws an error: the cause of what the caller gets. */
    private static VerbsException failure(EventLoop loop, RawServer server, Error ofTheTaker) {
        ActiveOpen<Object> open = new ActiveOpen<>(loop, path -> TERMS, (opened, agreement) -> {
            throw ofTheTaker;
        });
        open.connect(Route.to(server.address()));
        VerbsException thrown = assertThrows(VerbsException.class, () -> open.await(END));
        assertTrue(Arrays.stream(thrown.getStackTrace()).anyMatch(line -> line.getClassName().equals(OpeningTest.class.getName())),
                () -> "the stack is not the caller's: " + List.of(thrown.getStackTrace()));
        return assertInstanceOf(thrown.getClass(), thrown.getCause());
    }

    @Test
    void shouldEndAnAttemptWhoseChannelCannotBeWatched() throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        ResourceException failure = new ResourceException("ENOSPC (28) by epoll_ctl, once");
        try (RawServer server = server(new byte[0], ended); EventLoop loop = loopThatWatchesNotTheFirst(failure)) {
            assertSame(failure, failure(loop, server, null));
            Host.get(ended);
        }
    }

    @Test
    void shouldEndAnAttemptWhoseChannelCannotBeWatchedForADefect() throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        IllegalStateException failure = new IllegalStateException("a defect, once");
        try (RawServer server = server(new byte[0], ended); EventLoop loop = loopThatWatchesNotTheFirst(failure)) {
            assertSame(failure, failure(loop, server, null).getCause());
            Host.get(ended);
        }
    }

    @Test
    void shouldEndAnAttemptThatNobodyTakes() throws Exception {
        CompletableFuture<Void> ended = new CompletableFuture<>();
        OutOfMemoryError failure = new OutOfMemoryError("no room for a stream, once");
        try (RawServer server = server(Forge.start(false, true, 1, 1), ended); EventLoop loop = loop((method, arguments) -> {
        })) {
            VerbsException told = assertInstanceOf(ResourceException.class, failure(loop, server, failure));
            assertSame(failure, told.getCause());
            assertTrue(told.getMessage().contains(Integer.toString(server.address().getPort())), told.getMessage());
            Host.get(ended);
        }
    }

    /** RFC 6581, 9.3: the initiator says by a Terminate that it failed for a reason of its own, which is the first message and the last. */
    @Test
    @Requirement("RFC6581-9.3-a")
    void shouldSayByATerminateThatNobodyTakesTheAttempt() throws Exception {
        CompletableFuture<byte[]> all = new CompletableFuture<>();
        try (RawServer server = new RawServer(socket -> {
            socket.getOutputStream().write(Forge.start(false, true, 1, 1));
            all.complete(socket.getInputStream().readAllBytes());
        }); EventLoop loop = loop((method, arguments) -> {
        })) {
            failure(loop, server, new OutOfMemoryError("no room for a stream, once"));
            byte[] bytes = Host.get(all);
            assertArrayEquals(
                    Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x20, 5, 0, 0 }), true),
                    Arrays.copyOfRange(bytes, REQUEST_SIZE, bytes.length));
        }
    }

    // The passive side.

    @Test
    void shouldEndAPeerThatNobodyTakes() throws Exception {
        CompletableFuture<VerbsException> failed = new CompletableFuture<>();
        IllegalStateException failure = new IllegalStateException("a defect, once");
        try (EventLoop loop = loop((method, arguments) -> {
        })) {
            ListeningPort<Channel> port = listen(loop, open -> open.accept(loop, TERMS, (opened, agreement) -> {
                throw failure;
            }, failed::complete));
            try (RawPeer peer = new RawPeer(port.address(), true)) {
                assertSame(failure, Host.get(failed).getCause());
                assertEnds(peer);
            }
            port.close();
        }
    }

    @Test
    void shouldEndAPeerWhoseRequestNobodyTakesAndServeTheNext() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        CountDownLatch second = new CountDownLatch(1);
        try (EventLoop loop = loop((method, arguments) -> {
        })) {
            ListeningPort<Channel> port = listen(loop, open -> {
                if (requests.incrementAndGet() == 1) {
                    throw new IllegalStateException("a defect, once");
                }
                second.countDown();
            });
            try (RawPeer peer = new RawPeer(port.address(), true)) {
                assertEnds(peer);
            }
            try (RawPeer peer = new RawPeer(port.address(), true)) {
                assertTrue(second.await(END.toMillis(), TimeUnit.MILLISECONDS), () -> "no request of " + peer);
            }
            port.close();
        }
    }

    /** A listener hears once of peers that come together: an error of one must not make it forget the rest. */
    @Test
    void shouldServeThePeersBehindOneThatFails() throws Exception {
        CountDownLatch here = new CountDownLatch(1);
        CountDownLatch connected = new CountDownLatch(1);
        CountDownLatch requests = new CountDownLatch(2);
        try (EventLoop loop = loopThatWatchesNotTheFirst(new IllegalStateException("a defect, once"))) {
            ListeningPort<Channel> port = listen(loop, open -> requests.countDown());
            // Meanwhile the loop does not look.
            loop.execute(() -> {
                here.countDown();
                await(connected);
            });
            await(here);
            try (RawPeer first = new RawPeer(port.address(), true);
                    RawPeer second = new RawPeer(port.address(), true);
                    RawPeer third = new RawPeer(port.address(), true)) {
                connected.countDown();
                assertEnds(first);
                assertTrue(requests.await(END.toMillis(), TimeUnit.MILLISECONDS), () -> "no requests of " + second + " and " + third);
            }
            port.close();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(END.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    // The listener.

    @Test
    void shouldNotListenWhereItCannotHear() throws Exception {
        InetSocketAddress[] address = new InetSocketAddress[1];
        ResourceException failure = new ResourceException("ENOSPC (28) by epoll_ctl");
        try (EventLoop loop = loop((method, arguments) -> {
            if (method.getName().equals("add") && arguments[0] instanceof Acceptor<?> acceptor) {
                address[0] = acceptor.address();
                throw failure;
            }
        })) {
            assertSame(failure, assertThrows(ResourceException.class, () -> listen(loop, open -> {
            })));
            assertThrows(IOException.class, () -> new Socket(address[0].getAddress(), address[0].getPort()).close());
        }
    }

    /** Peers without end, or none for lack of descriptors, and what the loop does meanwhile. */
    private static final class Backlog implements Acceptor<Channel> {
        final AtomicInteger accepts = new AtomicInteger();
        final AtomicInteger selects = new AtomicInteger();
        final CompletableFuture<Multiplexer.Handler> handler = new CompletableFuture<>();
        private final Fake<Channel> peers;
        private final int size;

        Backlog(int size) {
            this.size = size;
            this.peers = new Fake<>(Channel.class, (method, arguments) -> switch (method.getName()) {
                case "read" -> 0L;
                case "remoteAddress" -> ANY;
                default -> null;
            });
        }

        /** A loop whose listeners all have this backlog. */
        EventLoop loop() {
            Multiplexer real = Transports.open("nio");
            return new EventLoop(new Fake<>(Multiplexer.class, (method, arguments) -> {
                if (method.getName().equals("listen")) {
                    return this;
                }
                if (method.getName().equals("add")) {
                    if (arguments[0] == this) {
                        handler.complete((Multiplexer.Handler) arguments[1]);
                    }
                    return null;
                }
                if (method.getName().equals("select")) {
                    selects.incrementAndGet();
                }
                return method.invoke(real, arguments);
            }).proxy(), "backlog", 0);
        }

        @Override
        public Channel accept() {
            int count = accepts.incrementAndGet();
            if (size == 0) {
                throw new ResourceException("EMFILE (24) by accept4");
            }
            return count <= size ? peers.proxy() : null;
        }

        @Override
        public InetSocketAddress address() {
            return ANY;
        }

        @Override
        public void close() {
            // Nothing is open.
        }

        void await(int count) {
            long start = System.nanoTime();
            while (accepts.get() < count) {
                assertTrue(System.nanoTime() - start < END.toNanos(), () -> accepts + " accepts; awaited are " + count);
                Thread.onSpinWait();
            }
        }
    }

    /** Without descriptors each further peer is an edge of its own: they must not each begin to ask again and again. */
    @Test
    void shouldAskAgainForPeersOnceAtATime() throws Exception {
        Backlog exhausted = new Backlog(0);
        try (EventLoop loop = exhausted.loop()) {
            ListeningPort<Channel> port = listen(loop, open -> {
            });
            Multiplexer.Handler handler = Host.get(exhausted.handler);
            long start = System.nanoTime();
            loop.call(() -> {
                for (int edge = 0; edge < 50; edge++) {
                    handler.onReady(Multiplexer.READABLE);
                }
            });
            exhausted.await(4);
            long taken = System.nanoTime() - start;
            assertTrue(taken > 250_000_000, () -> "asked " + exhausted.accepts + " times in " + taken + " ns");
            port.close();
        }
    }

    /** A listener takes some peers at a time, and lets the loop do the rest of its work between. */
    @Test
    void shouldTakeABoundedNumberOfPeersPerTurn() throws Exception {
        int size = 1000;
        Backlog backlog = new Backlog(size);
        try (EventLoop loop = backlog.loop()) {
            ListeningPort<Channel> port = listen(loop, open -> {
            });
            Multiplexer.Handler handler = Host.get(backlog.handler);
            CompletableFuture<Integer> before = new CompletableFuture<>();
            int selects = backlog.selects.get();
            loop.call(() -> {
                handler.onReady(Multiplexer.READABLE);
                before.complete(backlog.accepts.get());
            });
            backlog.await(size + 1);
            int turns = backlog.selects.get() - selects;
            assertTrue(Host.get(before) <= 100, () -> before.join() + " peers at once");
            assertTrue(turns >= size / 100, () -> size + " peers in " + turns + " turns");
            assertEquals(size + 1, backlog.accepts.get());
            port.close();
        }
    }
}
