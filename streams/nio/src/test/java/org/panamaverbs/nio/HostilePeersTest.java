package org.panamaverbs.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Configuration;
import org.panamaverbs.RegistrableArena;
import org.panamaverbs.Verbs;
import org.panamaverbs.sockets.Forgeries;
import org.panamaverbs.testing.Proofs;

/** Peers that break the protocol, or speak none, beside a bystander at the same selector. */
class HostilePeersTest {
    private static final int STRANGERS = 50;

    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicReference<Throwable> broken = new AtomicReference<>();
    private final AtomicBoolean over = new AtomicBoolean();
    private volatile long turns;
    private long empty;

    /** An echo server of one thread, as programs write it. */
    private void serve(ServerSocketChannel server, Selector selector) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(4096);
        try {
            server.configureBlocking(false).register(selector, SelectionKey.OP_ACCEPT);
            while (!over.get()) {
                turns++;
                if (selector.select(key -> serve(key, buffer)) == 0) {
                    empty++;
                }
            }
        } catch (Throwable e) {
            broken.set(e);
        }
    }

    private void serve(SelectionKey key, ByteBuffer buffer) {
        try {
            if (key.isAcceptable()) {
                SocketChannel peer = ((ServerSocketChannel) key.channel()).accept();
                if (peer != null) {
                    peer.configureBlocking(false).register(key.selector(), SelectionKey.OP_READ);
                }
                return;
            }
            SocketChannel peer = (SocketChannel) key.channel();
            if (peer.read(buffer.clear()) < 0) {
                peer.close();
            }
            peer.write(buffer.flip());
        } catch (IOException e) {
            failed.incrementAndGet();
            try {
                key.channel().close();
            } catch (IOException other) {
                broken.set(other);
            }
        }
    }

    private static void echo(SocketChannel channel) throws IOException {
        ByteBuffer one = ByteBuffer.allocate(1);
        channel.write(one);
        assertEquals(1, channel.read(one.clear()));
    }

    @Test
    void shouldEndTheirOwnChannelsAlone() throws Exception {
        VerbsSelectorProvider provider = (VerbsSelectorProvider) Providers.of("epoll");
        AtomicBoolean ends = new AtomicBoolean();
        AtomicInteger attacks = new AtomicInteger();
        try (ServerSocketChannel server = provider.openServerSocketChannel().bind(Providers.anyPort());
                Selector selector = provider.openSelector();
                RegistrableArena arena = RegistrableArena.ofShared();
                Verbs verbs = Verbs.open(Configuration.builder().set("panamaverbs.provider", "soft-iwarp")
                        .set("panamaverbs.softiwarp.transport", "epoll").build());
                SocketChannel bystander = provider.openSocketChannel()) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            Thread serving = Thread.ofPlatform().daemon().start(() -> serve(server, selector));
            bystander.connect(address);
            echo(bystander);
            Thread attacker = Thread.ofPlatform().start(() -> Forgeries.attack(verbs, arena, address, ends, attacks));
            Thread stranger = Thread.ofPlatform().start(() -> sendRandom(address));
            long begin = System.nanoTime();
            int echoes = 0;
            while (System.nanoTime() - begin < Proofs.loopNanos() || stranger.isAlive()) {
                echo(bystander);
                echoes++;
            }
            ends.set(true);
            attacker.join();
            while (failed.get() < attacks.get()) {
                echo(bystander);
            }
            // All peers have gone but one: the thread that selects waits, and does not spin.
            for (long before = -1; before != turns;) {
                before = turns;
                Thread.sleep(200);
            }
            System.out.printf("%d attacks, %d channels failed; %d echoes beside them; %d turns, %d without a key%n", attacks.get(),
                    failed.get(), echoes, turns, empty);
            assertEquals(attacks.get(), failed.get());
            assertTrue(empty <= turns / 2, empty + " of " + turns + " turns had no key");
            over.set(true);
            selector.wakeup();
            serving.join();
        }
        assertEquals(null, broken.get());
    }

    /** Peers of TCP that speak something else. */
    private static void sendRandom(InetSocketAddress address) {
        Random random = new Random(1);
        for (int i = 0; i < STRANGERS; i++) {
            byte[] bytes = new byte[random.nextInt(100)];
            random.nextBytes(bytes);
            try (Socket socket = new Socket(address.getAddress(), address.getPort())) {
                socket.getOutputStream().write(bytes);
            } catch (IOException e) {
                // The server has cut it off.
            }
        }
    }
}
