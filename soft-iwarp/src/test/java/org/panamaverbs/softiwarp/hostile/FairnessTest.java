package org.panamaverbs.softiwarp.hostile;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawServer;
import org.panamaverbs.testing.Proofs;
import org.panamaverbs.testing.Transports;

/** Peers that keep a loop as busy as the protocol allows: a connection beside theirs, on the same loop, still has its turn before long. */
@ParameterizedClass
@Transports({ "epoll", "nio" })
@Tag(Proofs.TAG)
class FairnessTest {
    private static final long WARM_UP_NANOS = 500_000_000L;
    private static final long MEASURED_NANOS = 1_500_000_000L;
    /** A starved bystander misses each of them; a machine that was busy with something else, hardly. */
    private static final int ATTEMPTS = 4;
    private static final long LIMIT_NANOS = 50_000_000L;
    private static final int READS = 16;
    private static final int READ_LENGTH = 256 << 20;
    /** FPDUs of one call of a peer. */
    private static final int BATCH = 50_000;

    private final Host host;
    private final List<Peer> peers = new ArrayList<>();

    FairnessTest(String transport) {
        host = new Host(transport, "progress-threads", "1");
    }

    @AfterEach
    void close() throws IOException {
        try (host) {
            for (Peer peer : peers) {
                peer.socket.close();
            }
        }
    }

    /** The actions of a peer once connected, until it is closed; it counts the steps that this side lets it take. */
    private interface Flood {
        void run(Socket socket, AtomicLong steps) throws IOException;
    }

    /** A peer that floods this side. */
    private static final class Peer {
        final Socket socket;
        final AtomicLong steps = new AtomicLong();
        /** Why the flood ended; {@code null} while it goes on. */
        volatile IOException end;

        Peer(Socket socket) {
            this.socket = socket;
        }

        void run(Flood flood) {
            try {
                flood.run(socket, steps);
            } catch (IOException e) {
                end = e;
            }
        }
    }

    private void start(Flood flood) throws Exception {
        CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults().withReads(READS, READS), null);
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), host.listener.address().getPort());
        Peer peer = new Peer(socket);
        peers.add(peer);
        socket.getOutputStream().write(Forge.start(true, true, READS, READS));
        RawServer.read(socket, 24);
        Host.get(accepted);
        Thread.ofPlatform().daemon().start(() -> peer.run(flood));
    }

    @ParameterizedTest
    @ValueSource(ints = 8)
    void shouldServeABystanderOfPeersThatSendEmptyWrites(int floods) throws Exception {
        Host.Pair bystander = host.connect();
        byte[] one = Forge.ready(true);
        byte[] many = new byte[BATCH * one.length];
        for (int i = 0; i < BATCH; i++) {
            System.arraycopy(one, 0, many, i * one.length, one.length);
        }
        for (int i = 0; i < floods; i++) {
            start((socket, steps) -> {
                while (true) {
                    socket.getOutputStream().write(many);
                    steps.incrementAndGet();
                }
            });
        }
        assertServed(bystander);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2 })
    void shouldServeABystanderOfPeersThatReadMuch(int floods) throws Exception {
        Host.Pair bystander = host.connect();
        MemoryRegion large = host.region(READ_LENGTH, Access.REMOTE_READ);
        for (int i = 0; i < floods; i++) {
            start((socket, steps) -> {
                int sequence = 1;
                for (; sequence <= READS; sequence++) {
                    socket.getOutputStream().write(Forge.read(sequence, READ_LENGTH, large.remoteKey(), large.address(), true));
                }
                InputStream in = new BufferedInputStream(socket.getInputStream(), 1 << 20);
                while (true) {
                    int length = in.read() << 8 | in.read();
                    int control = in.read();
                    if (control < 0) {
                        throw new EOFException("this side ended the connection");
                    }
                    in.skipNBytes((2 + length + 3) / 4 * 4 + 4 - 3);
                    steps.incrementAndGet();
                    if ((control & 0x40) != 0) {
                        socket.getOutputStream().write(Forge.read(sequence++, READ_LENGTH, large.remoteKey(), large.address(), true));
                    }
                }
            });
        }
        assertServed(bystander);
    }

    /**
     * Of the time measured, only a small share may fall into round trips that take longer than the limit. Their number does not tell: of
     * those that come between two long ones there are many. Time is what the threads that may lead the loop spent on a processor, so that
     * other processes cannot fail this.
     */
    private void assertServed(Host.Pair pair) {
        MemoryRegion memory = host.region(RoundTrips.SIZE, Access.LOCAL_WRITE);
        RoundTrips.measure(pair, memory, WARM_UP_NANOS);
        List<String> missed = new ArrayList<>();
        while (missed.size() < ATTEMPTS) {
            long[] before = peers.stream().mapToLong(peer -> peer.steps.get()).toArray();
            long[] nanos = RoundTrips.measure(pair, memory, MEASURED_NANOS);
            awaitSteps(before);
            long all = Arrays.stream(nanos).sum();
            long late = Arrays.stream(nanos).filter(each -> each > LIMIT_NANOS).sum();
            if (late <= all / 10) {
                return;
            }
            missed.add("of " + nanos.length + " round trips the median took " + nanos[nanos.length / 2] / 1000 + " us, the longest "
                    + nanos[nanos.length - 1] / 1000 + " us; " + 100 * late / all + " % of the time fell into those of more than "
                    + LIMIT_NANOS / 1_000_000 + " ms");
        }
        fail(String.join("; then ", missed));
    }

    /** Waits until each peer has taken a step since the measurement began: its flood went on, and this side served it. */
    private void awaitSteps(long[] before) {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        for (int i = 0; i < before.length; i++) {
            Peer peer = peers.get(i);
            do {
                assertTrue(peer.end == null, () -> "the flood of a peer ended: " + peer.end);
                assertTrue(System.nanoTime() < deadline, () -> "the flood of a peer stopped after " + peer.steps + " steps");
                Thread.onSpinWait();
            } while (peer.steps.get() <= before[i]);
        }
    }
}
