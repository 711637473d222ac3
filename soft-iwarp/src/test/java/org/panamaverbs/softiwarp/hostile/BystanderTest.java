package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
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

/**
 * What a hostile peer costs a connection beside it, on the same event loop: the 99th percentile of the bystander's round trips with the
 * attacker, against that without it in the same run. The bounds are generous: they tell a loop that shares from one that does not. The
 * memory outside of the heap stays bounded, too.
 */
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
    private static final byte[] HTTP = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Host host = new Host("auto", "progress-threads", "1");
    private final List<Socket> peers = new ArrayList<>();
    private volatile boolean over;

    @AfterEach
    void close() throws IOException {
        over = true;
        try (host) {
            for (Socket peer : peers) {
                peer.close();
            }
        }
    }

    /** What the peer does, again and again. */
    enum Attack {
        /** Writes of no bytes, 20,000 with each call. */
        EMPTY_WRITES {
            @Override
            void begin(BystanderTest test) throws Exception {
                byte[] one = Forge.ready(true);
                byte[] many = new byte[20_000 * one.length];
                for (int i = 0; i < many.length; i++) {
                    many[i] = one[i % one.length];
                }
                for (int i = 0; i < 2; i++) {
                    Socket peer = test.connected();
                    test.repeat(() -> peer.getOutputStream().write(many));
                }
            }
        },
        /** Writes of one byte each. */
        TINY_WRITES {
            @Override
            void begin(BystanderTest test) throws Exception {
                MemoryRegion target = test.host.region(1, Access.LOCAL_WRITE, Access.REMOTE_WRITE);
                byte[] one = Lie.write(target.remoteKey(), target.address(), 1);
                byte[] many = new byte[20_000 * one.length];
                for (int i = 0; i < many.length; i++) {
                    many[i] = one[i % one.length];
                }
                for (int i = 0; i < 2; i++) {
                    Socket peer = test.connected();
                    test.repeat(() -> peer.getOutputStream().write(many));
                }
            }
        },
        /** Asks for as much as it may, and takes none of it. */
        READ_HOGS {
            @Override
            void begin(BystanderTest test) throws Exception {
                MemoryRegion large = test.host.region(READ_LENGTH, Access.REMOTE_READ);
                for (int i = 0; i < 8; i++) {
                    Socket peer = test.connected();
                    for (int sequence = 1; sequence <= READS; sequence++) {
                        peer.getOutputStream().write(Forge.read(sequence, READ_LENGTH, large.remoteKey(), large.address(), true));
                    }
                }
            }
        },
        /** Connects and is gone. */
        CONNECTS {
            @Override
            void begin(BystanderTest test) {
                test.repeat(() -> {
                    try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), test.host.listener.address().getPort())) {
                        peer.setSoLinger(true, 0);
                    }
                });
            }
        },
        /** Speaks something else. */
        GARBAGE {
            @Override
            void begin(BystanderTest test) {
                test.repeat(() -> {
                    try (Socket peer = new Socket(InetAddress.getLoopbackAddress(), test.host.listener.address().getPort())) {
                        peer.setSoLinger(true, 0);
                        peer.getOutputStream().write(HTTP);
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
                test.repeat(() -> {
                    try (Socket peer = new Socket()) {
                        peer.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), test.host.listener.address().getPort()));
                        peer.setSoTimeout(1000);
                        peer.getOutputStream().write(all);
                        peer.getInputStream().readAllBytes();
                    }
                });
            }
        };

        abstract void begin(BystanderTest test) throws Exception;
    }

    /** What a peer does on its thread. */
    private interface Step {
        void run() throws IOException;
    }

    private void repeat(Step step) {
        Thread.ofPlatform().daemon().start(() -> {
            while (!over) {
                try {
                    step.run();
                } catch (IOException e) {
                    // A connection has ended, as it may.
                }
            }
        });
    }

    private Socket connected() throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(READS, READS), null);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.listener.address().getPort());
        peers.add(socket);
        socket.getOutputStream().write(Forge.start(true, true, READS, READS));
        RawServer.read(socket, 24);
        Host.get(accepted);
        return socket;
    }

    private void acceptAll() {
        Host.End shared = host.end();
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
        List<String> missed = new ArrayList<>();
        for (int i = 0; i < ATTEMPTS; i++) {
            long beside = percentile(RoundTrips.measure(bystander, memory, MEASURED_NANOS));
            String said = attack + ": the 99th percentile is " + beside / 1000 + " us, " + alone / 1000 + " us without, "
                    + (direct() - before)
                    + " bytes more outside of the heap";
            assertTrue(direct() - before <= MOST_BYTES, said);
            if (beside <= Math.max(MOST_RATIO * alone, MOST_NANOS)) {
                return;
            }
            missed.add(said);
        }
        throw new AssertionError(String.join("; then ", missed));
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
