package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.statistics.QueuePairStatistics;
import org.panamaverbs.testing.Proofs;

/**
 * The cost of a hostile peer for a connection beside it, on the same event loop: the 99th percentile of the bystander's round trips with the
 * attacker, against that without it in the same run. The bounds are generous: they tell a loop that shares from one that does not. The
 * memory outside of the heap stays bounded, too, and no byte changes that the peer may not change.
 *
 * <p>A measurement counts only if the attack went on meanwhile: the victim's own counters say so ({@link Sign}).
 */
@Tag(Proofs.TAG)
class BystanderTest {
    private static final long WARM_UP_NANOS = 200_000_000L;
    private static final long MEASURED_NANOS = 400_000_000L;
    /** The attacker may make the 99th percentile this many times as long... */
    private static final long MOST_RATIO = 100;
    /** ...or, where the bystander alone is very quick, this long: some turns of the loop, of at most 4 MiB or 4,096 FPDUs each. */
    private static final long MOST_NANOS = 25_000_000L;
    /** A machine that is busy with something else may spoil a measurement. */
    private static final int ATTEMPTS = 4;
    /** All buffers of the device's pool, 64 of 320 KiB, and 4 MiB for all else. */
    private static final long MOST_BYTES = (64L * 320 << 10) + (4 << 20);
    private static final int READS = 16;
    private static final int READ_LENGTH = 256 << 20;
    private static final int ATOMIC_RESPONSE_SIZE = 36;
    /** Peers that stall; each keeps the memory of one FPDU. */
    private static final int STALLED = 32;
    private static final int STALLED_PAYLOAD = 60_000;
    /** Peers that have sent a part of their Request: the listener serves so many at a time. */
    private static final int START_UPS = 64;
    private static final int GUARD_BYTES = 4096;
    private static final byte[] HTTP = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Host host = new Host("auto", "progress-threads", "1", "start-ups", Integer.toString(START_UPS));
    private final List<Socket> sockets = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Sign> signs = new ArrayList<>();
    private final List<Condition> conditions = new ArrayList<>();
    private final List<Check> checks = new ArrayList<>();
    /** Memory that no peer may change. */
    private final List<MemorySegment> untouchable = new ArrayList<>();
    private final AtomicReference<IOException> failure = new AtomicReference<>();
    private volatile boolean over;

    @AfterEach
    void close() throws IOException {
        over = true;
        try (host) {
            for (Socket socket : sockets) {
                socket.close();
            }
        }
    }

    /** A count of the victim's that an attack under way makes grow. */
    private record Sign(String what, LongSupplier count) {
    }

    /** A condition that holds as long as the attack goes on. */
    private record Condition(String what, BooleanSupplier holds) {
    }

    /** The check after the attack. */
    private interface Check {
        void run() throws Exception;
    }

    /** A connection: the attacker's end, and the victim's. */
    private record Peer(Socket socket, Host.End victim) {
        void send(byte[] bytes) throws IOException {
            socket.getOutputStream().write(bytes);
        }

        QueuePairStatistics counters() {
            return victim.queuePair.statistics();
        }
    }

