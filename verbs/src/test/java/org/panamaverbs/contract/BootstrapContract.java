package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.AddressedQueuePair;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.PeerException;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.PathAttributes;
import org.panamaverbs.device.PortAddress;
import org.panamaverbs.device.PortAttributes;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;

/** Queue pairs that connect by addresses, which the programs exchange: here, through the encoding. */
public abstract class BootstrapContract extends ContractTest {
    private static final int LENGTH = 4096;
    private static final Set<Access> ALL = Set.of(Access.REMOTE_WRITE, Access.REMOTE_READ);
    /** So short that a test can wait until no retry is left. */
    private static final PathAttributes IMPATIENT = PathAttributes.defaults().withRetries(1, Duration.ofMillis(4), 1, Duration.ofMillis(1));

    /** A queue pair that is not connected yet. */
    private final class End {
        private final Side side;
        private final CompletionQueue queue;
        private final AddressedQueuePair pair;
        private final CompletionReader done;

        private End(Side side, Set<Access> rights) {
            this(side, null, rights);
        }

        private End(Side side, SharedReceiveQueue shared, Set<Access> rights) {
            assumeSupports(side.device, Capability.CONNECT_BY_ADDRESS);
            this.side = side;
            this.queue = side.queue(512);
            this.pair = side.domain.createQueuePair(QueuePairAttributes.of(queue).withSharedReceiveQueue(shared), place(side), rights);
            this.done = new CompletionReader(queue, side.arena, pair().spins(), () -> "completions of " + pair);
        }

        /** The address that the peer gets over the programs' own channel. */
        private QueuePairAddress address() {
            return QueuePairAddress.decode(pair.address().encode());
        }

        private MemoryRegion filled(int seed) {
            MemoryRegion region = side.region(LENGTH);
            Pattern.fill(region.segment(), 0, LENGTH, seed);
            return region;
        }
    }

    private static QueuePairPort place(Side side) {
        return new QueuePairPort(1, side.sourceIndex(), 0);
    }

    private static void meet(End one, End other) {
        QueuePairAddress first = one.address();
        one.pair.connectTo(other.address());
        other.pair.connectTo(first);
    }

    private static void sends(End from, End to, long id) {
        MemoryRegion inbox = to.side.region(LENGTH);
        to.pair.post(new ReceiveRequest().receive(id).local(inbox, 0, LENGTH));
        from.pair.post(new SendRequest().send(id).local(from.filled((int) id), 0, LENGTH).signaled());
        from.done.next().succeeded(id, CompletionOpcode.SEND);
        to.done.next().received(id, LENGTH);
        Pattern.verify(inbox.segment(), 0, LENGTH, (int) id);
    }

    private static void writes(End from, End to, int seed) {
        MemoryRegion target = to.side.region(LENGTH);
        from.pair.post(new SendRequest().write(seed).local(from.filled(seed), 0, LENGTH).remote(target.remote(), 0).signaled());
        from.done.next().succeeded(seed, CompletionOpcode.WRITE);
        Pattern.verify(target.segment(), 0, LENGTH, seed);
    }

    private static void reads(End from, End to, int seed) {
        MemoryRegion sink = from.side.region(LENGTH);
        from.pair.post(new SendRequest().read(seed).local(sink, 0, LENGTH).remote(to.filled(seed).remote(), 0).signaled());
        from.done.next().succeeded(seed, CompletionOpcode.READ);
        Pattern.verify(sink.segment(), 0, LENGTH, seed);
    }

    @Test
    void shouldNameTheConnectionManagerIfTheDeviceHasNone() {
        for (Side side : List.of(client, server)) {
            assumeLacks(side.device, Capability.CONNECT_BY_ADDRESS);
            UnsupportedVerbException refused = assertThrows(UnsupportedVerbException.class,
                    () -> side.domain.createQueuePair(QueuePairAttributes.of(side.queue(16)), QueuePairPort.of(1), Set.of()));
            assertNames(refused, side.device, Capability.CONNECT_BY_ADDRESS);
            assertTrue(refused.getMessage().contains("ConnectionManager"), refused::getMessage);
        }
    }

    @Test
    void shouldSayItsAddress() {
        End end = new End(client, ALL);
        QueuePairAddress address = end.pair.address();
        PortAttributes port = client.device.ports().getFirst();
        assertEquals(end.pair.number(), address.number());
        assertEquals(port.identifiers().get(client.sourceIndex()), address.identifier());
        assertEquals(port.activeMtu(), address.mtu());
        assertTrue(address.inboundReads() > 0 && address.inboundReads() <= client.device.attributes().maximumInboundReads());
        assertEquals(address, end.pair.address());
        assertEquals(address, end.address());
        assertEquals(place(client), end.pair.port());
        assertEquals(QueuePairState.INIT, end.pair.state());
        assertTrue(end.pair.failure().isEmpty());
        assertSame(client.domain, end.pair.domain());
        End other = new End(client, ALL);
        assertNotEquals(address.number(), other.pair.number());
    }

