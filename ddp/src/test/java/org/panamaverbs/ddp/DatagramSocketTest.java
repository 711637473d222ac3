package org.panamaverbs.ddp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.panamaverbs.Configuration;
import org.panamaverbs.SystemException;
import org.panamaverbs.testing.Transports;

/** DDPP core over UDP. */
@ParameterizedClass
@Transports({ "auto", "nio" })
class DatagramSocketTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
    private static final InetAddress GROUP = address("239.255.77.1");

    private final Arena arena = Arena.ofShared();
    private final DdpContext context;
    private final DdpGroup group;

    DatagramSocketTest(String kind) {
        context = DdpContext.open(Configuration.builder().set("panamaverbs.softiwarp.transport", kind).build());
        group = context.newGroup();
    }

    private static InetAddress address(String text) {
        try {
            return InetAddress.getByName(text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        context.close();
        arena.close();
    }

    private DdpDatagramSocket bind(DdpOptions options) {
        return context.bind(context.newGroup(), new InetSocketAddress(LOOPBACK, 0), options);
    }

    private DdpSocket connect(DdpSocket to, DdpOptions options) {
        return context.connect(group, DdpTransport.UDP, to.localAddress(), options, LONG);
    }

    private MemorySegment pattern(int size, int seed) {
        MemorySegment segment = arena.allocate(size, 64);
        for (int i = 0; i < size; i++) {
            segment.set(ValueLayout.JAVA_BYTE, i, (byte) (seed + i * 31 + (i >> 8) * 7));
        }
        return segment;
    }

    private static void await(BooleanSupplier condition) {
        long begin = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - begin < LONG.toNanos(), "in time");
            Thread.onSpinWait();
        }
    }

    private static Indication take(DdpSocket socket) {
        Indication indication = socket.newIndication();
        assertTrue(socket.receive(indication, LONG), "an indication comes");
        return indication;
    }

    @Test
    void shouldPlaceALongMessageInParts() {
        for (int payload : new int[] { 512, 1472, 8972, 65_487 }) {
            DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
            MemorySegment sink = arena.allocate(300_000, 64);
            far.register(sink, BufferAttributes.DEFAULT.withStag(7).withOffset(1000));
            MemorySegment source = pattern(299_990, payload);
            DdpSocket near = connect(far, DdpOptions.DEFAULT.withPayload(payload));

            // In pieces, so that the receive buffer of a small machine holds them.
            for (int at = 0; at < source.byteSize(); at += 60_000) {
                int length = (int) Math.min(60_000, source.byteSize() - at);
                boolean last = at + length == source.byteSize();
                near.sendDdp(source, at, length, 7, 1000 + 5 + at, last ? DdpSocket.NOTIFY : 0, 9);
                long all = at + length;
                await(() -> far.counters().bytesPlaced() == all);
            }

            Indication indication = take(far);
            assertEquals(9, indication.messageId());
            assertEquals(near.localAddress().getPort(), indication.source().getPort());
            assertEquals(-1, sink.asSlice(5, source.byteSize()).mismatch(source));
            assertEquals((60_000 + payload - 1) / payload * 4L + (59_990 + payload - 1) / payload, far.counters().partsReceived());
            assertEquals(new MessageSizes(payload + 16, payload), near.maximumSizes());
            far.close();
            near.close();
        }
    }

    @Test
    void shouldIndicateOnlyTheLastPart() {
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
        far.register(arena.allocate(100_000), BufferAttributes.DEFAULT.withStag(7));
        DdpSocket near = connect(far, DdpOptions.DEFAULT.withPayload(1000));
        near.sendDdp(pattern(50_000, 1), 0, 50_000, new BufferAddress(7, 0), 1);
        near.sendDdp(pattern(50_000, 1), 0, 10, new BufferAddress(7, 0), 2);
        assertEquals(1, take(far).messageId());
        assertEquals(2, take(far).messageId());
        assertEquals(2, far.counters().indications());
    }

    @Test
    void shouldRefuseToSplitAnAtomicMessage() {
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
        far.register(arena.allocate(100_000), BufferAttributes.DEFAULT.withStag(7));
        DdpSocket near = connect(far, DdpOptions.DEFAULT.withPayload(1000));
        MemorySegment source = pattern(2000, 1);
        assertThrows(IllegalArgumentException.class, () -> near.sendDdp(source, 0, 1001, 7, 0, DdpSocket.ATOMIC | DdpSocket.NOTIFY, 1));
        near.sendDdp(source, 0, 1000, 7, 0, DdpSocket.ATOMIC | DdpSocket.NOTIFY, 2);
        assertEquals(2, take(far).messageId());
        assertEquals(1, far.counters().partsReceived());
        assertThrows(IllegalArgumentException.class, () -> near.send(source, 0, 1017));
    }

    @Test
    void shouldAnswerTheSource() {
        DdpDatagramSocket server = bind(DdpOptions.DEFAULT);
        RegisteredBuffer request = server.register(arena.allocate(100));
        server.postReceive(request);
        DdpSocket client = context.connect(group, DdpTransport.UDP, server.localAddress(), DdpOptions.DEFAULT, LONG);
        RegisteredBuffer answer = client.register(arena.allocate(100));
        client.postReceive(answer);

        client.send(pattern(5, 1), 0, 5);
        Indication asked = take(server);
        server.send(asked.source(), pattern(6, 2), 0, 6);

        assertEquals(5, asked.length());
        assertEquals(6, take(client).length());
        assertThrows(IllegalStateException.class, () -> server.send(pattern(5, 1), 0, 5));
    }

    @Test
    void shouldDropAndCountWhatIsBad() throws IOException {
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
        MemorySegment sink = arena.allocate(100);
        far.register(sink, BufferAttributes.DEFAULT.withStag(7));
        RegisteredBuffer receive = far.register(arena.allocate(10));
        // @formatter:off
        String[] datagrams = {
                "", "01", "010200", "02020000", "01030000", "0101000000000000000000070000000000000000", // malformed
                "010100000000000000000008000000000000000061", // unknown STag
                "010100000000000000000007000000000000006461", "0101000000000000000000 07ffffffffffffffff61", // out of bounds
                "0102000061", // no receive
        };
        // @formatter:on
        try (java.net.DatagramSocket stranger = new java.net.DatagramSocket()) {
            for (String hex : datagrams) {
                byte[] bytes = HexFormat.of().parseHex(hex.replace(" ", ""));
                stranger.send(new DatagramPacket(bytes, bytes.length, far.localAddress()));
            }
            await(() -> far.counters().partsReceived() == datagrams.length);
            far.postReceive(receive);
            byte[] tooLong = new byte[4 + 11];
            tooLong[0] = 1;
            tooLong[1] = 2;
            stranger.send(new DatagramPacket(tooLong, tooLong.length, far.localAddress()));
            stranger.send(new DatagramPacket(tooLong, tooLong.length - 1, far.localAddress()));
        }
        Indication indication = take(far);
        assertEquals(10, indication.length());
        DdpCounters counters = far.counters();
        assertEquals(6, counters.malformed());
        assertEquals(1, counters.unknownStags());
        assertEquals(2, counters.outOfBounds());
        assertEquals(1, counters.withoutReceive());
        assertEquals(1, counters.tooLong());
        assertArrayEquals(new byte[100], sink.toArray(ValueLayout.JAVA_BYTE));
        assertFalse(far.poll(indication));
    }

    /** Those behind it are there already: the socket receives nothing while one indication, its maximum, waits. */
    @Test
    void shouldDropALongDatagramAndNoneOfThoseBehindIt() {
        int payload = 20_000;
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT.withIndications(1).withReceiveBuffer(1 << 20));
        far.register(arena.allocate(5 * payload, 64), BufferAttributes.DEFAULT.withStag(7));
        DdpSocket near = connect(far, DdpOptions.DEFAULT.withPayload(payload));
        MemorySegment source = pattern(payload, 1);
        near.sendDdp(source, 0, payload, 7, 0, DdpSocket.NOTIFY, 1);
        await(() -> far.counters().indications() == 1);

        near.sendDdp(source, 0, payload, 8, 0, 0, 0);
        for (int i = 1; i < 5; i++) {
            near.sendDdp(source, 0, payload, 7, (long) i * payload, 0, 0);
        }
        assertEquals(1, take(far).messageId());

        await(() -> far.counters().bytesPlaced() == 5 * payload);
        assertEquals(1, far.counters().unknownStags());
    }

    @Test
    void shouldDropWhatComesLateIfOrdered() {
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
        MemorySegment sink = arena.allocate(100);
        far.register(sink, BufferAttributes.DEFAULT.withStag(7));
        byte[] first = HexFormat.of().parseHex("01810000" + "80000001" + "00000007" + "0000000000000000" + "61");
        byte[] third = HexFormat.of().parseHex("01810002" + "80000003" + "00000007" + "0000000000000001" + "63");
        byte[] second = HexFormat.of().parseHex("01810001" + "80000002" + "00000007" + "0000000000000002" + "62");
        byte[] fourth = HexFormat.of().parseHex("01810003" + "80000004" + "00000007" + "0000000000000003" + "64");
        try (java.net.DatagramSocket stranger = new java.net.DatagramSocket()) {
            for (byte[] each : List.of(first, third, second, third, fourth)) {
                stranger.send(new DatagramPacket(each, each.length, far.localAddress()));
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertEquals(1, take(far).messageId());
        assertEquals(3, take(far).messageId());
        assertEquals(4, take(far).messageId());
        assertEquals(2, far.counters().late());
        assertArrayEquals(new byte[] { 0x61, 0x63, 0, 0x64 }, sink.asSlice(0, 4).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldPlaceAtEachMemberOfAGroup() {
        DdpOptions options = DdpOptions.DEFAULT.withNetworkInterface("lo");
        DdpDatagramSocket first = context.bind(context.newGroup(), new InetSocketAddress(GROUP, 0), options);
        InetSocketAddress all = new InetSocketAddress(GROUP, first.localAddress().getPort());
        List<DdpDatagramSocket> members = new ArrayList<>(List.of(first));
        for (int i = 0; i < 3; i++) {
            members.add(context.bind(context.newGroup(), all, options));
        }
        List<MemorySegment> sinks = new ArrayList<>();
        for (DdpDatagramSocket member : members) {
            MemorySegment sink = arena.allocate(50_000, 64);
            member.register(sink, BufferAttributes.DEFAULT.withStag(7));
            sinks.add(sink);
        }
        DdpSocket caster = context.connect(group, DdpTransport.UDP, all, options, LONG);
        MemorySegment source = pattern(50_000, 3);
        caster.sendDdp(source, 0, 50_000, new BufferAddress(7, 0), 5);
        for (int i = 0; i < members.size(); i++) {
            assertEquals(5, take(members.get(i)).messageId());
            assertEquals(-1, source.mismatch(sinks.get(i)));
        }
    }

    @Test
    void shouldNameTheMistake() {
        DdpDatagramSocket far = bind(DdpOptions.DEFAULT);
        SystemException inUse = assertThrows(SystemException.class,
                () -> context.bind(context.newGroup(), far.localAddress(), DdpOptions.DEFAULT));
        assertTrue(inUse.getMessage().contains("in use") || inUse.getMessage().contains("another socket"), inUse::getMessage);
        assertThrows(SystemException.class,
                () -> context.bind(group, new InetSocketAddress(GROUP, 0), DdpOptions.DEFAULT.withNetworkInterface("nosuch0")));
        assertThrows(IllegalArgumentException.class,
                () -> context.listen(group, DdpTransport.UDP, new InetSocketAddress(LOOPBACK, 0), DdpOptions.DEFAULT));
    }
}