    /** The step that the peer repeats. */
    enum Attack {
        /** Writes of no bytes, 20,000 with each call. */
        EMPTY_WRITES {
            @Override
            void begin(BystanderTest test) throws Exception {
                test.floodWith(Forge.ready(true));
            }
        },
        /** Writes of one byte each. */
        TINY_WRITES {
            @Override
            void begin(BystanderTest test) throws Exception {
                MemoryRegion target = test.guarded(1, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                test.floodWith(Lie.write(target.remoteKey(), target.address(), 1));
            }
        },
        /** Sends Writes byte by byte: each byte wakes the loop, and nearly none ends an FPDU. */
        DRIBBLES {
            @Override
            void begin(BystanderTest test) throws Exception {
                MemoryRegion target = test.guarded(16, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                byte[] write = Lie.write(target.remoteKey(), target.address(), 16);
                for (int i = 0; i < 4; i++) {
                    Peer peer = test.connected();
                    peer.socket().setTcpNoDelay(true);
                    test.grows("calls that received what a peer dribbles", () -> peer.counters().readCalls().getAsLong());
                    test.grows("FPDUs of a peer that dribbles", () -> peer.counters().segmentsReceived().getAsLong());
                    test.flood(() -> {
                        for (byte each : write) {
                            peer.socket().getOutputStream().write(each);
                        }
                    });
                }
            }
        },
        /** Stops in the middle of an FPDU: in its header, or in its payload. */
        STALLS {
            @Override
            void begin(BystanderTest test) throws Exception {
                for (int i = 0; i < STALLED; i++) {
                    MemoryRegion target = test.guarded(STALLED_PAYLOAD, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                    byte[] write = Lie.write(target.remoteKey(), target.address(), STALLED_PAYLOAD);
                    int cut = i % 2 == 0 ? 10 : write.length / 2;
                    Peer peer = test.connected();
                    peer.send(Arrays.copyOf(write, cut));
                    test.holds("the first bytes of an FPDU have come, and it is not whole",
                            () -> peer.counters().readCalls().getAsLong() > 0 && peer.counters().segmentsReceived().getAsLong() == 0);
                    test.atEnd(() -> {
                        // It was a sound FPDU, for which the victim has waited.
                        peer.send(Arrays.copyOfRange(write, cut, write.length));
                        await("a Write that had stalled is whole", () -> peer.counters().segmentsReceived().getAsLong() == 1);
                        assertEquals(-1, target.segment().mismatch(MemorySegment.ofArray(Forge.payload(STALLED_PAYLOAD))));
                    });
                }
            }
        },
        /** Asks for as much as it may, and takes none of it. */
        READ_HOGS {
            @Override
            void begin(BystanderTest test) throws Exception {
                MemoryRegion large = test.guarded(READ_LENGTH, Access.REMOTE_READ);
                test.untouchable.add(large.segment());
                for (int i = 0; i < 8; i++) {
                    Peer peer = test.connected();
                    for (int sequence = 1; sequence <= READS; sequence++) {
                        peer.send(Forge.read(sequence, READ_LENGTH, large.remoteKey(), large.address(), true));
                    }
                    test.holds("all Reads have come, and the answer to the first one is under way", () -> {
                        QueuePairStatistics counters = peer.counters();
                        return counters.segmentsReceived().getAsLong() == READS && counters.bytesReadByPeer().getAsLong() > 0
                                && counters.bytesReadByPeer().getAsLong() < READ_LENGTH;
                    });
                }
            }
        },
        /** Adds to a number, as many times as may be under way at a time (RFC 7306), again and again. */
        ATOMICS {
            @Override
            void begin(BystanderTest test) throws Exception {
                for (int i = 0; i < 2; i++) {
                    MemoryRegion counter = test.guarded(Long.BYTES, Access.LOCAL_WRITE, Access.REMOTE_ATOMIC);
                    counter.segment().set(ValueLayout.JAVA_LONG, 0, 0);
                    Peer peer = test.connected();
                    test.grows("Atomic Requests", () -> peer.counters().segmentsReceived().getAsLong());
                    test.grows("Atomic Responses", () -> peer.counters().segmentsSent().getAsLong());
                    int[] sequence = new int[1];
                    test.flood(() -> {
                        byte[] batch = new byte[0];
                        int first = sequence[0];
                        for (int each = 0; each < READS; each++) {
                            batch = Forge.join(batch,
                                    Forge.fpdu(
                                            Forge.untagged(Forge.LAST_UNTAGGED, Forge.ATOMIC_REQUEST, 0, 1, ++sequence[0], 0,
                                                    Forge.atomicRequest(0, each, counter.remoteKey(), counter.address(), 1, 0, 0, -1)),
                                            true));
                        }
                        peer.send(batch);
                        byte[] answers = peer.socket().getInputStream().readNBytes(READS * ATOMIC_RESPONSE_SIZE);
                        for (int each = 0; each < READS; each++) {
                            // Behind length and DDP header: identifier and original value.
                            long original = ByteBuffer.wrap(answers).getLong(each * ATOMIC_RESPONSE_SIZE + 20 + 4);
                            assertEquals(first + each, original, "what an atomic found");
                        }
                    });
                    test.atEnd(() -> assertEquals(sequence[0], counter.segment().get(ValueLayout.JAVA_LONG, 0), "the sum"));
                }
            }
        },
        /** Connects and is gone. */
        CONNECTS {
            @Override
            void begin(BystanderTest test) {
                test.growsRefusals();
                test.repeat(() -> {
                    try (Socket peer = test.open()) {
                        peer.setSoLinger(true, 0);
                    }
                });
            }
        },
        /** Connects, sends nothing or a part of a Request, and stays. */
        HALF_OPEN {
            @Override
            void begin(BystanderTest test) {
                byte[] request = Forge.start(true, true, READS, READS);
                ArrayDeque<Socket> open = new ArrayDeque<>();
                test.growsRefusals();
                test.atEnd(() -> {
                    for (Socket each : open) {
                        each.close();
                    }
                });
                test.repeat(() -> {
                    Socket peer = test.open();
                    open.add(peer);
                    peer.getOutputStream().write(request, 0, open.size() % request.length);
                    if (open.size() > 2 * START_UPS) {
                        open.remove().close();
                    }
                });
            }
        },
        /** Speaks something else. */
        GARBAGE {
            @Override
            void begin(BystanderTest test) {
                test.growsRefusals();
                test.repeat(() -> {
                    try (Socket peer = test.open()) {
                        peer.setSoLinger(true, 0);
                        peer.getOutputStream().write(HTTP);
                        // A reset would overtake the bytes.
                        peer.setSoTimeout(1000);
                        peer.getInputStream().readAllBytes();
                    }
                });
            }
        },
        /** Connects, and sends a Send for which there is no receive. */
        SENDS_WITHOUT_RECEIVES {
            @Override
            void begin(BystanderTest test) {
                byte[] all = Forge.join(Forge.start(true, true, READS, READS), Forge.ready(true), Lie.send(Forge.SEND, 0, 0));
                test.acceptAll();
                test.grows("connections that this side ends", () -> test.host.device.statistics().endedByLocalError().getAsLong());
                test.repeat(() -> {
                    try (Socket peer = test.open()) {
                        peer.setSoTimeout(1000);
                        peer.getOutputStream().write(all);
                        peer.getInputStream().readAllBytes();
                    }
                });
            }
        };

        abstract void begin(BystanderTest test) throws Exception;
    }

    /** The acts of a peer, on its thread. */
    private interface Step {
        void run() throws IOException;
    }

    private void start(Runnable body) {
        Thread thread = Thread.ofPlatform().daemon().start(body);
        threads.add(thread);
    }

    /** Makes connections that end at once: some end with an exception, as they may. What must grow says whether any begins. */
    private void repeat(Step step) {
        start(() -> {
            while (!over) {
                try {
                    step.run();
                } catch (IOException e) {
                    // A connection has ended.
                }
            }
        });
    }

    /** Uses a connection that must not end. */
    private void flood(Step step) {
        start(() -> {
            try {
                while (!over) {
                    step.run();
                }
            } catch (IOException e) {
                failure.compareAndSet(null, e);
            } catch (AssertionError e) {
                failure.compareAndSet(null, new IOException(e));
            }
        });
    }

    /** Two peers send the same FPDU as fast as they can. */
    private void floodWith(byte[] one) throws Exception {
        byte[] many = new byte[20_000 * one.length];
        for (int i = 0; i < many.length; i++) {
            many[i] = one[i % one.length];
        }
        for (int i = 0; i < 2; i++) {
            Peer peer = connected();
            grows("FPDUs of a peer", () -> peer.counters().segmentsReceived().getAsLong());
            flood(() -> peer.send(many));
        }
    }

    private void grows(String what, LongSupplier count) {
        signs.add(new Sign(what, count));
    }

    private void growsRefusals() {
        grows("peers that got no further than the listener", () -> host.device.statistics().requestsRefused().getAsLong());
    }

    private void holds(String what, BooleanSupplier condition) {
        conditions.add(new Condition(what, condition));
    }

    private void atEnd(Check check) {
        checks.add(check);
    }

    /** Memory that is registered, between memory that is not. */
    private MemoryRegion guarded(long length, Access... rights) {
        MemorySegment all = host.arena.allocate(length + 2 * GUARD_BYTES, 64).fill(Rig.GUARD);
        untouchable.add(all.asSlice(0, GUARD_BYTES));
        untouchable.add(all.asSlice(GUARD_BYTES + length));
        return host.domain.register(all.asSlice(GUARD_BYTES, length), rights);
    }

    private Socket open() throws IOException {
        return new Socket(InetAddress.getLoopbackAddress(), host.listener.address().getPort());
    }

    private Peer connected() throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(READS, READS), null);
        Socket socket = open();
        sockets.add(socket);
        socket.getOutputStream().write(Forge.start(true, true, READS, READS));
        RawServer.read(socket, 24);
        Peer peer = new Peer(socket, Host.get(accepted));
        holds("the attacker's connection lives", () -> peer.victim().connection.isConnected());
        return peer;
    }

