package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;

/** The contract of every kind of datagram port. */
public abstract class BaseDatagramPortTestCase {
    private static final int HEADER = PortUnderTest.HEADER;
    private static final String GROUP = "239.255.77.1";
    private static final String GROUP_6 = "ff02::4d01";

    protected Multiplexer multiplexer;
    protected Arena arena;
    protected MemorySegment payload;

    protected abstract Multiplexer open();

    @BeforeEach
    protected void openMultiplexer() {
        multiplexer = open();
        arena = Arena.ofShared();
        payload = arena.allocate(100_000);
        byte[] random = new byte[100_000];
        new Random(15).nextBytes(random);
        MemorySegment.copy(random, 0, payload, ValueLayout.JAVA_BYTE, 0, random.length);
    }

    @AfterEach
    void closeMultiplexer() {
        if (multiplexer != null) {
            multiplexer.close();
            arena.close();
        }
    }

    protected PortUnderTest bind(String host) {
        return bind(DatagramBinding.to(new InetSocketAddress(host, 0)));
    }

    protected PortUnderTest bind(DatagramBinding binding) {
        return new PortUnderTest(multiplexer, binding.withReceiveBuffer(4 << 20),
                new InboundDatagrams(Arena.ofAuto(), 16, InboundDatagrams.WHOLE));
    }

    private PortUnderTest bindOrSkip(DatagramBinding binding) {
        try {
            return bind(binding);
        } catch (SystemException e) {
            assumeTrue(false, "not here: " + e.getMessage());
            throw e;
        }
    }

    /** The loopback interface: groups work there though it has no MULTICAST flag. */
    protected static String loopback() throws SocketException {
        for (NetworkInterface candidate : NetworkInterface.networkInterfaces().toList()) {
            if (candidate.isLoopback() && candidate.isUp()) {
                return candidate.getName();
            }
        }
        throw new AssertionError("no loopback interface");
    }

