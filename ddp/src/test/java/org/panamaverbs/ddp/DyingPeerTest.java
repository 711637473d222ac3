package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;

/** The process of a peer is killed in the middle of a long message. */
class DyingPeerTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int STAG = 7;
    private static final long LENGTH = 64L << 20;
    private static final long ENOUGH = 16L << 20;

    private final Arena arena = Arena.ofShared();
    private final DdpContext context = DdpContext.open(Configuration.builder().build());

    /** The peer: sends one long message, or receives what comes. */
    static final class Peer {
        private Peer() {
        }

        public static void main(String[] arguments) {
            Arena arena = Arena.ofShared();
            DdpContext context = DdpContext.open();
            DdpSocket socket = context.connect(DdpTransport.valueOf(arguments[0]),
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[1])), DdpOptions.DEFAULT, LONG);
            MemorySegment memory = arena.allocate(LENGTH, 4096);
            if (arguments[2].equals("send")) {
                while (true) {
                    socket.sendDdp(memory, 0, LENGTH, new BufferAddress(STAG, 0));
                }
            } else {
                socket.register(memory, BufferAttributes.DEFAULT.withStag(STAG));
            }
            socket.receive(socket.newIndication(), LONG);
        }
    }

    private static Process start(DdpTransport transport, DdpListener listener, String role) throws IOException {
        return new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), Peer.class.getName(),
                transport.name(), Integer.toString(listener.address().getPort()), role)).inheritIO().start();
    }

    private DdpListener listen(DdpTransport transport) {
        return context.listen(context.newGroup(), transport, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                DdpOptions.DEFAULT);
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA" })
    void shouldReportASenderThatDies(DdpTransport transport) throws Exception {
        DdpListener listener = listen(transport);
        long before = Descriptors.open();
        Process peer = start(transport, listener, "send");
        try (DdpSocket socket = listener.accept(LONG)) {
            socket.register(arena.allocate(LENGTH, 4096), BufferAttributes.DEFAULT.withStag(STAG));
            while (socket.counters().bytesPlaced() < ENOUGH) {
                Thread.onSpinWait();
            }
            peer.destroyForcibly();
            Indication indication = socket.newIndication();
            assertTrue(socket.receive(indication, LONG));
            assertEquals(Indication.Kind.ERROR, indication.kind());
            VerbsException failure = indication.failure();
            assertTrue(failure instanceof PeerException || failure instanceof SystemException, failure::toString);
            assertThrows(ClosedException.class, () -> socket.receive(indication, LONG));
        } finally {
            peer.destroyForcibly().waitFor();
        }
        closeStreams(peer);
        Descriptors.awaitAtMost(before);
    }

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA" })
    void shouldStopSendingToAReceiverThatDies(DdpTransport transport) throws Exception {
        DdpListener listener = listen(transport);
        long before = Descriptors.open();
        Process peer = start(transport, listener, "receive");
        try (DdpSocket socket = listener.accept(LONG)) {
            MemorySegment message = arena.allocate(LENGTH, 4096);
            Throwable[] thrown = new Throwable[1];
            Thread sender = Thread.ofPlatform().start(() -> {
                try {
                    while (true) {
                        socket.sendDdp(message, 0, LENGTH, new BufferAddress(STAG, 0));
                    }
                } catch (VerbsException e) {
                    thrown[0] = e;
                }
            });
            long begin = System.nanoTime();
            // The peer's window and the buffers hold less: the peer receives.
            while (System.nanoTime() - begin < LONG.toNanos() && socket.counters().messagesSent() == 0) {
                Thread.onSpinWait();
            }
            peer.destroyForcibly();
            assertTrue(sender.join(LONG), "the sender goes on");
            assertTrue(thrown[0] instanceof PeerException || thrown[0] instanceof SystemException, () -> String.valueOf(thrown[0]));
            assertThrows(VerbsException.class, () -> socket.send(message, 0, 1));
        } finally {
            peer.destroyForcibly().waitFor();
        }
        closeStreams(peer);
        Descriptors.awaitAtMost(before);
    }

    private static void closeStreams(Process peer) throws IOException {
        peer.getOutputStream().close();
        peer.getInputStream().close();
        peer.getErrorStream().close();
    }
}
