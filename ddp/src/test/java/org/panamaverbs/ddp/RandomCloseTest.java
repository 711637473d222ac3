package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Configuration;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.testing.Proofs;

/** Threads close buffers, sockets, groups and the context at random moments, while others send and receive. */
class RandomCloseTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int STAG = 7;
    private static final int SIZE = 20_000;
    private static final long STRESS_NANOS = Proofs.loopNanos();

    private final ConcurrentLinkedQueue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @EnumSource(value = DdpTransport.class, names = { "TCP", "MPA", "UDP", "MEMORY" })
    void shouldEndInGoodOrder(DdpTransport transport) throws InterruptedException {
        long seed = Long.getLong("ddp.stress.seed", new Random().nextLong());
        Random random = new Random(seed);
        long begin = System.nanoTime();
        do {
            round(transport, random, seed);
        } while (System.nanoTime() - begin < STRESS_NANOS);
    }

    private Thread run(boolean virtual, Runnable task) {
        Runnable guarded = () -> {
            try {
                task.run();
            } catch (ClosedException | PeerException | SystemException e) {
                // As documented.
            } catch (Throwable e) {
                unexpected.add(e);
            }
        };
        return virtual ? Thread.startVirtualThread(guarded) : Thread.ofPlatform().start(guarded);
    }

    private void round(DdpTransport transport, Random random, long seed) throws InterruptedException {
        String kind = transport != DdpTransport.MEMORY && random.nextInt(4) == 0 ? "nio" : "auto";
        DdpContext context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind)
                .set("panamaverbs.softiwarp.progress-threads", Integer.toString(random.nextInt(1, 3))).build());
        try (Arena arena = Arena.ofShared()) {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            DdpGroup group = context.newGroup();
            DdpOptions options = DdpOptions.DEFAULT.withIndications(50);
            DdpSocket near;
            DdpSocket far;
            if (transport == DdpTransport.UDP) {
                far = context.bind(group, any, options);
                near = context.connect(transport, far.localAddress(), options, LONG);
            } else {
                DdpListener listener = context.listen(group, transport, any, options);
                near = context.connect(transport, listener.address(), options, LONG);
                far = listener.accept(LONG);
            }
            MemorySegment sink = arena.allocate(SIZE);
            RegisteredBuffer buffer = (random.nextBoolean() ? group.register(sink, BufferAttributes.DEFAULT.withStag(STAG))
                    : far.register(sink, BufferAttributes.DEFAULT.withStag(STAG)));
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                byte pattern = (byte) (i + 1);
                MemorySegment source = arena.allocate(SIZE).fill(pattern);
                threads.add(run(random.nextBoolean(), () -> {
                    while (true) {
                        near.sendDdp(source, 0, SIZE, new BufferAddress(STAG, 0), 1);
                    }
                }));
                threads.add(run(random.nextBoolean(), () -> {
                    Indication indication = far.newIndication();
                    while (true) {
                        far.receive(indication, LONG);
                    }
                }));
            }
            List<Runnable> closes = List.of(buffer::close, near::close, far::close, group::close, context::close);
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                Runnable close = closes.get(random.nextInt(closes.size()));
                long after = random.nextLong(3_000_000);
                threads.add(run(false, () -> {
                    LockSupport.parkNanos(after);
                    close.run();
                }));
            }
            LockSupport.parkNanos(random.nextLong(3_000_000));
            buffer.close();
            byte[] then = sink.toArray(ValueLayout.JAVA_BYTE);
            LockSupport.parkNanos(500_000);
            assertTrue(MemorySegment.ofArray(then).mismatch(sink) < 0, "a byte changed after close; seed " + seed);
            context.close();
            for (Thread each : threads) {
                assertTrue(each.join(LONG), () -> "a thread hangs; seed " + seed);
            }
        }
        assertEquals(List.of(), List.copyOf(unexpected), "seed " + seed);
    }
}
