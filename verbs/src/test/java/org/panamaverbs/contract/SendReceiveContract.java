package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.spi.SendWorkRequest;

/** Sends and receives: a message arrives, whole, in the receive that is next. */
public abstract class SendReceiveContract extends ContractTest {
    private static final int CANARY = 0x5A;

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2, 3, 4, 63, 64, 1439, 1440, 1441, 65_535, 65_536, 65_537, 1 << 20, 16 << 20 })
    void shouldCarryAMessageOfAnySizeBothWays(int length) {
        assumeMessagesOf(length);
        Link link = connect();
        carry(link.client(), link.server(), length, 0, 0);
        carry(link.server(), link.client(), length, 0, 0);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 1440, 65_537 })
    void shouldCarryAMessageBetweenAnyOffsets(int length) {
        Link link = connect();
        for (int i = 1; i < 8; i++) {
            carry(link.client(), link.server(), length, i, 8 - i);
        }
    }

    private static void carry(Endpoint from, Endpoint to, int length, long fromOffset, long toOffset) {
        MemoryRegion source = from.side.region(fromOffset + length + 16);
        MemoryRegion sink = to.side.region(toOffset + length + 16);
        sink.segment().fill((byte) CANARY);
        Pattern.fill(source.segment(), fromOffset, length, length);
        to.receive(1, sink, toOffset, length);
        from.send(2, source, fromOffset, length);
        from.sent.next().succeeded(2, CompletionOpcode.SEND);
        to.received.next().received(1, length);
        Pattern.verify(sink.segment(), toOffset, length, length);
        Pattern.verifyAll(sink.segment(), 0, toOffset, CANARY, "before the receive");
        Pattern.verifyAll(sink.segment(), toOffset + length, 16, CANARY, "after the receive");
        source.close();
        sink.close();
    }

    @Test
    void shouldTellHowMuchOfALongerReceiveWasFilled() {
        Link link = connect();
        MemoryRegion from = client.region(100);
        MemoryRegion to = server.region(4096);
        to.segment().fill((byte) CANARY);
        Pattern.fill(from.segment(), 0, 100, 1);
        link.server().receive(1, to, 0, 4096);
        link.client().send(2, from, 0, 100);
        link.server().received.next().received(1, 100);
        Pattern.verify(to.segment(), 0, 100, 1);
        Pattern.verifyAll(to.segment(), 100, 4096 - 100, CANARY, "after the message");
    }

    @Test
    void shouldGatherAMessageFromSeveralParts() {
        int elements = elements(client, 4);
        Link link = dialer().clientAttributes(a -> a.withElements(elements, 1)).connect();
        MemoryRegion to = server.region(1 << 20);
        // Lengths that are not multiples of anything, and one part of none.
        int[] lengths = { 1, 70_001, 0, 1441 };
        ScatterGatherList list = new ScatterGatherList(elements);
        long total = 0;
        for (int i = 0; i < elements; i++) {
            MemoryRegion part = client.region(lengths[i] + 10);
            for (int k = 0; k < lengths[i]; k++) {
                part.segment().set(ValueLayout.JAVA_BYTE, 3 + k, Pattern.at(5, total + k));
            }
            list.add(part, 3, lengths[i]);
            total += lengths[i];
        }
        link.server().receive(1, to, 0, to.length());
        link.client().queuePair.post(new SendRequest().send(2).local(list).signaled());
        list.clear();
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.server().received.next().received(1, total);
        Pattern.verify(to.segment(), 0, total, 5);
    }

    @Test
    void shouldScatterAMessageToSeveralParts() {
        int elements = elements(server, 4);
        Link link = dialer().serverAttributes(a -> a.withElements(1, elements)).connect();
        int[] lengths = { 1, 70_001, 0, 5000 };
        ScatterGatherList list = new ScatterGatherList(elements);
        List<MemoryRegion> parts = new ArrayList<>();
        long room = 0;
        for (int i = 0; i < elements; i++) {
            MemoryRegion part = server.region(lengths[i] + 10);
            part.segment().fill((byte) CANARY);
            parts.add(part);
            list.add(part, 3, lengths[i]);
            room += lengths[i];
        }
        // The last part is filled in part only.
        long length = room - 1;
        MemoryRegion from = client.region(length);
        Pattern.fill(from.segment(), 0, length, 6);
        link.server().queuePair.post(new ReceiveRequest().receive(1).local(list));
        list.clear();
        link.client().send(2, from, 0, length);
        link.server().received.next().received(1, length);
        long at = 0;
        for (int i = 0; i < elements; i++) {
            long filled = Math.min(lengths[i], length - at);
            Pattern.verify(parts.get(i).segment(), 3, filled, 6, at);
            Pattern.verifyAll(parts.get(i).segment(), 0, 3, CANARY, "before part " + i);
            Pattern.verifyAll(parts.get(i).segment(), 3 + filled, lengths[i] + 10 - 3 - filled, CANARY, "after part " + i);
            at += filled;
        }
    }

    @Test
    void shouldSendAnEmptyListIntoAnEmptyList() {
        Link link = connect();
        link.server().queuePair.post(new ReceiveRequest().receive(1).local(new ScatterGatherList(1)));
        link.client().queuePair.post(new SendRequest().send(2).local(new ScatterGatherList(1)).signaled());
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.server().received.next().received(1, 0);
        link.exchange(3);
    }

    @Test
    void shouldCopyAnInlineMessageWhenItIsPosted() {
        assumeAtLeast(client.device.attributes().maximumInline(), 32, "maximumInline");
        Link link = dialer().clientAttributes(a -> a.withInline(32)).connect();
        MemoryRegion from = client.region(32);
        int messages = 64;
        MemoryRegion to = server.region(messages * 32L);
        for (int i = 0; i < messages; i++) {
            link.server().receive(i, to, i * 32L, 32);
        }
        for (int i = 0; i < messages; i++) {
            Pattern.fill(from.segment(), 0, 32, i);
            link.client().send(i, from, 0, 32, SendWorkRequest.SIGNALED | SendWorkRequest.INLINE);
            from.segment().fill((byte) CANARY);
        }
        for (int i = 0; i < messages; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(i, 32);
            Pattern.verify(to.segment(), i * 32L, 32, i);
        }
    }

    @Test
    void shouldCopyAnInlineMessageThatIsKept() {
        assumeAtLeast(client.device.attributes().maximumInline(), 32, "maximumInline");
        Link link = dialer().clientAttributes(a -> a.withInline(32)).connect();
        MemoryRegion from = client.region(32);
        MemoryRegion to = server.region(32);
        link.server().receive(1, to, 0, 32);
        Pattern.fill(from.segment(), 0, 32, 8);
        link.client().send(2, from, 0, 32, SendWorkRequest.SIGNALED | SendWorkRequest.INLINE | SendWorkRequest.MORE);
        from.segment().fill((byte) CANARY);
        link.client().queuePair.ringDoorbell();
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.server().received.next().received(1, 32);
        Pattern.verify(to.segment(), 0, 32, 8);
    }

    @Test
    void shouldSendAnEmptyInlineMessage() {
        Link link = connect();
        MemoryRegion region = client.region(8);
        MemoryRegion to = server.region(8);
        link.server().receive(1, to, 0, 8);
        link.client().send(2, region, 0, 0, SendWorkRequest.SIGNALED | SendWorkRequest.INLINE);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        link.server().received.next().received(1, 0);
    }

    @Test
    void shouldRefuseAnInlineMessageThatIsTooLong() {
        Link link = connect();
        int inline = link.client().queuePair.attributes().inlineLength();
        MemoryRegion region = client.region(inline + 1);
        assertThrows(IllegalArgumentException.class,
                () -> link.client().queuePair.tryPost(new SendRequest().send(1).local(region, 0, inline + 1).inline().signaled()));
        link.exchange(2);
    }

    @Test
    void shouldKeepRequestsUntilTheDoorbellRings() {
        Link link = connect();
        MemoryRegion from = client.region(4 * 64);
        MemoryRegion to = server.region(4 * 64);
        Pattern.fill(from.segment(), 0, 4 * 64, 1);
        for (int i = 0; i < 4; i++) {
            link.server().receive(i, to, i * 64L, 64);
        }
        for (int i = 0; i < 4; i++) {
            link.client().send(i, from, i * 64L, 64, SendWorkRequest.SIGNALED | SendWorkRequest.MORE);
        }
        link.server().received.nothing();
        link.client().queuePair.ringDoorbell();
        for (int i = 0; i < 4; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(i, 64);
        }
        Pattern.verify(to.segment(), 0, 4 * 64, 1);
    }

    @Test
    void shouldStartKeptRequestsWithTheNextOneThatIsNotKept() {
        Link link = connect();
        MemoryRegion from = client.region(4 * 64);
        MemoryRegion to = server.region(4 * 64);
        Pattern.fill(from.segment(), 0, 4 * 64, 2);
        for (int i = 0; i < 4; i++) {
            link.server().receive(i, to, i * 64L, 64);
        }
        for (int i = 0; i < 4; i++) {
            link.client().send(i, from, i * 64L, 64, i < 3 ? SendWorkRequest.MORE : SendWorkRequest.SIGNALED);
        }
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        for (int i = 0; i < 4; i++) {
            link.server().received.next().received(i, 64);
        }
        Pattern.verify(to.segment(), 0, 4 * 64, 2);
    }

    @Test
    void shouldRingWithNothingKept() {
        Link link = connect();
        link.client().queuePair.ringDoorbell();
        link.exchange(1);
        link.client().queuePair.ringDoorbell();
        link.exchange(3);
    }

    @Test
    void shouldFlushWhatIsKeptWhenTheConnectionEnds() {
        Link link = connect();
        MemoryRegion from = client.region(64);
        link.client().send(1, from, 0, 64, SendWorkRequest.MORE);
        link.client().send(2, from, 0, 64, SendWorkRequest.MORE);
        link.client().connection.disconnect();
        link.client().sent.flushed(1, 2);
    }

    @Test
    void shouldDeliverManyMessagesInOrder() {
        int window = 64;
        int messages = 2000;
        int size = 512;
        Link link = connect();
        MemoryRegion from = client.region((long) window * size);
        MemoryRegion to = server.region((long) window * size);
        for (int i = 0; i < window; i++) {
            link.server().receive(i, to, (long) i * size, size);
        }
        int sent = 0;
        for (int received = 0; received < messages; received++) {
            while (sent < messages && sent - received < window) {
                long slot = (long) (sent % window) * size;
                if (sent >= window) {
                    link.client().sent.next().succeeded(sent - window, CompletionOpcode.SEND);
                }
                int length = sent % size + 1;
                Pattern.fill(from.segment(), slot, length, sent);
                link.client().send(sent++, from, slot, length);
            }
            long slot = (long) (received % window) * size;
            int length = received % size + 1;
            link.server().received.next().received(received, length);
            Pattern.verify(to.segment(), slot, length, received);
            link.server().receive(received + window, to, slot, size);
        }
    }

    @Test
    void shouldPlayPingPong() {
        Link link = connect();
        MemoryRegion here = client.region(64);
        MemoryRegion there = server.region(64);
        for (int i = 0; i < 500; i++) {
            Pattern.fill(here.segment(), 0, 64, i);
            link.server().receive(i, there, 0, 64);
            link.client().receive(i, here, 0, 64);
            link.client().send(i, here, 0, 64, 0);
            link.server().received.next().received(i, 64);
            link.server().send(i, there, 0, 64, 0);
            link.client().received.next().received(i, 64);
            Pattern.verify(here.segment(), 0, 64, i);
        }
    }

    @Test
    void shouldCarryLongMessagesBothWaysAtOnce() {
        int length = 8 << 20;
        Link link = connect();
        MemoryRegion clientOut = client.region(length);
        MemoryRegion clientIn = client.region(length);
        MemoryRegion serverOut = server.region(length);
        MemoryRegion serverIn = server.region(length);
        Pattern.fill(clientOut.segment(), 0, length, 1);
        Pattern.fill(serverOut.segment(), 0, length, 2);
        link.client().receive(1, clientIn, 0, length);
        link.server().receive(2, serverIn, 0, length);
        link.client().send(3, clientOut, 0, length);
        link.server().send(4, serverOut, 0, length);
        link.client().received.next().received(1, length);
        link.server().received.next().received(2, length);
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        link.server().sent.next().succeeded(4, CompletionOpcode.SEND);
        Pattern.verify(clientIn.segment(), 0, length, 2);
        Pattern.verify(serverIn.segment(), 0, length, 1);
    }

    @Test
    void shouldReceiveIntoWhatWasPostedBeforeConnecting() {
        MemoryRegion to = server.region(64);
        MemoryRegion from = client.region(64);
        Pattern.fill(from.segment(), 0, 64, 4);
        Link link = dialer()
                .prepareServer((_, queuePair) -> assertTrue(queuePair.tryPost(new ReceiveRequest().receive(7).local(to, 0, 64)))).connect();
        link.client().send(8, from, 0, 64);
        link.server().received.next().received(7, 64);
        Pattern.verify(to.segment(), 0, 64, 4);
    }

    @Test
    void shouldLetTheServerSendFirst() {
        MemoryRegion to = client.region(64);
        MemoryRegion from = server.region(64);
        Pattern.fill(from.segment(), 0, 64, 4);
        Link link = dialer()
                .prepareClient((_, queuePair) -> assertTrue(queuePair.tryPost(new ReceiveRequest().receive(7).local(to, 0, 64)))).connect();
        link.server().send(8, from, 0, 64);
        link.client().received.next().received(7, 64);
        link.server().sent.next().succeeded(8, CompletionOpcode.SEND);
        Pattern.verify(to.segment(), 0, 64, 4);
    }

    @Test
    void shouldInvalidateThePeersRegionWithASend() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link link = connect();
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        MemoryRegion advertised = link.server().invalidatable(64);
        MemoryRegion bystander = server.region(64);
        Pattern.fill(from.segment(), 0, 64, 1);
        link.client().write(1, from, 0, 64, advertised, 0);
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        link.server().receive(2, to, 0, 64);
        link.client().queuePair.post(
                new SendRequest().send(3).local(new ScatterGatherList(1).add(from, 0, 64)).invalidating(advertised.remoteKey()).signaled());
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        Completed received = link.server().received.next().received(2, 64);
        assertTrue(received.hasInvalidatedKey(), "the completion should tell that a key was invalidated");
        assertEquals(advertised.remoteKey(), received.invalidatedKey());
        Pattern.verify(to.segment(), 0, 64, 1);
        assertFalse(advertised.isValid(), "the region should be invalid");
        assertTrue(bystander.isValid(), "no other region should be");
        link.exchange(4);
        // The key is dead: it does not let the peer in any more.
        advertised.segment().fill((byte) CANARY);
        link.client().write(6, from, 0, 64, advertised, 0);
        link.server().awaitFailure();
        Pattern.verifyAll(advertised.segment(), 0, 64, CANARY, "the invalidated region");
    }

    @Test
    void shouldNotUseAnInvalidatedRegionLocally() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link link = connect();
        MemoryRegion to = server.region(64);
        MemoryRegion advertised = link.server().invalidatable(64);
        link.server().receive(2, to, 0, 64);
        link.client().queuePair.post(new SendRequest().send(3).local(new ScatterGatherList(1)).invalidating(advertised.remoteKey()));
        link.server().received.next().received(2, 0);
        try {
            link.server().send(4, advertised, 0, 64);
        } catch (IllegalStateException refused) {
            return;
        }
        assertEquals(CompletionStatus.LOCAL_PROTECTION_ERROR, link.server().sent.next().status());
    }

    @Test
    void shouldNotTellOfAnInvalidatedKeyWhereThereWasNone() {
        Link link = connect();
        MemoryRegion to = server.region(64);
        link.server().receive(1, to, 0, 64);
        link.client().send(2, client.region(64), 0, 64);
        assertFalse(link.server().received.next().received(1, 64).hasInvalidatedKey());
    }

    @Test
    void shouldRefuseToInvalidateWhereTheDeviceCannot() {
        Assumptions.assumeFalse(client.device.supports(Capability.SEND_WITH_INVALIDATE), "the device has Send with Invalidate");
        Link link = connect();
        assertThrows(UnsupportedVerbException.class, () -> link.client().queuePair
                .tryPost(new SendRequest().send(1).local(new ScatterGatherList(1)).invalidating(4711).signaled()));
    }

    @Test
    void shouldFailWhereTheReceiveIsTooShort() {
        Link link = connect();
        MemoryRegion from = client.region(1000);
        MemoryRegion to = server.region(1000);
        to.segment().fill((byte) CANARY);
        link.server().receive(1, to, 0, 999);
        link.server().receive(2, to, 0, 0);
        link.client().send(3, from, 0, 1000);
        Completed tooShort = link.server().received.next();
        assertEquals(1, tooShort.id());
        assertTrue(Set.of(CompletionStatus.LOCAL_LENGTH_ERROR, CompletionStatus.FLUSHED).contains(tooShort.status()), tooShort::toString);
        link.server().received.flushed(2);
        link.server().awaitFailure();
        link.client().awaitFailure();
        Pattern.verifyAll(to.segment(), 999, 1, CANARY, "after the receive");
    }

    @Test
    void shouldFailWhereNoReceiveIsPosted() {
        Assumptions.assumeFalse(server.device.supports(Capability.RECEIVER_NOT_READY), "the device waits for a receive");
        Link link = connect();
        link.client().send(1, client.region(64), 0, 64);
        link.server().awaitFailure();
        link.client().awaitFailure();
    }

    @Test
    void shouldWaitForTheReceive() {
        assumeSupports(server.device, Capability.RECEIVER_NOT_READY);
        Link link = connect();
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        Pattern.fill(from.segment(), 0, 64, 1);
        link.client().send(1, from, 0, 64);
        link.server().received.nothing();
        link.server().receive(2, to, 0, 64);
        link.server().received.next().received(2, 64);
        link.client().sent.next().succeeded(1, CompletionOpcode.SEND);
        Pattern.verify(to.segment(), 0, 64, 1);
    }

    @Test
    void shouldGiveUpWaitingForAReceive() {
        assumeSupports(client.device, Capability.RECEIVER_NOT_READY);
        assumeSupports(server.device, Capability.RECEIVER_NOT_READY);
        Link link = dialer().clientParameters(Dialer.reads(client, 1, 1).withRetries(7, 1))
                .serverParameters(Dialer.reads(server, 1, 1).withRetries(7, 1)).connect();
        link.client().send(1, client.region(64), 0, 64);
        Completed failed = link.client().sent.next();
        assertEquals(CompletionStatus.RECEIVER_NOT_READY_RETRY_EXCEEDED, failed.status(), failed::toString);
        link.client().awaitDisconnected();
    }

    @Test
    void shouldRefuseToSendBeforeItIsConnected() {
        Connector connector = closeLater(client.connections().connector(listener().address(), LIMIT));
        QueuePair queuePair = connector.createQueuePair(client.domain, QueuePairAttributes.of(client.queue(256)).withInline(0));
        MemoryRegion region = client.region(64);
        assertThrows(IllegalStateException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(region, 0, 64).signaled()));
        assertThrows(IllegalStateException.class, () -> queuePair
                .tryPost(new SendRequest().write(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled()));
        assertThrows(IllegalStateException.class, () -> queuePair
                .tryPost(new SendRequest().read(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled()));
        queuePair.post(new ReceiveRequest().receive(1).local(region, 0, 64));
    }

    @Test
    void shouldRefuseWhatIsOutsideItsRegion() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(100);
        long[][] outside = { { -1, 1 }, { 0, -1 }, { 0, 101 }, { 100, 1 }, { 101, 0 }, { 1, Long.MAX_VALUE }, { Long.MAX_VALUE, 1 },
                { Long.MIN_VALUE, Long.MIN_VALUE }, { 50, 51 } };
        for (long[] part : outside) {
            String what = part[1] + " bytes at " + part[0] + " of 100";
            // A part that is also longer than any message may be refused for that.
            Class<? extends RuntimeException> type = part[1] > client.device.attributes().maximumMessageSize() ? RuntimeException.class
                    : IndexOutOfBoundsException.class;
            assertThrows(type, () -> queuePair.tryPost(new SendRequest().send(1).local(region, part[0], part[1])), what);
            assertThrows(IndexOutOfBoundsException.class,
                    () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(region, part[0], part[1])), what);
            assertThrows(type,
                    () -> queuePair.tryPost(
                            new SendRequest().write(1).local(region, part[0], part[1]).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)),
                    what);
            assertThrows(type,
                    () -> queuePair.tryPost(
                            new SendRequest().read(1).local(region, part[0], part[1]).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)),
                    what);
        }
        // Nothing of it was posted.
        link.exchange(2);
        link.client().connection.disconnect();
        link.client().awaitOrderlyEnd();
        link.client().sent.nothing();
        link.client().received.nothing();
    }

    @Test
    void shouldRefuseARegionWithoutTheRight() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion readOnly = client.region(64, new Access[0]);
        MemoryRegion readable = client.region(64, Access.REMOTE_READ);
        for (MemoryRegion region : List.of(readOnly, readable)) {
            assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(region, 0, 64)));
            assertThrows(IllegalArgumentException.class,
                    () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(new ScatterGatherList(1).add(region, 0, 64))));
            assertThrows(IllegalArgumentException.class, () -> queuePair
                    .tryPost(new SendRequest().read(1).local(region, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        }
        link.exchange(2);
    }

    @Test
    void shouldSendFromARegionWithoutAnyRight() {
        Link link = connect();
        MemoryRegion from = client.region(64, new Access[0]);
        MemoryRegion to = server.region(64, Access.LOCAL_WRITE);
        Pattern.fill(from.segment(), 0, 64, 3);
        link.server().receive(1, to, 0, 64);
        link.client().send(2, from, 0, 64);
        link.server().received.next().received(1, 64);
        Pattern.verify(to.segment(), 0, 64, 3);
    }

    @Test
    void shouldRefuseARegionOfAnotherDomain() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        ProtectionDomain other = client.device.allocateProtectionDomain();
        MemoryRegion foreign = other.register(client.memory(64), Rights.usual());
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(foreign, 0, 64)));
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(foreign, 0, 64)));
        assertThrows(IllegalArgumentException.class, () -> queuePair
                .tryPost(new SendRequest().write(1).local(foreign, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().read(1).local(foreign, 0, 64).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().send(1).local(new ScatterGatherList(1).add(foreign, 0, 64))));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(new ScatterGatherList(1).add(foreign, 0, 64))));
        link.exchange(2);
    }

    @Test
    void shouldRefuseAListThatIsTooLong() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(64);
        ScatterGatherList list = filled(queuePair.attributes().sendElements() + 1, region);
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(list)));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(list).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        ScatterGatherList receives = filled(queuePair.attributes().receiveElements() + 1, region);
        assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(receives)));
        link.exchange(2);
    }

    private static ScatterGatherList filled(int elements, MemoryRegion region) {
        ScatterGatherList list = new ScatterGatherList(elements);
        for (int i = 0; i < elements; i++) {
            list.add(region, 0, 1);
        }
        return list;
    }

    @Test
    void shouldRefuseNull() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(null, 0, 0)));
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(new SendRequest().send(1).local(null)));
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(null, 0, 0)));
        assertThrows(NullPointerException.class, () -> queuePair.tryPost(new ReceiveRequest().receive(1).local(null)));
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(null, 0, 0).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().write(1).local(null).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        assertThrows(NullPointerException.class,
                () -> queuePair.tryPost(new SendRequest().read(1).local(null, 0, 0).remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0)));
        link.exchange(2);
    }

    @Test
    void shouldNotDisturbOtherConnectionsWithItsOwnEnd() {
        Link first = connect();
        Link second = connect();
        first.client().send(1, client.region(64), 0, 64, SendWorkRequest.MORE);
        first.client().connection.disconnect();
        first.server().awaitOrderlyEnd();
        second.exchange(1);
        assertFalse(second.client().connection.awaitDisconnected(Duration.ZERO));
    }

    private static int elements(Side side, int wanted) {
        int most = side.device.attributes().maximumScatterGather();
        assumeAtLeast(most, 2, "maximumScatterGather");
        return Math.min(wanted, most);
    }
}
