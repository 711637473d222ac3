package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Configuration;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.testing.BusyCarriers;
import org.panamaverbs.testing.ChildJvm;
import org.panamaverbs.testing.Transports;

/** While the program's virtual threads compute on all carriers, streams begin, exchange bytes, and end. */
class BusyCarriersTest {
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Sockets whose methods wait. */
    static final class Sockets {
        private Sockets() {
        }

        public static void main(String[] arguments) throws Exception {
            BusyCarriers.occupy();
            try (Verbs verbs = Verbs.open(Configuration.load()); VerbsSockets sockets = VerbsSockets.open(verbs)) {
                VerbsServerSocket server = sockets.listen(ANY, 8);
                for (int i = 0; i < 20; i++) {
                    try (VerbsSocket near = sockets.connect(server.address(), LIMIT); VerbsSocket far = server.accept(LIMIT)) {
                        near.setTimeout(LIMIT);
                        far.setTimeout(LIMIT);
                        near.outputStream().write(i);
                        far.outputStream().write(far.inputStream().read() + 1);
                        near.shutdownOutput();
                        assertEquals(-1, far.inputStream().read());
                        assertEquals(i + 1, near.inputStream().read());
                    }
                }
                server.close();
            }
            System.exit(0);
        }
    }

    /** A virtual thread waits for a socket when the others occupy the carriers. */
    static final class VirtualReader {
        private VirtualReader() {
        }

        public static void main(String[] arguments) throws Exception {
            try (Verbs verbs = Verbs.open(Configuration.load()); VerbsSockets sockets = VerbsSockets.open(verbs)) {
                VerbsServerSocket server = sockets.listen(ANY, 8);
                VerbsSocket silent = sockets.connect(server.address(), LIMIT);
                Thread reader = Thread.startVirtualThread(() -> {
                    try {
                        silent.inputStream().read();
                    } catch (IOException e) {
                        // The program ends.
                    }
                });
                server.accept(LIMIT);
                VerbsSocket near = sockets.connect(server.address(), LIMIT);
                VerbsSocket far = server.accept(LIMIT);
                while (reader.getState() != Thread.State.WAITING && reader.getState() != Thread.State.TIMED_WAITING) {
                    Thread.onSpinWait();
                }
                BusyCarriers.occupy();
                near.setTimeout(LIMIT);
                far.setTimeout(LIMIT);
                for (int i = 0; i < 20; i++) {
                    near.outputStream().write(i);
                    far.outputStream().write(far.inputStream().read() + 1);
                    assertEquals(i + 1, near.inputStream().read());
                }
            }
            System.exit(0);
        }
    }

    /** A loop that the program turns. */
    static final class Loop {
        private Loop() {
        }

        private static void turn(StreamLoop loop, BooleanSupplier until) {
            long begin = System.nanoTime();
            while (!until.getAsBoolean()) {
                if (System.nanoTime() - begin > LIMIT.toNanos()) {
                    throw new IllegalStateException("nothing more happens");
                }
                loop.turn(Duration.ofMillis(100));
            }
        }

        public static void main(String[] arguments) throws Exception {
            BusyCarriers.occupy();
            try (Verbs verbs = Verbs.open(Configuration.load());
                    StreamLoop loop = StreamLoop.open(verbs.device());
                    Listener listener = ConnectionManager.of(verbs.device()).listen(ANY, 8);
                    Arena arena = Arena.ofConfined()) {
                MemorySegment bytes = arena.allocate(8);
                ByteStream near = loop.connect(Route.to(listener.address()), LIMIT, StreamOptions.defaults(), stream -> {
                });
                ConnectionRequest request = listener.awaitRequest(LIMIT);
                ByteStream far = loop.accept(request, LIMIT, StreamOptions.defaults(), stream -> {
                });
                turn(loop, () -> near.isConnected() && far.isConnected());
                assertEquals(8, near.write(bytes, 0, 8));
                near.flush();
                turn(loop, far::canRead);
                assertEquals(8, far.read(bytes, 0, 8));
                // A stream of which no peer knows gives up, and the others end with their peers.
                ByteStream alone = loop.connect(Route.to(listener.address()), LIMIT, StreamOptions.defaults(), stream -> {
                });
                alone.close();
                near.close();
                turn(loop, far::hasEnded);
                far.close();
                turn(loop, () -> loop.streams() == 0);
            }
            System.exit(0);
        }
    }

    @ParameterizedTest
    @Transports({ "epoll", "auto" })
    void shouldServeSockets(String transport) throws Exception {
        ChildJvm.run(Sockets.class, transport, ChildJvm.ONE_CARRIER);
    }

    @ParameterizedTest
    @Transports({ "epoll", "auto" })
    void shouldNotWaitForAVirtualThread(String transport) throws Exception {
        ChildJvm.run(VirtualReader.class, transport, ChildJvm.ONE_CARRIER);
    }

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    void shouldServeLoops(String transport) throws Exception {
        ChildJvm.run(Loop.class, transport, ChildJvm.ONE_CARRIER);
    }
}