    @Test
    void shouldCarryAllKindsOfRequestsBothWays() {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        meet(one, other);
        assertEquals(QueuePairState.READY_TO_SEND, one.pair.state());
        assertEquals(QueuePairState.READY_TO_SEND, other.pair.state());
        for (int round = 0; round < 3; round++) {
            sends(one, other, 10 + round);
            sends(other, one, 20 + round);
            writes(one, other, 30 + round);
            writes(other, one, 40 + round);
            reads(one, other, 50 + round);
            reads(other, one, 60 + round);
        }
    }

    @Test
    void shouldCarryWithAnotherPath() {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        PathAttributes path = PathAttributes.defaults().withMtu(256).withReads(2, 1).withServiceLevel(1).withHopLimit(8)
                .withTrafficClass(32).withRetries(5, Duration.ofMillis(100), 3, Duration.ofMillis(2));
        QueuePairAddress first = one.address();
        one.pair.connectTo(other.address(), path);
        other.pair.connectTo(first, path);
        sends(one, other, 1);
        writes(other, one, 2);
        for (int i = 0; i < 8; i++) {
            reads(one, other, 10 + i);
        }
    }

    @Test
    void shouldConnectToItself() {
        End end = new End(client, ALL);
        end.pair.connectTo(end.address());
        writes(end, end, 5);
        reads(end, end, 6);
    }

    @Test
    void shouldTakeReceivesBeforeItConnects() {
        End one = new End(client, Set.of());
        End other = new End(server, Set.of());
        MemoryRegion inbox = server.region(LENGTH);
        other.pair.post(new ReceiveRequest().receive(1).local(inbox, 0, LENGTH));
        meet(one, other);
        one.pair.post(new SendRequest().send(2).local(one.filled(3), 0, LENGTH).signaled());
        one.done.next().succeeded(2, CompletionOpcode.SEND);
        other.done.next().received(1, LENGTH);
        Pattern.verify(inbox.segment(), 0, LENGTH, 3);
    }

    @Test
    void shouldRefuseToSendBeforeItConnects() {
        End end = new End(client, ALL);
        MemoryRegion region = end.filled(1);
        MemoryRegion target = client.region(LENGTH);
        assertThrows(IllegalStateException.class, () -> end.pair.tryPost(new SendRequest().send(1).local(region, 0, LENGTH).signaled()));
        assertThrows(IllegalStateException.class,
                () -> end.pair.tryPost(new SendRequest().write(1).local(region, 0, LENGTH).remote(target.remote(), 0)));
        end.done.nothing();
        End other = new End(server, ALL);
        meet(end, other);
        sends(end, other, 2);
    }

    @Test
    void shouldSendAgainWhatCameBeforeThePeerConnected() {
        End one = new End(client, Set.of());
        End other = new End(server, Set.of());
        QueuePairAddress first = one.address();
        one.pair.connectTo(other.address());
        MemoryRegion inbox = server.region(LENGTH);
        other.pair.post(new ReceiveRequest().receive(1).local(inbox, 0, LENGTH));
        one.pair.post(new SendRequest().send(2).local(one.filled(3), 0, LENGTH).signaled());
        other.pair.connectTo(first);
        one.done.next().succeeded(2, CompletionOpcode.SEND);
        other.done.next().received(1, LENGTH);
        Pattern.verify(inbox.segment(), 0, LENGTH, 3);
    }

    @Test
    void shouldRefuseToConnectTwice() {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        meet(one, other);
        String message = assertThrows(IllegalStateException.class, () -> one.pair.connectTo(other.address())).getMessage();
        assertTrue(message.contains(String.valueOf(one.pair.number())) && message.contains("connected already"), message);
        sends(one, other, 1);
    }

