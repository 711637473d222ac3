package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Configuration;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.Warnings;

/** Many bad datagrams from many sources at a socket, and a bystander of the same context. */
class DatagramFloodTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final int DATAGRAMS = 200_000;
    private static final int SOURCES = 300;
    private static final int BURST = 50;
    private static final long MOMENT_NANOS = 1_000_000_000L;
    private static final int WARM_UP = 40_000;
    private static final long MOST_GROWTH = 32L << 20;
    private static final int SIZE = 1000;

    private final Arena arena = Arena.ofShared();
    private DdpContext context;

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    /** A datagram of any kind: random, cut short, of a wrong version or kind, for no buffer, or partly outside of one; some are ordered. */
    private static void write(ByteBuffer into, Random random) {
        into.clear();
        byte ordered = (byte) (random.nextInt(4) == 0 ? 0x80 : 0);
        short sequence = (short) random.nextInt();
        int identifier = random.nextBoolean() ? 0 : random.nextInt() | 1 << 31;
        switch (random.nextInt(7)) {
            case 0 -> {
                byte[] noise = new byte[random.nextInt(60)];
                random.nextBytes(noise);
                into.put(noise);
            }
            case 1 -> into.put((byte) 1).put((byte) (1 | ordered)).putShort(sequence).put(new byte[random.nextInt(16)]);
            case 2 -> into.put((byte) random.nextInt(2, 256)).put((byte) 1).putShort(sequence).put(new byte[30]);
            case 3 -> into.put((byte) 1).put((byte) (random.nextInt(3, 128) | ordered)).putShort(sequence).put(new byte[30]);
            case 4 -> into.put((byte) 1).put((byte) (1 | ordered)).putShort(sequence).putInt(identifier)
                    .putInt(random.nextInt(100, 1 << 30)).putLong(0).put(new byte[random.nextInt(1, 50)]);
            case 5 -> into.put((byte) 1).put((byte) (1 | ordered)).putShort(sequence).putInt(identifier).putInt(7)
                    .putLong(random.nextBoolean() ? SIZE - random.nextInt(10) : -random.nextInt(1, 10)).put(new byte[10]);
            default -> into.put((byte) 1).put((byte) (2 | ordered)).putShort(sequence).put(new byte[random.nextInt(50)]);
        }
        into.flip();
    }

    /** The resident memory of this process that no file is behind. */
    private static long resident() throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("RssAnon:")) {
                return Long.parseLong(line.replaceAll("\\D", "")) << 10;
            }
        }
        throw new AssertionError("no RssAnon");
    }

    /**
     * Waits until the socket has received so many datagrams, but for those that the system has dropped, or for a moment. Returns how many
     * it has dropped.
     */
    private static long awaitReceived(DdpSocket socket, long datagrams, long lost) {
        long begin = System.nanoTime();
        while (socket.counters().partsReceived() < datagrams - lost && System.nanoTime() - begin < MOMENT_NANOS) {
            Thread.onSpinWait();
        }
        return datagrams - socket.counters().partsReceived();
    }

    private static long heap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    @ParameterizedTest
    @Transports({ "auto", "nio" })
    void shouldStayAsItIs(String kind) throws IOException {
        context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind).build());
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        MemorySegment around = arena.allocate(3 * SIZE);
        around.fill((byte) 42);
        DdpDatagramSocket target = context.bind(context.newGroup(), ANY, DdpOptions.DEFAULT.withReceiveBuffer(1 << 20));
        target.register(around.asSlice(SIZE, SIZE), BufferAttributes.DEFAULT.withStag(7));
        DdpDatagramSocket bystander = context.bind(context.newGroup(), ANY, DdpOptions.DEFAULT);
        bystander.register(arena.allocate(10), BufferAttributes.DEFAULT.withStag(8));
        DdpSocket friend = context.connect(DdpTransport.UDP, bystander.localAddress(), DdpOptions.DEFAULT, LONG);
        Indication indication = bystander.newIndication();
        MemorySegment hello = arena.allocate(10);
        List<DatagramChannel> sources = new ArrayList<>();
        try (Warnings warnings = new Warnings()) {
            for (int i = 0; i < SOURCES; i++) {
                sources.add(DatagramChannel.open().bind(ANY));
            }
            ByteBuffer datagram = ByteBuffer.allocateDirect(2000);
            long heap = 0;
            long resident = 0;
            long lost = 0;
            for (int i = 0; i < DATAGRAMS; i++) {
                write(datagram, random);
                sources.get(random.nextInt(SOURCES)).send(datagram, target.localAddress());
                if (i % BURST == 0) {
                    lost = awaitReceived(target, i, lost);
                }
                if (i % 1000 == 0) {
                    friend.sendDdp(hello, 0, 10, new BufferAddress(8, 0), 1);
                    assertTrue(bystander.receive(indication, LONG), "the bystander receives");
                }
                if (i == WARM_UP) {
                    heap = heap();
                    resident = resident();
                }
            }
            DdpCounters counters = target.counters();
            assertTrue(counters.dropped() > DATAGRAMS / 2, counters::toString);
            assertEquals(0, counters.bytesPlaced(), () -> counters + " with seed " + seed);
            assertEquals(0, counters.indications());
            long grown = heap() - heap;
            assertTrue(grown < MOST_GROWTH, () -> "the heap grew by " + grown);
            long more = resident() - resident;
            assertTrue(more < 2 * MOST_GROWTH, () -> "the process grew by " + more);
            assertEquals(0, warnings.lines(), "nothing is logged");
        } finally {
            for (DatagramChannel each : sources) {
                each.close();
            }
        }
        for (int i = 0; i < 3 * SIZE; i++) {
            assertEquals(42, around.get(ValueLayout.JAVA_BYTE, i), "seed " + seed);
        }
    }
}
