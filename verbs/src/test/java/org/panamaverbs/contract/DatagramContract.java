package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.AddressHandle;
import org.panamaverbs.Capability;
import org.panamaverbs.ClosedException;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.device.AddressVector;
import org.panamaverbs.device.GlobalIdentifier;
import org.panamaverbs.device.QueuePairAddress;
import org.panamaverbs.device.QueuePairPort;
import org.panamaverbs.device.Transport;
import org.panamaverbs.spi.SendWorkRequest;

/** Unreliable datagrams, and the ways that they take. */
public abstract class DatagramContract extends ContractTest {
    private static final int PORT = 1;
    private static final int KEY = 0x1234;
    private static final int LENGTH = 64;
    private static final int HEADER = DatagramQueuePair.HEADER_LENGTH;

    /** A queue pair, what it completes in, and room for one datagram at a time. */
    private final class Post {
        private final Side side;
        private final CompletionQueue queue;
        private final DatagramQueuePair pair;
        private final CompletionReader done;
        private final MemoryRegion inbox;

        private Post(Side side) {
            this(side, null);
        }

        private Post(Side side, SharedReceiveQueue shared) {
            assumeSupports(side.device, Capability.DATAGRAM);
            this.side = side;
            this.queue = side.queue(256);
            QueuePairAttributes attributes = QueuePairAttributes.of(queue)
                    .withInline(Math.min(64, side.device.attributes().maximumInline()));
            this.pair = side.domain.createDatagramQueuePair(attributes.withSharedReceiveQueue(shared), PORT, KEY);
            this.done = new CompletionReader(queue, side.arena, pair().spins(), () -> "completions of " + pair);
            this.inbox = side.region(HEADER + LENGTH);
        }

        private void receive(long id) {
            pair.post(new ReceiveRequest().receive(id).local(inbox, 0, HEADER + LENGTH));
        }

        private void send(long id, MemoryRegion from, AddressHandle to, Post receiver, int flags) {
            pair.post(Flags.on(new SendRequest().send(id).local(whole(from)).to(to, receiver.pair.number()).queueKey(KEY), flags));
        }

        private AddressHandle wayTo(Post other) {
            return side.domain.createAddressHandle(AddressVector.to(PORT, sourceIndex(), other.address()));
        }

        private int sourceIndex() {
            return side.sourceIndex();
        }

        private GlobalIdentifier address() {
            return side.device.ports().get(PORT - 1).identifiers().get(sourceIndex());
        }
    }

    private static ScatterGatherList whole(MemoryRegion region) {
        return new ScatterGatherList(1).add(region, 0, region.length());
    }

    private static MemoryRegion filled(Side side, int seed) {
        MemoryRegion region = side.region(LENGTH);
        Pattern.fill(region.segment(), 0, LENGTH, seed);
        return region;
    }

    @Test
    void shouldRefuseWhereTheDeviceHasNone() {
        assertRefuses(client.device, Capability.DATAGRAM,
                () -> client.domain.createDatagramQueuePair(QueuePairAttributes.of(client.queue(16)), PORT, KEY));
        assertRefuses(client.device, Capability.DATAGRAM,
                () -> client.domain.createAddressHandle(AddressVector.to(PORT, 0, new GlobalIdentifier(0, 1))));
    }

    @Test
    void shouldBeReadyWhenItIsMade() {
        Post post = new Post(client);
        assertEquals(QueuePairState.READY_TO_SEND, post.pair.state());
        assertEquals(KEY, post.pair.queueKey());
        assertSame(client.domain, post.pair.domain());
        assertSame(post.queue, post.pair.attributes().sendQueue());
    }

    @Test
    void shouldCarryADatagram() {
        Post from = new Post(client);
        Post to = new Post(server);
        to.receive(1);
        from.send(2, filled(client, 5), from.wayTo(to), to, SendWorkRequest.SIGNALED);
        from.done.next().succeeded(2, CompletionOpcode.SEND);
        Completed received = to.done.next().received(1, HEADER + LENGTH);
        assertEquals(to.pair.number(), received.queuePairNumber());
        Pattern.verify(to.inbox.segment(), HEADER, LENGTH, 5);
    }

