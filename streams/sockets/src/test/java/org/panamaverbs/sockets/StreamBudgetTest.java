package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;

/** The memory of a loop whose peers take as much as they can. {@code -Dbudget.peers=100} has more of them. */
class StreamBudgetTest {
    private static final int PEERS = Integer.getInteger("budget.peers", 20);
    private static final int BYTES = 1_900_000;
    private static final long KEPT = 2 << 20;
    /** Of blocks that do not count: the first one, and two targets, two blocks of copies and one for receives of 8 KiB. */
    private static final long UNCOUNTED = 44 << 10;
    /** As many streams as a slab of 256 KiB has blocks of 4 KiB. */
    private static final int IDLE = 64;
    /** So many messages of a byte bring about the receives of messages that carry bytes. */
    private static final int SINGLE = 200;
    /** Of 4 and of 8 KiB. */
    private static final long SLABS = 2 * 256 << 10;
    private static final Duration SOON = Duration.ofSeconds(60);

    private Verbs verbs;
    private VerbsSockets sockets;
    private VerbsSockets peers;
    private VerbsServerSocket server;
    private StreamLoop loop;
    private final byte[] bytes = new byte[BYTES];

    @BeforeEach
    void open() throws IOException {
        verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp").build());
        sockets = VerbsSockets.open(verbs);
        peers = VerbsSockets.open(verbs);
        server = sockets.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 8);
        loop = sockets.loop(verbs.device()).streams();
        new Random(1).nextBytes(bytes);
    }

    @AfterEach
    void close() {
        server.close();
        peers.close();
        sockets.close();
        verbs.close();
    }

    private void send(VerbsSocket from) {
        try {
            from.outputStream().write(bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** The bytes go to the server and back. */
    private VerbsSocket[] exchange() throws IOException {
        VerbsSocket peer = peers.connect(server.address(), SOON);
        VerbsSocket accepted = server.accept(SOON);
        peer.setTimeout(SOON);
        accepted.setTimeout(SOON);
        byte[] there = new byte[BYTES];
        for (VerbsSocket from : List.of(peer, accepted)) {
            Thread writer = Thread.ofPlatform().daemon().start(() -> send(from));
            new DataInputStream((from == peer ? accepted : peer).inputStream()).readFully(there);
            assertArrayEquals(bytes, there);
            join(writer);
            VerbsSocket to = from == peer ? accepted : peer;
            for (int i = 0; i < SINGLE; i++) {
                from.outputStream().write(i);
                assertEquals(i, to.inputStream().read());
            }
        }
        return new VerbsSocket[] { peer, accepted };
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldTakeOneBlockForAStreamThatIsIdle() throws IOException {
        List<VerbsSocket> open = new ArrayList<>();
        for (int i = 0; i < IDLE; i++) {
            open.add(peers.connect(server.address(), SOON));
            open.add(server.accept(SOON));
        }
        assertEquals((long) IDLE * BlockPool.SMALLEST, loop.memory());
        open.forEach(VerbsSocket::close);
    }

    @Test
    void shouldFreeTheMemoryOfPeersThatHaveLeft() throws IOException {
        List<VerbsSocket> open = new ArrayList<>();
        for (int i = 0; i < PEERS; i++) {
            open.addAll(List.of(exchange()));
        }
        long most = loop.memory();
        open.forEach(VerbsSocket::close);
        while (loop.streams() > 0) {
            Thread.onSpinWait();
        }
        System.out.println(PEERS + " peers: " + (most >> 10) + " KiB, and " + (loop.memory() >> 10) + " KiB once they had left");
        assertTrue(most > KEPT && most <= (64L << 20) + PEERS * UNCOUNTED + KEPT, most + " bytes");
        assertTrue(loop.memory() <= KEPT, loop.memory() + " bytes are left");
    }

    @Test
    void shouldGoOnWithSmallBlocksIfTheBudgetIsUsedUp() throws IOException {
        List<Slab.Part> taken = new ArrayList<>();
        for (Slab.Part part = loop.pool().take(BlockPool.LARGEST); part.memory().byteSize() > BlockPool.UNCOUNTED; part = loop.pool()
                .take(BlockPool.LARGEST)) {
            taken.add(part);
        }
        long before = loop.memory();
        for (VerbsSocket each : exchange()) {
            each.close();
        }
        assertTrue(loop.memory() - before <= SLABS, loop.memory() - before + " bytes more");
        taken.forEach(loop.pool()::giveBack);
    }
}
