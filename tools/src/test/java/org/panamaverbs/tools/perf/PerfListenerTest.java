package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.tools.shared.Resources;

/** Peers that ask for too much, and connections that end badly. */
@Isolated("It looks at the memory and the threads of the whole process.")
class PerfListenerTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long MEMORY = 32 << 20;
    private static final int SIZE = 4 << 20;
    private static final int TIMES = 60;

    private final Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
    private final StringWriter said = new StringWriter();
    private PerfListener listener;

    private void listen(Duration patience) {
        listener = new PerfListener(verbs.device(), new InetSocketAddress("127.0.0.1", 0), new PerfListener.Policy(false, MEMORY, patience),
                new PrintWriter(said));
        Thread.ofPlatform().daemon().start(listener::serve);
    }

    @AfterEach
    void close() {
        listener.close();
        verbs.close();
    }

    private static Plan plan(Operation operation, Plan.Mode mode, Waiting waiting, long size) {
        return new Plan(operation, mode, waiting, size, 4, size, 0, 0);
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long start = System.nanoTime();
        while (!condition.getAsBoolean() && System.nanoTime() - start < PATIENCE.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
        assertTrue(condition.getAsBoolean());
    }

    /** A connection that does as its test wants. */
    private final class Peer implements AutoCloseable {
        private final Resources resources = new Resources(verbs.device(), 256);
        private final MemoryRegion region = resources.domain().register(resources.arena().allocate(SIZE), Access.LOCAL_WRITE,
                Access.REMOTE_WRITE);
        private final QueuePair pair;
        private final Connection connection;

        Peer(byte[] privateData) {
            this(plan(Operation.WRITE, Plan.Mode.IDLE, Waiting.BLOCK, 1), privateData);
        }

        /** @param privateData to send instead of the plan; {@code null} for the plan, with a buffer of this peer */
        private Peer(Plan plan, byte[] privateData) {
            byte[] wanted = privateData != null ? privateData : plan.withBuffer(region.address(), region.remoteKey()).encode();
            try (Connector connector = ConnectionManager.of(verbs.device()).connector(listener.address(), PATIENCE)) {
                pair = connector.createQueuePair(resources.domain(), QueuePairAttributes.of(resources.queue()).withDepths(64, 64));
                for (int i = 0; i < 64; i++) {
                    pair.post(new ReceiveRequest().receive(i));
                }
                connection = connector.connect(ConnectionParameters.defaults().withPrivateData(wanted), PATIENCE);
            } catch (RuntimeException e) {
                resources.close();
                throw e;
            }
        }

        Peer(Plan plan) {
            this(plan, null);
        }

        RemoteMemory target() {
            Offer offer = offer();
            return new RemoteMemory(offer.address(), offer.key(), SIZE);
        }

        Waiting waiting() {
            return offer().waiting();
        }

        private Offer offer() {
            return Offer.decode(connection.privateData()).orElseThrow();
        }

        /** Sends so many bytes, as often as told. */
        void send(int length, int times) {
            for (int i = 0; i < times; i++) {
                pair.post(new SendRequest().send(i).local(region, 0, length).signaled());
            }
        }

        @Override
        public void close() {
            connection.close();
            resources.close();
        }
    }

    private String refusal(Plan plan) {
        return new String(assertThrows(RejectedException.class, () -> new Peer(plan).close()).privateData(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldNotSpinBecauseAPeerAsksForIt() {
        listen(PATIENCE);
        try (Peer peer = new Peer(plan(Operation.SEND, Plan.Mode.LATENCY, Waiting.SPIN, 64));
                Peer other = new Peer(plan(Operation.SEND, Plan.Mode.LATENCY, Waiting.CHANNEL, 64))) {
            assertAll(() -> assertEquals(Waiting.BLOCK, peer.waiting()), () -> assertEquals(Waiting.CHANNEL, other.waiting()));
        }
        String why = refusal(plan(Operation.WRITE, Plan.Mode.LATENCY, Waiting.SPIN, 64));
        assertTrue(why.contains("start the listener with --allow-spin"), why);
    }

    @Test
    void shouldGiveAllConnectionsTogetherNoMoreThanItsMemory() throws Exception {
        listen(PATIENCE);
        String first = refusal(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, Plan.MAXIMUM_SIZE));
        assertTrue(first.contains("start the listener with a larger --max-memory"), first);
        Plan half = plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, 4 * 3 << 19);
        try (Peer _ = new Peer(half); Peer _ = new Peer(half)) {
            String third = refusal(half);
            assertTrue(third.contains("all connections together may take 32MiB"), third);
        }
        await(() -> listener.memoryTaken() == 0);
        new Peer(half).close();
    }

    /** In both directions the peer's device takes the listener's Writes all the while, and its program does nothing. */
    @Test
    void shouldEndConnectionsThatDoNothing() throws Exception {
        listen(Duration.ofSeconds(1));
        try (Peer peer = new Peer(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, 64));
                Peer both = new Peer(plan(Operation.WRITE, Plan.Mode.BOTH, Waiting.BLOCK, 64))) {
            assertTrue(peer.connection.awaitDisconnected(PATIENCE));
            assertTrue(both.connection.awaitDisconnected(PATIENCE));
            await(() -> said.toString().lines().filter(line -> line.contains("has done nothing for 1 s")).count() == 2);
        }
        await(() -> listener.memoryTaken() == 0);
    }

    @Test
    void shouldNameBothVersionsOfTheProtocol() {
        listen(PATIENCE);
        byte[] earlier = plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, 64).encode();
        earlier[4] = 3;
        String why = new String(assertThrows(RejectedException.class, () -> new Peer(earlier).close()).privateData(),
                StandardCharsets.UTF_8);
        assertTrue(why.contains("speaks version 3 of the protocol, and this one version 6: run the same pverbs"), why);
    }

    @ParameterizedTest
    @CsvSource({ "SEND_IMMEDIATE, 64, has no immediate data" })
    void shouldNameWhatItsDeviceLacks(Operation operation, long size, String words) {
        listen(PATIENCE);
        String why = refusal(plan(operation, Plan.Mode.BANDWIDTH, Waiting.BLOCK, size));
        assertTrue(why.contains("device soft-iwarp0 (soft-iwarp) " + words + ": use "), why);
        // More does not fit into the private data of a reject on InfiniBand.
        assertTrue(why.length() <= 148, () -> why.length() + ": " + why);
    }

    /** How a connection ends badly. */
    enum End {
        /** The peer has gone before it was served. */
        AT_ONCE {
            @Override
            void happen(PerfListenerTest test) {
                test.new Peer(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, SIZE)).close();
            }
        },
        /** It Writes behind the end of the buffer. */
        OUT_OF_BOUNDS {
            @Override
            void happen(PerfListenerTest test) {
                try (Peer peer = test.new Peer(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, SIZE))) {
                    RemoteMemory target = peer.target();
                    peer.pair.post(new SendRequest().write(1).local(peer.region, 0, SIZE)
                            .remote(new RemoteMemory(target.address() + 1, target.key(), SIZE), 0).signaled());
                    assertTrue(peer.connection.awaitDisconnected(PATIENCE));
                }
            }
        },
        /** It Sends, again and again, in a measurement of Reads. */
        TOO_MANY_SENDS {
            @Override
            void happen(PerfListenerTest test) {
                try (Peer peer = test.new Peer(plan(Operation.READ, Plan.Mode.BANDWIDTH, Waiting.CHANNEL, SIZE))) {
                    peer.send(SIZE, 64);
                    assertTrue(peer.connection.awaitDisconnected(PATIENCE));
                }
            }
        },
        /** It lets the listener send more than it has receives, of which it has told. */
        TOO_MANY_CREDITS {
            @Override
            void happen(PerfListenerTest test) {
                try (Peer peer = test.new Peer(plan(Operation.SEND, Plan.Mode.BOTH, Waiting.BLOCK, 64))) {
                    peer.send(1, 16);
                    assertTrue(peer.connection.awaitDisconnected(PATIENCE));
                }
            }
        },
        /** It Sends messages that have no meaning in its measurement. */
        NO_MESSAGE {
            @Override
            void happen(PerfListenerTest test) {
                try (Peer peer = test.new Peer(plan(Operation.SEND, Plan.Mode.BANDWIDTH, Waiting.BLOCK, 64))) {
                    peer.send(63, 1);
                    assertTrue(peer.connection.awaitDisconnected(PATIENCE));
                }
            }
        },
        /** It Sends a message that is too long. */
        TOO_LONG {
            @Override
            void happen(PerfListenerTest test) {
                try (Peer peer = test.new Peer(plan(Operation.SEND, Plan.Mode.BANDWIDTH, Waiting.BLOCK, 64))) {
                    peer.pair.post(new SendRequest().send(1).local(peer.region, 0, SIZE).signaled());
                    assertTrue(peer.connection.awaitDisconnected(PATIENCE));
                }
            }
        },
        /** It asks for something that makes no sense. */
        NO_PLAN {
            @Override
            void happen(PerfListenerTest test) {
                assertThrows(RejectedException.class, () -> test.new Peer(new byte[7]).close());
            }
        },
        /** It wants a connection that carries nothing, and goes. */
        IDLE {
            @Override
            void happen(PerfListenerTest test) {
                test.new Peer(plan(Operation.WRITE, Plan.Mode.IDLE, Waiting.BLOCK, 1)).close();
            }
        };

        abstract void happen(PerfListenerTest test);
    }

    @ParameterizedTest
    @EnumSource
    void shouldServeTheNextAfterAConnectionThatEndsBadly(End end) throws Exception {
        listen(PATIENCE);
        happen(end, 2);
        try (Peer peer = new Peer(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, SIZE))) {
            assertTrue(peer.connection.isConnected());
        }
        assertFalse(said.toString().contains("Exception"), said::toString);
    }

    static List<End> ends() {
        return Proofs.run() ? List.of(End.values()) : List.of(End.OUT_OF_BOUNDS);
    }

    @ParameterizedTest
    @MethodSource("ends")
    void shouldLeakNothingOfAConnectionThatEndsBadly(End end) throws Exception {
        listen(PATIENCE);
        // Freed memory that libc keeps counts as well, so that it has to be there before.
        happen(end, TIMES / 3);
        long before = resident();
        happen(end, TIMES);
        // Half of the memory that all connections had, or their peers.
        await(() -> resident() < before + (long) TIMES * SIZE);
        await(() -> Thread.getAllStackTraces().keySet().stream().noneMatch(thread -> thread.getName().startsWith("serve-")));
        try (Peer peer = new Peer(plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, SIZE))) {
            assertTrue(peer.connection.isConnected());
        }
        assertFalse(said.toString().contains("Exception"), said::toString);
    }

    private void happen(End end, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            end.happen(this);
            await(() -> listener.memoryTaken() == 0);
        }
    }

    /** How much memory this process has, as Linux tells: the JDK counts no arenas. In bytes; 0 on another system. */
    private static long resident() {
        System.gc();
        try {
            Path status = Path.of("/proc/self/status");
            return !Files.exists(status) ? 0 : Files.readAllLines(status).stream().filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", ""))).findFirst().orElse(0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The objects for which there is not enough memory. */
    enum Scarce {
        QUEUE, REGION
    }

    /** The device for the listener; as long as told, there is no memory for queues, or for regions. */
    private Device scarce(Device real, Scarce what, AtomicBoolean isScarce) {
        return proxy(Device.class, real, (method, result) -> {
            if (!isScarce.get()) {
                return result;
            }
            if (what == Scarce.QUEUE && method.equals("createCompletionQueue")) {
                ((CompletionQueue) result).close();
                throw new ResourceException("as a test wants");
            }
            return what == Scarce.QUEUE || !method.equals("allocateProtectionDomain") ? result
                    : proxy(ProtectionDomain.class, (ProtectionDomain) result, (called, made) -> {
                        if (called.equals("register")) {
                            throw new ResourceException("as a test wants");
                        }
                        return made;
                    });
        });
    }

    private interface After {
        Object apply(String method, Object result);
    }

    private static <T> T proxy(Class<T> type, T real, After after) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (self, method, arguments) -> {
            try {
                return after.apply(method.getName(), method.invoke(real, arguments));
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    @ParameterizedTest
    @EnumSource
    void shouldRefuseOnlyTheConnectionForWhichThereIsNoMemory(Scarce what) throws Exception {
        AtomicBoolean isScarce = new AtomicBoolean();
        Device device = scarce(verbs.device(), what, isScarce);
        listener = new PerfListener(device, new InetSocketAddress("127.0.0.1", 0), new PerfListener.Policy(false, MEMORY, PATIENCE),
                new PrintWriter(said));
        Thread.ofPlatform().daemon().start(listener::serve);
        Plan plan = plan(Operation.WRITE, Plan.Mode.BANDWIDTH, Waiting.BLOCK, SIZE);
        try (Peer before = new Peer(plan)) {
            isScarce.set(true);
            for (int i = 0; i < 3; i++) {
                String why = refusal(plan);
                assertTrue(why.contains("not enough memory"), why);
            }
            isScarce.set(false);
            assertTrue(before.connection.isConnected());
            new Peer(plan).close();
        }
        await(() -> listener.memoryTaken() == 0);
    }
}