    @Test
    void shouldTellWhoSentIt() {
        Post from = new Post(client);
        Post to = new Post(server);
        to.receive(1);
        from.send(2, filled(client, 5), from.wayTo(to), to, 0);
        Completions cursor = Completions.allocate(4);
        assertEquals(1, to.queue.await(cursor, LIMIT));
        assertTrue(cursor.next() && cursor.isSuccess());
        assertEquals(from.pair.number(), cursor.sourceQueuePairNumber());
        assertFalse(cursor.hasImmediate());
        if (client.device.attributes().transport() == Transport.ROCE) {
            assertTrue(cursor.hasRoutingHeader());
        }
    }

    @Test
    void shouldFindTheWayBack() {
        Post from = new Post(client);
        Post to = new Post(server);
        to.receive(1);
        from.receive(2);
        from.send(3, filled(client, 5), from.wayTo(to), to, SendWorkRequest.SIGNALED);
        from.done.next().succeeded(3, CompletionOpcode.SEND);
        Completions cursor = Completions.allocate(4);
        assertEquals(1, to.queue.await(cursor, LIMIT));
        assertTrue(cursor.next());
        try (AddressHandle back = server.domain.createAddressHandle(cursor, to.inbox, 0, PORT)) {
            assertSame(server.domain, back.domain());
            to.pair.post(new SendRequest().send(4).local(whole(filled(server, 6))).to(back, cursor.sourceQueuePairNumber()).queueKey(KEY)
                    .signaled());
            to.done.next().succeeded(4, CompletionOpcode.SEND);
        }
        from.done.next().received(2, HEADER + LENGTH);
        Pattern.verify(from.inbox.segment(), HEADER, LENGTH, 6);
    }

    @Test
    void shouldCarryImmediateData() {
        Post from = new Post(client);
        Post to = new Post(server);
        to.receive(1);
        from.pair.post(new SendRequest().send(2).local(new ScatterGatherList(1)).immediate(0xCAFEBABE).to(from.wayTo(to), to.pair.number())
                .queueKey(KEY).signaled().solicited());
        from.done.next().succeeded(2, CompletionOpcode.SEND);
        Completions cursor = Completions.allocate(4);
        assertEquals(1, to.queue.await(cursor, LIMIT));
        assertTrue(cursor.next() && cursor.isSuccess() && cursor.hasImmediate());
        assertEquals(0xCAFEBABE, cursor.immediate());
        assertEquals(HEADER, cursor.byteLength());
    }

    @Test
    void shouldSendFromSeveralPartsAndInline() {
        Post from = new Post(client);
        Post to = new Post(server);
        MemoryRegion message = filled(client, 9);
        AddressHandle way = from.wayTo(to);
        to.receive(1);
        from.pair.post(new SendRequest().send(2).local(new ScatterGatherList(1).add(message, 0, 16)).to(way, to.pair.number()).queueKey(KEY)
                .inline().signaled());
        message.segment().fill((byte) 0);
        from.done.next().succeeded(2, CompletionOpcode.SEND);
        to.done.next().received(1, HEADER + 16);
        Pattern.verify(to.inbox.segment(), HEADER, 16, 9);
        ScatterGatherList tooLong = new ScatterGatherList(2).add(message, 0, 1).add(message, 1, 1);
        assertThrows(IllegalArgumentException.class,
                () -> from.pair.tryPost(new SendRequest().send(3).local(tooLong).to(way, to.pair.number()).queueKey(KEY)));
    }

    @Test
    void shouldReceiveFromMany() {
        Post to = new Post(server);
        int senders = 3;
        int each = 5;
        MemoryRegion message = filled(client, 1);
        for (int sender = 0; sender < senders; sender++) {
            Post from = new Post(client);
            AddressHandle way = from.wayTo(to);
            for (int i = 0; i < each; i++) {
                to.receive(i);
                from.send(i, message, way, to, SendWorkRequest.SIGNALED);
                from.done.next().succeeded(i, CompletionOpcode.SEND);
                to.done.next().received(i, HEADER + LENGTH);
            }
        }
    }

    @Test
    void shouldLoseWhatHasAWrongKeyOrNoReceive() {
        Post from = new Post(client);
        Post to = new Post(server);
        AddressHandle way = from.wayTo(to);
        MemoryRegion message = filled(client, 1);
        // Nobody is told.
        from.send(1, message, way, to, SendWorkRequest.SIGNALED);
        from.done.next().succeeded(1, CompletionOpcode.SEND);
        to.receive(2);
        from.pair.post(new SendRequest().send(3).local(whole(message)).to(way, to.pair.number()).queueKey(KEY + 1).signaled());
        from.done.next().succeeded(3, CompletionOpcode.SEND);
        to.done.nothing();
        from.send(4, message, way, to, SendWorkRequest.SIGNALED);
        from.done.next().succeeded(4, CompletionOpcode.SEND);
        to.done.next().received(2, HEADER + LENGTH);
    }