    private void acceptAll() {
        Host.End shared = host.end();
        // Not one of the threads that end with the attack: it waits for requests.
        Thread.ofPlatform().daemon().start(() -> {
            while (!over) {
                try (ConnectionRequest request = host.listener.awaitRequest(Host.LIMIT)) {
                    request.createQueuePair(host.domain, QueuePairAttributes.of(shared.queue));
                    request.accept(ConnectionParameters.defaults(), Host.LIMIT);
                } catch (VerbsException e) {
                    // The peer is gone, or the test is over.
                }
            }
        });
    }

    @ParameterizedTest
    @EnumSource(Attack.class)
    void shouldServeABystanderAndKeepMemoryBounded(Attack attack) throws Exception {
        Host.Pair bystander = host.connect();
        MemoryRegion memory = host.region(RoundTrips.SIZE, Access.LOCAL_WRITE);
        RoundTrips.measure(bystander, memory, WARM_UP_NANOS);
        long alone = percentile(RoundTrips.measure(bystander, memory, MEASURED_NANOS));
        long before = direct();
        attack.begin(this);
        RoundTrips.measure(bystander, memory, WARM_UP_NANOS);
        assertServed(attack, bystander, memory, alone, before);
        end();
    }

    private void assertServed(Attack attack, Host.Pair bystander, MemoryRegion memory, long alone, long before) {
        List<String> missed = new ArrayList<>();
        for (int i = 0; i < ATTEMPTS; i++) {
            long[] counts = counts();
            long beside = percentile(RoundTrips.measure(bystander, memory, MEASURED_NANOS));
            String vacuous = unchanged(counts);
            String said = attack + ": the 99th percentile is " + beside / 1000 + " us, " + alone / 1000 + " us without, "
                    + (direct() - before) + " bytes more outside of the heap" + vacuous;
            assertTrue(direct() - before <= MOST_BYTES, said);
            assertUntouched();
            if (vacuous.isEmpty() && beside <= Math.max(MOST_RATIO * alone, MOST_NANOS)) {
                return;
            }
            missed.add(said);
        }
        throw new AssertionError(String.join("; then ", missed));
    }

