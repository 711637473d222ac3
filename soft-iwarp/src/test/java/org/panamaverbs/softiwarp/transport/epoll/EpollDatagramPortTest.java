package org.panamaverbs.softiwarp.transport.epoll;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.transport.BaseDatagramPortTestCase;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramHead;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.InboundDatagrams;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Peers;
import org.panamaverbs.softiwarp.transport.PortUnderTest;
import org.panamaverbs.testing.Proofs;

/** Datagrams by epoll: the contract, and the promises of this transport alone. */
class EpollDatagramPortTest extends BaseDatagramPortTestCase {
    private static final int NO_DESCRIPTOR = -1;

    private final DatagramHead head = new DatagramHead(Arena.ofAuto(), PortUnderTest.HEADER);

    @BeforeEach
    @Override
    protected void openMultiplexer() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
        super.openMultiplexer();
    }

    @Override
    protected Multiplexer open() {
        return new EpollMultiplexer();
    }

    /** Segmentation offload at both ends: 44 datagrams of 1472 bytes are one piece. */
    @Test
    void shouldPresentPiecesAsSeparateDatagrams() {
        try (PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = new PortUnderTest(multiplexer, DatagramBinding.to(Peers.loopback(0)),
                        new InboundDatagrams(Arena.ofAuto(), 3, InboundDatagrams.WHOLE))) {
            for (int i = 0; i < 90; i++) {
                from.fill(i, payload, i == 89 ? 30 : 1472);
            }
            assertEquals(90, from.port.send(to.port.localAddress(), from.out));
            to.select();
            assertEquals(90, to.receive());
            for (int i = 0; i < 90; i++) {
                assertArrayEquals(PortUnderTest.datagram(i, payload, i == 89 ? 30 : 1472), to.received.get(i), "datagram " + i);
            }
        }
    }

    @Test
    void shouldDropThePiecesThatASlotHasNoRoomFor() {
        try (PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = new PortUnderTest(multiplexer, DatagramBinding.to(Peers.loopback(0)),
                        new InboundDatagrams(Arena.ofAuto(), 3, 2500))) {
            for (int i = 0; i < 5; i++) {
                from.fill(i, payload, 1000);
            }
            assertEquals(5, from.port.send(to.port.localAddress(), from.out));
            to.select();
            assertEquals(2, to.receive());
            assertEquals(3, to.in.truncated());
            assertArrayEquals(PortUnderTest.datagram(1, payload, 1000), to.received.get(1));
        }
    }

    @Test
    void shouldTakeADatagramStraightToItsPlace() {
        MemorySegment place = arena.allocate(70_000);
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            assertEquals(0, to.port.peek(head));
            for (int i = 0; i < 3; i++) {
                from.fill(i, payload, 65_507);
            }
            assertEquals(3, from.port.send(to.port.localAddress(), from.out));
            to.select();
            for (int i = 0; i < 2; i++) {
                byte[] expected = PortUnderTest.datagram(i, payload, 65_507);
                assertEquals(1, to.port.peek(head));
                assertEquals(1, to.port.peek(head));
                assertTrue(head.isTakeable());
                assertEquals(65_507, head.length());
                assertEquals(from.port.localAddress(), head.source());
                assertEquals(i, head.memory().get(ValueLayout.JAVA_INT, 0));
                place.fill((byte) 0x55);
                assertEquals(65_507 - 20, to.port.take(head, place, 100));
                assertEquals(-1, place.asSlice(100, 65_487).mismatch(MemorySegment.ofArray(expected).asSlice(20)));
                assertEquals(0x55, place.get(ValueLayout.JAVA_BYTE, 99));
                assertEquals(0x55, place.get(ValueLayout.JAVA_BYTE, 65_587));
            }
            // A datagram that was peeked at can be received as well.
            assertEquals(1, to.port.peek(head));
            assertEquals(1, to.receive());
            assertArrayEquals(PortUnderTest.datagram(2, payload, 65_507), to.received.get(0));
            assertEquals(0, to.port.peek(head));
        }
    }

    @Test
    void shouldNotTakeWhatIsNotAloneOrHasNoRoom() {
        MemorySegment place = arena.allocate(1000);
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            from.fill(0, payload, 500);
            from.fill(1, payload, 500);
            from.sendTo(to.port.localAddress());
            to.select();
            assertEquals(1, to.port.peek(head));
            assertFalse(head.isAlone());
            assertThrows(IllegalArgumentException.class, () -> to.port.take(head, place, 0));
            to.await(2);
            from.fill(2, payload, 500);
            from.sendTo(to.port.localAddress());
            to.select();
            while (to.port.peek(head) == 0) {
                multiplexer.select(-1);
            }
            assertThrows(IndexOutOfBoundsException.class, () -> to.port.take(head, place, 521));
            assertEquals(DatagramPort.BAD_MEMORY, to.port.take(head, place.asReadOnly(), 0));
            assertEquals(480, to.port.take(head, place, 520));
        }
    }

    @Test
    void shouldDiscardOneDatagramAtATime() {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < 3; i++) {
                from.fill(i, payload, 65_507);
            }
            assertEquals(3, from.port.send(to.port.localAddress(), from.out));
            to.select();
            for (int i = 0; i < 2; i++) {
                assertEquals(1, to.port.peek(head));
                assertEquals(i, head.memory().get(ValueLayout.JAVA_INT, 0));
                to.port.discard(head);
            }
            to.await(1);
            assertArrayEquals(PortUnderTest.datagram(2, payload, 65_507), to.received.get(0));
        }
    }

    @Test
    void shouldReceiveOnceThereIsMemoryForTheBatch() {
        boolean[] isShort = new boolean[1];
        DatagramReceive receiving = new DatagramReceive((size, alignment) -> {
            if (isShort[0]) {
                throw new OutOfMemoryError("of the test");
            }
            return arena.allocate(size, alignment);
        });
        InboundDatagrams batch = new InboundDatagrams(arena, 1, 100);
        isShort[0] = true;
        assertThrows(OutOfMemoryError.class, () -> receiving.receive(NO_DESCRIPTOR, batch));
        isShort[0] = false;
        assertEquals(DatagramPort.FAILED, receiving.receive(NO_DESCRIPTOR, batch));
    }

    @Test
    void shouldTellOfTheNextDatagramAfterAPeekFoundNothing() {
        try (PortUnderTest from = bind("127.0.0.1"); PortUnderTest to = bind("127.0.0.1")) {
            for (int i = 0; i < 20; i++) {
                from.fill(i, payload, 100);
                from.sendTo(to.port.localAddress());
                to.select();
                to.readable = false;
                assertEquals(1, to.port.peek(head));
                assertEquals(80, to.port.take(head, payload, 0));
                assertEquals(0, to.port.peek(head));
            }
        }
    }

    @Test
    void shouldCountWhatTheSystemDropped() {
        try (PortUnderTest from = bind("127.0.0.1");
                PortUnderTest to = new PortUnderTest(multiplexer, DatagramBinding.to(Peers.loopback(0)).withReceiveBuffer(10_000),
                        new InboundDatagrams(Arena.ofAuto(), 16, InboundDatagrams.WHOLE))) {
            assertEquals(0, to.port.dropped());
            for (int i = 0; i < 100; i++) {
                from.fill(i, payload, 4000);
                from.sendTo(to.port.localAddress());
            }
            while (to.receive() > 0) {
                assertTrue(to.received.size() < 100);
            }
            assertEquals(100 - to.received.size(), to.port.dropped());
            assertTrue(to.port.dropped() > 0);
            assertTrue(to.port.receiveBuffer() >= 10_000, () -> "receive buffer " + to.port.receiveBuffer());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "127.0.0.1", "::1" })
    void shouldReceiveOneFamilyOnTheAnyAddress(String host) {
        String any = host.equals("::1") ? "::" : "0.0.0.0";
        try (PortUnderTest to = bind(any); PortUnderTest from = bind(any)) {
            InetSocketAddress other = new InetSocketAddress(any.equals("::") ? "0.0.0.0" : "::", to.port.localAddress().getPort());
            multiplexer.bind(DatagramBinding.to(other)).close();
            from.fill(1, payload, 100);
            from.sendTo(new InetSocketAddress(host, to.port.localAddress().getPort()));
            to.await(1);
        }
    }

    // Needs the compiler that avoids allocations.
    @Tag(Proofs.TAG)
    @Test
    void shouldAllocateNothingWhileItSelectsReceivesAndSends() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().threadId();
        MemorySegment place = arena.allocate(70_000);
        try (PortUnderTest a = bind("127.0.0.1"); PortUnderTest b = bind("127.0.0.2")) {
            // Until it is compiled by C2, the JDK's linker makes an object for each captured errno (see SocketCalls); we make none.
            long allocated = Long.MAX_VALUE;
            for (int window = 0; window < 300 && allocated > 0; window++) {
                long before = threads.getThreadAllocatedBytes(self);
                for (int i = 0; i < 200; i++) {
                    exchange(a, b, place);
                    exchange(b, a, place);
                }
                allocated = threads.getThreadAllocatedBytes(self) - before;
            }
            assertEquals(0, allocated, "bytes allocated in 400 rounds");
        }
    }

    private void exchange(PortUnderTest from, PortUnderTest to, MemorySegment place) {
        for (int i = 0; i < 30; i++) {
            addDatagram(from, i, 1472);
        }
        assertEquals(30, from.port.send(to.port.localAddress(), from.out));
        to.readable = false;
        assertEquals(30, to.port.receive(to.in));
        for (int i = 0; i < 30; i++) {
            assertEquals(1472, to.in.length(i));
            if (!to.in.source(i).equals(from.port.localAddress())) {
                throw new AssertionError("another source");
            }
        }
        addDatagram(from, 1, 20_000);
        assertEquals(1, from.port.send(to.port.localAddress(), from.out));
        assertEquals(1, to.port.peek(head));
        assertEquals(20_000 - 20, to.port.take(head, place, 0));
        assertEquals(0, to.port.receive(to.in));
        multiplexer.select(0);
    }

    private void addDatagram(PortUnderTest from, int number, int length) {
        from.out.headers().set(ValueLayout.JAVA_INT_UNALIGNED, from.out.nextHeader(), number);
        from.out.add(PortUnderTest.HEADER, payload, number, length - PortUnderTest.HEADER);
    }
}