    @Test
    void shouldSendAsMuchAsAPacketHolds() {
        Post from = new Post(client);
        Post to = new Post(server);
        AddressHandle way = from.wayTo(to);
        int longest = Math.min(client.device.ports().get(PORT - 1).activeMtu(), server.device.ports().get(PORT - 1).activeMtu());
        MemoryRegion message = client.region(longest + 1);
        Pattern.fill(message.segment(), 0, longest, 3);
        MemoryRegion inbox = server.region(HEADER + longest);
        to.pair.post(new ReceiveRequest().receive(1).local(inbox, 0, inbox.length()));
        from.pair.post(new SendRequest().send(2).local(new ScatterGatherList(1).add(message, 0, longest)).to(way, to.pair.number())
                .queueKey(KEY).signaled());
        from.done.next().succeeded(2, CompletionOpcode.SEND);
        to.done.next().received(1, HEADER + longest);
        Pattern.verify(inbox.segment(), HEADER, longest, 3);
        assertThrows(IllegalArgumentException.class, () -> from.pair
                .tryPost(new SendRequest().send(3).local(whole(message)).to(way, to.pair.number()).queueKey(KEY).signaled()));
    }

    @Test
    void shouldTakeReceivesFromASharedQueue() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        SharedReceiveQueue shared = server.domain.createSharedReceiveQueue(8, 1);
        Post from = new Post(client);
        Post to = new Post(server, shared);
        assertThrows(IllegalStateException.class, () -> to.pair.tryPost(new ReceiveRequest().receive(1).local(to.inbox, 0, LENGTH)));
        shared.post(new ReceiveRequest().receive(1).local(to.inbox, 0, HEADER + LENGTH));
        from.send(2, filled(client, 5), from.wayTo(to), to, SendWorkRequest.SIGNALED);
        from.done.next().succeeded(2, CompletionOpcode.SEND);
        to.done.next().received(1, HEADER + LENGTH);
        Pattern.verify(to.inbox.segment(), HEADER, LENGTH, 5);
    }

    @Test
    void shouldRefuseMoreThanItsQueuesHold() {
        Post to = new Post(server);
        int posted = 0;
        while (to.pair.tryPost(new ReceiveRequest().receive(posted).local(to.inbox, 0, HEADER + LENGTH))) {
            posted++;
        }
        assertEquals(to.pair.attributes().receiveDepth(), posted);
        Post from = new Post(client);
        AddressHandle way = from.wayTo(to);
        ScatterGatherList message = whole(filled(client, 1));
        // Kept, so that none is done before the queue is full.
        posted = 0;
        while (from.pair.tryPost(new SendRequest().send(posted).local(message).to(way, to.pair.number()).queueKey(KEY).signaled().more())) {
            posted++;
        }
        assertEquals(from.pair.attributes().sendDepth(), posted);
        from.pair.ringDoorbell();
        for (int i = 0; i < posted; i++) {
            from.done.next().succeeded(i, CompletionOpcode.SEND);
        }
    }

    @Test
    void shouldSendWhatNamesAClosedAddressHandle() {
        Post from = new Post(client);
        Post to = new Post(server);
        MemoryRegion message = filled(client, 1);
        for (int i = 0; i < 40; i++) {
            AddressHandle way = from.wayTo(to);
            if (i < 20) {
                to.receive(i);
            }
            from.send(i, message, way, to, i % 4 == 3 ? SendWorkRequest.SIGNALED : SendWorkRequest.MORE);
            way.close();
            way.close();
            assertThrows(ClosedException.class,
                    () -> from.pair.tryPost(new SendRequest().send(-1).local(whole(message)).to(way, to.pair.number()).queueKey(KEY)));
            if (i % 4 == 3) {
                from.done.next().succeeded(i, CompletionOpcode.SEND);
            }
        }
        for (int i = 0; i < 20; i++) {
            to.done.next().received(i, HEADER + LENGTH);
        }
    }

    @Test
    void shouldRefuseWhatDoesNotBelongTogether() {
        Post post = new Post(client);
        ProtectionDomain other = client.device.allocateProtectionDomain();
        AddressHandle foreign = other.createAddressHandle(AddressVector.to(PORT, post.sourceIndex(), post.address()));
        ScatterGatherList message = whole(filled(client, 1));
        assertThrows(IllegalArgumentException.class,
                () -> post.pair.tryPost(new SendRequest().send(1).local(message).to(foreign, 1).queueKey(KEY)));
        assertThrows(NullPointerException.class,
                () -> post.pair.tryPost(new SendRequest().send(1).local(message).to(null, 1).queueKey(KEY)));
        QueuePairAttributes attributes = QueuePairAttributes.of(post.queue).withInline(0);
        assertThrows(IllegalArgumentException.class, () -> client.domain.createDatagramQueuePair(attributes, 0, KEY));
        assertThrows(IllegalArgumentException.class, () -> client.domain.createDatagramQueuePair(attributes, 99, KEY));
        assertThrows(IllegalArgumentException.class,
                () -> client.domain.createAddressHandle(AddressVector.to(99, post.sourceIndex(), post.address())));
    }

    @Test
    void shouldFlushItsReceivesWhenItIsClosed() {
        Post post = new Post(client);
        post.receive(1);
        post.receive(2);
        post.pair.close();
        post.pair.close();
        post.done.flushed(1, 2);
        post.done.nothing();
        assertEquals(QueuePairState.CLOSED, post.pair.state());
        assertThrows(ClosedException.class, () -> post.pair.tryPost(new ReceiveRequest().receive(3).local(post.inbox, 0, LENGTH)));
        assertThrows(ClosedException.class, post.pair::ringDoorbell);
    }

    @Test
    void shouldCloseInAnyOrderWithDatagramsUnderWay() {
        Post from = new Post(client);
        Post to = new Post(server);
        AddressHandle way = from.wayTo(to);
        MemoryRegion message = filled(client, 1);
        for (int i = 0; i < 32; i++) {
            to.receive(i);
        }
        for (int i = 0; i < 64; i++) {
            from.send(i, message, way, to, i % 2 == 0 ? SendWorkRequest.SIGNALED : 0);
        }
        to.queue.close();
        assertEquals(QueuePairState.CLOSED, to.pair.state());
        client.domain.close();
        assertEquals(QueuePairState.CLOSED, from.pair.state());
        way.close();
        from.pair.close();
        assertThrows(ClosedException.class,
                () -> client.domain.createAddressHandle(AddressVector.to(PORT, from.sourceIndex(), from.address())));
        Completed left;
        while ((left = from.done.nextWithin(MOMENT)) != null) {
            assertTrue(left.isSuccess() || left.status() == CompletionStatus.FLUSHED, left::toString);
        }
    }

    @Test
    void shouldSendToAnAddressThatWasExchanged() {
        Post from = new Post(client);
        QueuePairAttributes attributes = QueuePairAttributes.of(server.queue(16));
        try (DatagramQueuePair receiver = server.domain.createDatagramQueuePair(attributes,
                new QueuePairPort(PORT, server.sourceIndex(), 0), KEY)) {
            CompletionReader received = new CompletionReader(attributes.receiveQueue(), server.arena, pair().spins(), receiver::toString);
            QueuePairAddress address = QueuePairAddress.decode(receiver.address().encode());
            assertEquals(receiver.number(), address.number());
            assertEquals(KEY, address.queueKey());
            MemoryRegion inbox = server.region(HEADER + LENGTH);
            receiver.post(new ReceiveRequest().receive(1).local(inbox, 0, HEADER + LENGTH));
            AddressHandle way = client.domain
                    .createAddressHandle(AddressVector.to(new QueuePairPort(PORT, client.sourceIndex(), 0), address));
            from.pair.post(new SendRequest().send(2).local(filled(client, 5), 0, LENGTH).to(way, address.number())
                    .queueKey(address.queueKey()).signaled());
            from.done.next().succeeded(2, CompletionOpcode.SEND);
            received.next().received(1, HEADER + LENGTH);
            Pattern.verify(inbox.segment(), HEADER, LENGTH, 5);
        }
    }

    @Test
    void shouldRefuseAPartitionThatThePortDoesNotHave() {
        assumeSupports(client.device, Capability.DATAGRAM);
        QueuePairAttributes attributes = QueuePairAttributes.of(client.queue(16));
        QueuePairPort nowhere = QueuePairPort.of(PORT).withPartitionKey(Math.max(client.device.partitionKeys(PORT).size(), 1));
        assertThrows(IllegalArgumentException.class, () -> client.domain.createDatagramQueuePair(attributes, nowhere, KEY));
    }
}