    private long[] counts() {
        return signs.stream().mapToLong(sign -> sign.count().getAsLong()).toArray();
    }

    /** Says that there was no attack since the victim's counts were these; empty if there was one. */
    private String unchanged(long[] counts) {
        assertTrue(signs.size() + conditions.size() > 0, "nothing shows whether there is an attack");
        assertNull(failure.get(), "an attacker has failed");
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < counts.length; i++) {
            if (signs.get(i).count().getAsLong() <= counts[i]) {
                words.append(", but no growth of ").append(signs.get(i).what());
            }
        }
        conditions.stream().filter(each -> !each.holds().getAsBoolean()).forEach(each -> words.append(", but not: ").append(each.what()));
        return words.toString();
    }

    private void assertUntouched() {
        for (MemorySegment each : untouchable) {
            // All bytes are the first one, and that is the guard.
            assertEquals(Rig.GUARD, each.get(ValueLayout.JAVA_BYTE, 0), "memory beside what the peer was granted");
            assertEquals(-1, MemorySegment.mismatch(each, 1, each.byteSize(), each, 0, each.byteSize() - 1),
                    "memory beside what the peer was granted");
        }
    }

    /** Ends the attack, and looks at what it has left. */
    private void end() throws Exception {
        over = true;
        for (Thread each : threads) {
            each.join(Host.LIMIT);
        }
        for (Check check : checks) {
            check.run();
        }
        assertNull(failure.get(), "an attacker has failed");
        assertUntouched();
    }

    private static void await(String what, BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - begin < Host.LIMIT.toNanos(), what);
            Thread.onSpinWait();
        }
    }

    private static long percentile(long[] sorted) {
        return sorted[sorted.length * 99 / 100];
    }

    /** Bytes outside of the heap that wait for the collector, or are in use. */
    private static long direct() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream().filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed).sum();
    }
}