    /** The kernel has no route for IPv6 groups on the loopback interface. A time to live of 0 keeps the datagrams on the machine. */
    private static String interfaceForGroups6() throws SocketException {
        for (NetworkInterface candidate : NetworkInterface.networkInterfaces().toList()) {
            if (candidate.supportsMulticast() && candidate.isUp() && candidate.inetAddresses().anyMatch(Inet6Address.class::isInstance)) {
                return candidate.getName();
            }
        }
        return loopback();
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "::1" })
    void shouldDeliverADatagramAndItsSource(String host) {
        DatagramBinding binding = DatagramBinding.to(new InetSocketAddress(host, 0));
        try (PortUnderTest from = bindOrSkip(binding); PortUnderTest to = bindOrSkip(binding)) {
            from.fill(7, payload, 1000);
            from.sendTo(to.port.localAddress());
            to.await(1);
            assertArrayEquals(PortUnderTest.datagram(7, payload, 1000), to.received.get(0));
            assertEquals(from.port.localAddress(), to.in.source(0));
            InetSocketAddress source = to.in.source(0);
            to.fill(8, payload, HEADER);
            to.sendTo(source);
            from.await(1);
            assertArrayEquals(PortUnderTest.datagram(8, payload, HEADER), from.received.get(0));
            from.fill(9, payload, 100);
            from.sendTo(to.port.localAddress());
            to.await(2);
            assertSame(source, to.in.source(0));
        }
    }

    @Test
    void shouldTellSourcesApart() {
        try (PortUnderTest a = bind("127.0.0.1"); PortUnderTest b = bind("127.0.0.2"); PortUnderTest to = bind("127.0.0.1")) {
            for (PortUnderTest from : new PortUnderTest[] { a, b, a }) {
                from.fill(1, payload, 100);
                from.sendTo(to.port.localAddress());
            }
            to.select();
            assertEquals(3, to.receive());
            assertEquals(a.port.localAddress(), to.in.source(0));
            assertEquals(b.port.localAddress(), to.in.source(1));
            assertSame(to.in.source(0), to.in.source(2));
            assertTrue(source(to.in, 1).mismatch(source(to.in, 0)) >= 0);
            assertEquals(-1, source(to.in, 0).mismatch(source(to.in, 2)));
        }
    }

    private static MemorySegment source(InboundDatagrams in, int index) {
        return in.sources().asSlice(in.sourceOffset(index), in.sourceLength(index));
    }

    @Test
    void shouldKeepTheOrderAndTheBoundariesOfABatch() {
        int[] lengths = { 100, 100, 20, 3000, 3000, 3000, 2999, 3000, 40_000, 40_000, 65_507, 65_507, 21, 22, 22, 9000, 9000, 9000,
                10 + 20 };
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < lengths.length; i++) {
                from.fill(i, payload, lengths[i]);
            }
            from.out.add(0);
            from.sendTo(to.port.localAddress());
            to.await(lengths.length + 1);
            for (int i = 0; i < lengths.length; i++) {
                assertArrayEquals(PortUnderTest.datagram(i, payload, lengths[i]), to.received.get(i), "datagram " + i);
            }
            assertEquals(0, to.received.get(lengths.length).length);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 40, 1472, 8972, 40_000, 65_507 })
    void shouldDeliverManyOfOneLengthAndAShorterLast(int length) {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            int count = Math.min(300, 1_500_000 / length);
            for (int i = 0; i < count; i++) {
                from.fill(i, payload, i == count - 1 ? length - 7 : length);
            }
            from.sendTo(to.port.localAddress());
            to.await(count);
            for (int i = 0; i < count; i++) {
                assertArrayEquals(PortUnderTest.datagram(i, payload, i == count - 1 ? length - 7 : length), to.received.get(i),
                        "datagram " + i);
            }
        }
    }

    @Test
    void shouldGatherPayloadsOfManySegments() {
        MemorySegment[] segments = new MemorySegment[10];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = arena.allocate(2000).fill((byte) (i + 1));
        }
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < 30; i++) {
                from.fill(i, segments[i % 10], 1000);
            }
            from.sendTo(to.port.localAddress());
            to.await(30);
            for (int i = 0; i < 30; i++) {
                assertArrayEquals(PortUnderTest.datagram(i, segments[i % 10], 1000), to.received.get(i), "datagram " + i);
            }
        }
    }

    @Test
    void shouldDropAndCountTruncatedDatagrams() {
        int[] lengths = { 50, 200, 101, 60, 100 };
        try (PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = new PortUnderTest(multiplexer, DatagramBinding.to(Peers.loopback(0)),
                        new InboundDatagrams(Arena.ofAuto(), 16, 100))) {
            for (int i = 0; i < lengths.length; i++) {
                from.fill(i, payload, lengths[i]);
                from.sendTo(to.port.localAddress());
            }
            to.await(3);
            assertArrayEquals(PortUnderTest.datagram(0, payload, 50), to.received.get(0));
            assertArrayEquals(PortUnderTest.datagram(3, payload, 60), to.received.get(1));
            assertArrayEquals(PortUnderTest.datagram(4, payload, 100), to.received.get(2));
            assertEquals(2, to.in.truncated());
        }
    }

    /** A batch of truncated datagrams must not look like an empty queue whose next edge the caller may wait for. */
    @Test
    void shouldGoOnAfterABatchOfTruncatedDatagrams() {
        try (PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = new PortUnderTest(multiplexer, DatagramBinding.to(Peers.loopback(0)),
                        new InboundDatagrams(Arena.ofAuto(), 2, 100))) {
            for (int i = 0; i < 5; i++) {
                from.fill(i, payload, i == 4 ? 100 : 101 + i);
                from.sendTo(to.port.localAddress());
            }
            to.await(1);
            assertArrayEquals(PortUnderTest.datagram(4, payload, 100), to.received.get(0));
            assertEquals(4, to.in.truncated());
        }
    }

    @Test
    void shouldRefuseADatagramThatIsTooLongAndSendTheOthers() {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            from.fill(0, payload, 100);
            from.fill(1, payload, 65_508);
            from.fill(2, payload, 100);
            InetSocketAddress address = to.port.localAddress();
            assertEquals(1, from.port.send(address, from.out));
            assertEquals(DatagramPort.TOO_LONG, from.port.send(address, from.out));
            assertEquals(2, from.out.size());
            from.out.remove(1);
            assertEquals(1, from.port.send(address, from.out));
            assertTrue(from.out.isEmpty());
            to.await(2);
            assertArrayEquals(PortUnderTest.datagram(2, payload, 100), to.received.get(1));
        }
    }

    @Test
    void shouldNotMindThatNobodyReceives() {
        InetSocketAddress nobody;
        try (PortUnderTest closed = bind("127.0.0.1")) {
            nobody = closed.port.localAddress();
        }
        multiplexer.select(0);
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < 10; i++) {
                from.fill(i, payload, 100);
                from.sendTo(nobody);
                assertEquals(0, from.receive());
            }
            from.fill(1, payload, 100);
            from.sendTo(to.port.localAddress());
            to.await(1);
        }
    }

    @Test
    void shouldRefuseAnAddressInUse() {
        try (PortUnderTest first = bind("127.0.0.1")) {
            InetSocketAddress address = first.port.localAddress();
            SystemException failure = assertThrows(SystemException.class, () -> multiplexer.bind(DatagramBinding.to(address)));
            assertTrue(failure.getMessage().startsWith("bind to " + Route.text(address)), failure.getMessage());
            assertTrue(failure.getMessage().contains("choose another port"), failure.getMessage());
        }
    }

    @Test
    void shouldRefuseAnAddressThatIsNotThisMachines() {
        SystemException failure = assertThrows(SystemException.class,
                () -> multiplexer.bind(DatagramBinding.to(new InetSocketAddress("198.51.100.1", 0))));
        assertTrue(failure.getMessage().contains("no network interface of this machine has this address"), failure.getMessage());
    }

    @Test
    void shouldNameTheInterfaceThatIsMissing() throws SocketException {
        DatagramBinding binding = DatagramBinding.to(new InetSocketAddress(GROUP, 0)).on("missing0");
        SystemException failure = assertThrows(SystemException.class, () -> multiplexer.bind(binding));
        assertTrue(failure.getMessage().contains("no network interface is named \"missing0\"; this machine has "), failure.getMessage());
        assertTrue(failure.getMessage().contains(loopback()), failure.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = { GROUP, GROUP_6 })
    void shouldDeliverToEachMemberOfAGroup(String group) throws SocketException {
        boolean isIpv6 = group.equals(GROUP_6);
        String name = isIpv6 ? interfaceForGroups6() : loopback();
        DatagramBinding binding = DatagramBinding.to(new InetSocketAddress(group, 0)).on(name).withTimeToLive(0);
        try (PortUnderTest first = bindOrSkip(binding)) {
            InetSocketAddress address = new InetSocketAddress(group, first.port.localAddress().getPort());
            DatagramBinding same = DatagramBinding.to(address).on(name).withTimeToLive(0);
            DatagramBinding any = DatagramBinding.to(new InetSocketAddress(isIpv6 ? "::" : "0.0.0.0", 0)).on(name).withTimeToLive(0);
            try (PortUnderTest second = bind(same); PortUnderTest third = bind(same); PortUnderTest from = bind(any)) {
                // Longer than the packets of most interfaces.
                for (int i = 0; i < 20; i++) {
                    from.fill(i, payload, 1500);
                }
                int taken = from.port.send(address, from.out);
                assumeTrue(taken != DatagramPort.FAILED || !isIpv6, "no route for groups: " + from.port.failure().getMessage());
                assertEquals(20, taken);
                for (PortUnderTest member : new PortUnderTest[] { first, second, third }) {
                    member.await(20);
                    for (int i = 0; i < 20; i++) {
                        assertArrayEquals(PortUnderTest.datagram(i, payload, 1500), member.received.get(i), "datagram " + i);
                    }
                    assertEquals(from.port.localAddress().getPort(), member.in.source(0).getPort());
                }
                // A member answers the source alone.
                first.fill(3, payload, 100);
                first.sendTo(first.in.source(0));
                from.await(1);
                assertEquals(0, second.receive());
            }
        }
    }

    @Test
    void shouldReceiveNothingOfOtherGroupsAndNothingUnicast() throws SocketException {
        DatagramBinding binding = DatagramBinding.to(new InetSocketAddress(GROUP, 0)).on(loopback());
        try (PortUnderTest member = bindOrSkip(binding);
                PortUnderTest from = bind(DatagramBinding.to(new InetSocketAddress("0.0.0.0", 0)).on(loopback()))) {
            int port = member.port.localAddress().getPort();
            try (PortUnderTest other = bind(DatagramBinding.to(new InetSocketAddress("239.255.77.2", port)).on(loopback()))) {
                from.fill(1, payload, 100);
                from.sendTo(new InetSocketAddress("239.255.77.2", port));
                from.fill(2, payload, 100);
                from.sendTo(new InetSocketAddress("127.0.0.1", port));
                from.fill(3, payload, 100);
                from.sendTo(new InetSocketAddress(GROUP, port));
                other.await(1);
                member.await(1);
                assertArrayEquals(PortUnderTest.datagram(1, payload, 100), other.received.get(0));
                assertArrayEquals(PortUnderTest.datagram(3, payload, 100), member.received.get(0));
            }
        }
    }

    @Test
    void shouldKnowTheMtuOfALoopbackRoute() throws SocketException {
        int mtu = Math.min(65_535, NetworkInterface.getByName(loopback()).getMTU());
        try (PortUnderTest port = bind(DatagramBinding.to(Peers.loopback(0)).on(loopback()))) {
            assertEquals(mtu, port.port.mtu(Peers.loopback(0)));
            assertEquals(mtu, port.port.mtu(new InetSocketAddress(GROUP, 4791)));
        }
    }

    @Test
    void shouldTellOfDatagramsThatCameBeforeTheHandler() {
        DatagramPort to = multiplexer.bind(DatagramBinding.to(Peers.loopback(0)));
        try (PortUnderTest from = bind("127.0.0.1")) {
            from.fill(1, payload, 100);
            from.sendTo(to.localAddress());
            int[] told = new int[1];
            multiplexer.add(to, events -> told[0] |= events);
            while ((told[0] & Multiplexer.READABLE) == 0 || (told[0] & Multiplexer.WRITABLE) == 0) {
                multiplexer.select(-1);
            }
            assertEquals(1, to.receive(new InboundDatagrams(Arena.ofAuto(), 1, 100)));
        } finally {
            to.close();
        }
    }

    @Test
    void shouldTellAgainWhenASlotWasFree() {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < 20; i++) {
                from.fill(i, payload, 100);
                from.sendTo(to.port.localAddress());
                to.select();
                assertEquals(1, to.receive());
                assertTrue(to.in.hasFreeSlot());
            }
        }
    }

    @Test
    void shouldSayThatItIsClosed() {
        PortUnderTest port = bind("127.0.0.1");
        InetSocketAddress address = port.port.localAddress();
        port.fill(1, payload, 100);
        port.close();
        port.close();
        assertEquals(DatagramPort.FAILED, port.port.receive(port.in));
        assertEquals(DatagramPort.FAILED, port.port.send(address, port.out));
        assertEquals(1, port.out.size());
        assertInstanceOf(ClosedException.class, port.port.failure());
        multiplexer.select(0);
        assertFalse(port.readable);
        multiplexer.bind(DatagramBinding.to(address)).close();
    }

    @Test
    void shouldRefuseADestinationOfAnotherFamily() {
        try (PortUnderTest port = bind("127.0.0.1")) {
            port.fill(1, payload, 100);
            assertThrows(IllegalArgumentException.class, () -> port.port.send(new InetSocketAddress("::1", 9), port.out));
            assertEquals(1, port.out.size());
        }
    }

    @Test
    void shouldSendTheDatagramsBeforeOneWhoseMemoryIsGone() {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            Arena gone = Arena.ofShared();
            MemorySegment bad = gone.allocate(2000);
            from.fill(0, payload, 1000);
            from.fill(1, payload, 1000);
            from.fill(2, bad, 1000);
            from.fill(3, payload, 1000);
            gone.close();
            assertEquals(2, from.port.send(to.port.localAddress(), from.out));
            assertEquals(DatagramPort.BAD_MEMORY, from.port.send(to.port.localAddress(), from.out));
            from.out.remove(1);
            assertEquals(1, from.port.send(to.port.localAddress(), from.out));
            to.await(3);
            assertArrayEquals(PortUnderTest.datagram(3, payload, 1000), to.received.get(2));
        }
    }

    @Test
    void shouldSurviveAMappedFileThatIsCutShort(@TempDir Path directory) throws IOException {
        // @formatter:off
        try (FileChannel file = FileChannel.open(directory.resolve("short"), StandardOpenOption.CREATE, StandardOpenOption.READ,
                StandardOpenOption.WRITE);
                PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = bind("127.0.0.1")) {
            // @formatter:on
            MemorySegment mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, 65_536, arena);
            file.truncate(0);
            from.fill(0, payload, 1000);
            from.fill(1, mapped, 1000);
            from.fill(2, payload, 1000);
            assertEquals(1, from.port.send(to.port.localAddress(), from.out));
            assertEquals(DatagramPort.BAD_MEMORY, from.port.send(to.port.localAddress(), from.out));
            from.out.remove(1);
            assertEquals(1, from.port.send(to.port.localAddress(), from.out));
            to.await(2);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 100, 1472, 9000 })
    void shouldLoseNothingOfTenThousandBothWays(int length) {
        try (PortUnderTest a = bind("127.0.0.1"); PortUnderTest b = bind("127.0.0.1")) {
            int seen = 0;
            for (int round = 0; round < 10_000 / 50; round++) {
                for (int i = 0; i < 50; i++) {
                    a.fill(seen + i, payload, length);
                    b.fill(seen + i, payload, length);
                }
                a.sendTo(b.port.localAddress());
                b.sendTo(a.port.localAddress());
                a.await(50);
                b.await(50);
                for (int i = 0; i < 50; i++) {
                    byte[] expected = PortUnderTest.datagram(seen + i, payload, length);
                    assertArrayEquals(expected, a.received.get(i));
                    assertArrayEquals(expected, b.received.get(i));
                }
                a.received.clear();
                b.received.clear();
                seen += 50;
            }
        }
    }
}