    @Test
    void shouldConnectForOneOfManyThreads() throws InterruptedException {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        AtomicInteger connected = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        QueuePairAddress address = other.address();
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = Thread.startVirtualThread(() -> {
                try {
                    one.pair.connectTo(address);
                    connected.incrementAndGet();
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertEquals(1, connected.get());
        assertEquals(threads.length - 1, refused.get());
        other.pair.connectTo(one.address());
        sends(one, other, 1);
    }

    @Test
    void shouldRefuseAPathThatTheDeviceOrPeerDoesNotHave() {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        QueuePairAddress address = other.address();
        int most = client.device.attributes().maximumOutboundReads();
        if (most < 255) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> one.pair.connectTo(address, PathAttributes.defaults().withReads(1, most + 1))).getMessage();
            assertTrue(message.contains("outboundReads is " + (most + 1)) && message.contains(client.device.name()), message);
        }
        QueuePairAddress narrow = new QueuePairAddress(address.number(), address.sequenceNumber(), 0, address.identifier(),
                address.localIdentifier(), 256, 1);
        String message = assertThrows(IllegalArgumentException.class,
                () -> one.pair.connectTo(narrow, PathAttributes.defaults().withMtu(512))).getMessage();
        assertTrue(message.contains("512") && message.contains("256"), message);
        if (client.device.ports().getFirst().linkLayer().equals("Ethernet")) {
            QueuePairAddress local = new QueuePairAddress(address.number(), 0, 0, new GlobalIdentifier(0, 0), 1, 1024, 1);
            assertThrows(IllegalArgumentException.class, () -> one.pair.connectTo(local));
        }
        assertEquals(QueuePairState.INIT, one.pair.state());
        meet(one, other);
        sends(one, other, 1);
    }

    @Test
    void shouldRefuseAnAddressThatIsMalformed() {
        End end = new End(client, ALL);
        byte[] good = end.pair.address().encode();
        assertThrows(IndexOutOfBoundsException.class, () -> QueuePairAddress.decode(MemorySegment.ofArray(good).asSlice(1), 0));
        for (int at : new int[] { 0, 4, 8, 33 }) {
            byte[] bad = good.clone();
            bad[at] = (byte) 0x7F;
            assertThrows(IllegalArgumentException.class, () -> end.pair.connectTo(QueuePairAddress.decode(bad)), "byte " + at);
        }
        assertThrows(NullPointerException.class, () -> end.pair.connectTo(null));
        assertEquals(QueuePairState.INIT, end.pair.state());
    }

    @Test
    void shouldFailIfNoQueuePairHasTheAddress() {
        End end = new End(client, ALL);
        QueuePairAddress own = end.pair.address();
        End gone = new End(client, ALL);
        int nobody = gone.pair.number();
        gone.pair.close();
        end.pair.connectTo(new QueuePairAddress(nobody, 7, 0, own.identifier(), own.localIdentifier(), own.mtu(), 1), IMPATIENT);
        MemoryRegion region = end.filled(1);
        end.pair.post(new ReceiveRequest().receive(1).local(client.region(LENGTH), 0, LENGTH));
        end.pair.post(new SendRequest().send(2).local(region, 0, LENGTH).signaled());
        assertEquals(CompletionStatus.RETRY_EXCEEDED, end.done.next().status());
        end.done.flushed(1);
        awaitState(end, QueuePairState.ERROR);
        assertTrue(end.pair.failure().orElseThrow() instanceof PeerException);
        assertThrows(IllegalStateException.class, () -> end.pair.connectTo(own));
    }

    private static void awaitState(End end, QueuePairState state) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while ((end.pair.state() != state || end.pair.failure().isEmpty()) && System.nanoTime() - deadline < 0) {
            Thread.onSpinWait();
        }
        assertEquals(state, end.pair.state());
    }

    @Test
    void shouldRefuseWhatThePeerHasNoRightTo() {
        End one = new End(client, ALL);
        End messagesOnly = new End(server, Set.of());
        QueuePairAddress first = one.address();
        one.pair.connectTo(messagesOnly.address(), IMPATIENT);
        messagesOnly.pair.connectTo(first, IMPATIENT);
        sends(one, messagesOnly, 1);
        MemoryRegion target = server.region(LENGTH);
        one.pair.post(new SendRequest().write(2).local(one.filled(1), 0, LENGTH).remote(target.remote(), 0).signaled());
        Completed refused = one.done.next();
        assertFalse(refused.isSuccess(), refused::toString);
        assertEquals(0, target.segment().get(ValueLayout.JAVA_LONG, 0));
        awaitState(one, QueuePairState.ERROR);
    }

    @Test
    void shouldTakeReceivesFromASharedQueue() {
        assumeSupports(server.device, Capability.CONNECT_BY_ADDRESS);
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        SharedReceiveQueue shared = server.domain.createSharedReceiveQueue(8, 1);
        End one = new End(client, Set.of());
        End other = new End(server, shared, Set.of());
        meet(one, other);
        MemoryRegion inbox = server.region(LENGTH);
        shared.post(new ReceiveRequest().receive(1).local(inbox, 0, LENGTH));
        one.pair.post(new SendRequest().send(2).local(one.filled(3), 0, LENGTH).signaled());
        one.done.next().succeeded(2, CompletionOpcode.SEND);
        other.done.next().received(1, LENGTH);
        Pattern.verify(inbox.segment(), 0, LENGTH, 3);
    }

