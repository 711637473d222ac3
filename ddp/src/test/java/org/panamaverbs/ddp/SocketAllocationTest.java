package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Configuration;
import org.panamaverbs.testing.Proofs;

/**
 * Nothing is allocated per message, on the thread that sends, the one that receives, and the context's own: neither for a message that is
 * placed nor for its indication.
 */
// Needs the compiler that avoids allocations.
@Tag(Proofs.TAG)
class SocketAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int STAG = 7;
    private static final int ROUND = 200;
    /** The compiler is slow on a busy machine. */
    private static final long PATIENCE_NANOS = 60_000_000_000L;

    private final Arena arena = Arena.ofShared();
    private final DdpContext context = DdpContext.open(Configuration.builder().build());
    private DdpSocket near;
    private DdpSocket far;

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private void connect(DdpTransport transport) {
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        if (transport == DdpTransport.UDP) {
            far = context.bind(context.newGroup(), any, DdpOptions.DEFAULT);
            near = context.connect(transport, far.localAddress(), DdpOptions.DEFAULT.withPayload(1400), LONG);
        } else {
            DdpListener listener = context.listen(context.newGroup(), transport, any, DdpOptions.DEFAULT);
            near = context.connect(transport, listener.address(), DdpOptions.DEFAULT, LONG);
            far = listener.accept(LONG);
        }
    }

    @ParameterizedTest
    @CsvSource({ "TCP, 64, true", "TCP, 64, false", "TCP, 1048576, true", "MPA, 64, true", "MPA, 64, false", "MPA, 1048576, true",
            "UDP, 64, true", "UDP, 64, false", "UDP, 65536, true" })
    void shouldAllocateNothingPerMessage(DdpTransport transport, int size, boolean tagged) {
        connect(transport);
        MemorySegment source = arena.allocate(size, 64);
        RegisteredBuffer buffer = far.register(arena.allocate(size, 64), BufferAttributes.DEFAULT.withStag(STAG));
        Indication indication = far.newIndication();
        // A long message waits for room, and then the receiver must be another thread.
        Runnable round = size > 65_536 ? () -> {
            for (int i = 0; i < ROUND / 4; i++) {
                near.sendDdp(source, 0, size, STAG, 0, DdpSocket.NOTIFY, 1);
            }
        } : () -> {
            for (int i = 0; i < ROUND; i++) {
                if (tagged) {
                    near.sendDdp(source, 0, size, STAG, 0, DdpSocket.NOTIFY, 1);
                } else {
                    far.tryPostReceive(buffer, 0, size);
                    near.send(source, 0, size);
                }
                // A datagram can get lost.
                assertTrue(far.receive(indication, LONG));
            }
        };
        if (size > 65_536) {
            Thread.ofPlatform().daemon().start(() -> drain());
        }
        long least = Long.MAX_VALUE;
        long begin = System.nanoTime();
        while (least > 0 && System.nanoTime() - begin < PATIENCE_NANOS) {
            long before = THREADS.getTotalThreadAllocatedBytes();
            round.run();
            least = Math.min(least, THREADS.getTotalThreadAllocatedBytes() - before);
        }
        assertTrue(least < 64, "at least " + least + " bytes were allocated in a round");
    }

    private void drain() {
        Indication indication = far.newIndication();
        try {
            while (true) {
                far.receive(indication, LONG);
            }
        } catch (org.panamaverbs.ClosedException e) {
            // The test is over.
        }
    }
}