    @Test
    void shouldFlushWhenItIsClosed() {
        End unconnected = new End(client, ALL);
        unconnected.pair.post(new ReceiveRequest().receive(1).local(client.region(LENGTH), 0, LENGTH));
        unconnected.pair.close();
        unconnected.pair.close();
        unconnected.done.flushed(1);
        assertEquals(QueuePairState.CLOSED, unconnected.pair.state());
        assertThrows(ClosedException.class, unconnected.pair::address);
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        meet(one, other);
        one.pair.post(new ReceiveRequest().receive(2).local(client.region(LENGTH), 0, LENGTH));
        one.pair.close();
        one.done.flushed(2);
        one.done.nothing();
        QueuePairAddress address = other.address();
        assertThrows(ClosedException.class, () -> one.pair.connectTo(address));
        assertThrows(ClosedException.class,
                () -> one.pair.tryPost(new ReceiveRequest().receive(3).local(client.region(LENGTH), 0, LENGTH)));
    }

    @Test
    void shouldCloseInAnyOrderWithRequestsUnderWay() {
        End one = new End(client, ALL);
        End other = new End(server, ALL);
        meet(one, other);
        MemoryRegion region = one.filled(1);
        MemoryRegion target = server.region(LENGTH);
        for (int i = 0; i < 64; i++) {
            one.pair.post(new SendRequest().write(i).local(region, 0, LENGTH).remote(target.remote(), 0).signaled());
        }
        server.domain.close();
        assertEquals(QueuePairState.CLOSED, other.pair.state());
        client.domain.close();
        assertEquals(QueuePairState.CLOSED, one.pair.state());
        for (Completed left : one.done.next(64)) {
            assertTrue(left.isSuccess() || left.status() == CompletionStatus.FLUSHED || left.status() == CompletionStatus.RETRY_EXCEEDED
                    || left.status() == CompletionStatus.REMOTE_ACCESS_ERROR || left.status() == CompletionStatus.REMOTE_OPERATION_ERROR,
                    left::toString);
        }
        one.done.nothing();
    }

    @Test
    void shouldRefuseAPlaceThatThePortDoesNotHave() {
        assumeSupports(client.device, Capability.CONNECT_BY_ADDRESS);
        QueuePairAttributes attributes = QueuePairAttributes.of(client.queue(16));
        int keys = Math.max(client.device.partitionKeys(1).size(), 1);
        for (QueuePairPort place : List.of(QueuePairPort.of(99), QueuePairPort.of(1).withPartitionKey(keys))) {
            String message = assertThrows(IllegalArgumentException.class, () -> client.domain.createQueuePair(attributes, place, Set.of()))
                    .getMessage();
            assertTrue(message.contains(client.device.name()), message);
        }
        assertThrows(IllegalArgumentException.class,
                () -> client.domain.createQueuePair(attributes, place(client), Set.of(Access.LOCAL_WRITE)));
    }

    @Test
    void shouldSayTheTypesOfItsAddressesAndItsPartitions() {
        for (Side side : List.of(client, server)) {
            Device device = side.device;
            List<GlobalIdentifier> identifiers = device.ports().getFirst().identifiers();
            List<PortAddress> addresses = device.addresses(1);
            assertEquals(identifiers.stream().filter(each -> !each.isEmpty()).count(), addresses.size());
            for (PortAddress address : addresses) {
                assertEquals(1, address.port());
                assertEquals(identifiers.get(address.index()), address.identifier());
                assertTrue(types(device).contains(address.type()), address::toString);
                assertEquals(address.index(), QueuePairPort.of(address).sourceIndex());
            }
            List<Integer> keys = device.partitionKeys(1);
            assertEquals(device.ports().getFirst().partitionKeys(), keys.size());
            if (device.supports(Capability.CONNECT_BY_ADDRESS)) {
                assertEquals(0xFFFF, keys.getFirst() | 0x8000);
            }
            assertThrows(IllegalArgumentException.class, () -> device.addresses(0));
            assertThrows(IllegalArgumentException.class, () -> device.partitionKeys(99));
        }
    }

    private static Set<PortAddress.Type> types(Device device) {
        return switch (device.attributes().transport()) {
            case ROCE -> Set.of(PortAddress.Type.ROCE_V1, PortAddress.Type.ROCE_V2);
            case INFINIBAND -> Set.of(PortAddress.Type.INFINIBAND);
            default -> Set.of(PortAddress.Type.OTHER);
        };
    }
}
