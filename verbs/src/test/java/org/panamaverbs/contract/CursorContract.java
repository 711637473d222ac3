package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionQueueAttributes;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RequestFailedException;

/** No completion gets lost on its way to the program, and each says which queue pair it belongs to. */
abstract class CursorContract extends ContractTest {
    private static final int LENGTH = 64;

    /** Receives that are flushed are all there once their queue pair is closed. */
    private CompletionQueue flushed(int receives, UnaryOperator<QueuePairAttributes> attributes) {
        CompletionQueue queue = client.queue(256);
        Link link = dialer().clientQueues(client.queue(256), queue).clientAttributes(attributes).connect();
        MemoryRegion region = client.region(LENGTH);
        for (int i = 0; i < receives; i++) {
            link.client().receive(i, region, 0, LENGTH);
        }
        link.client().queuePair.close();
        return queue;
    }

    @Test
    void shouldRefuseToPollWhileCompletionsAreUnread() {
        CompletionQueue queue = flushed(5, UnaryOperator.identity());
        Completions cursor = Completions.allocate(3);
        assertEquals(0, cursor.remaining());
        assertEquals(3, queue.poll(cursor));
        assertEquals(3, cursor.remaining());
        assertTrue(cursor.next());
        assertEquals(2, cursor.remaining());
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> queue.poll(cursor));
        assertTrue(refused.getMessage().contains("2 of the 3"), refused::getMessage);
        assertThrows(IllegalStateException.class, () -> queue.await(cursor, MOMENT));
        assertEquals(0, cursor.id(), "the cursor is as it was");
        assertTrue(cursor.next() && cursor.next());
        assertEquals(2, cursor.id());
        assertEquals(0, cursor.remaining());
        assertEquals(2, queue.poll(cursor), "the last one is read once the cursor is on it");
        assertTrue(cursor.next());
        assertEquals(3, cursor.id());
        cursor.clear();
        assertEquals(0, cursor.remaining());
        assertFalse(cursor.next());
        assertEquals(0, queue.poll(cursor));
    }

    @Test
    void shouldTakeOneCompletion() {
        Link link = connect();
        MemoryRegion local = client.region(LENGTH);
        MemoryRegion remote = server.region(LENGTH);
        link.server().receive(1, remote, 0, LENGTH);
        link.client().send(2, local, 0, LENGTH);
        link.client().read(3, local, 0, 32, remote, 0);
        Completion received = link.server().receiveQueue.take(LIMIT).orThrow();
        check(received, 1, CompletionOpcode.RECEIVE, LENGTH, link.server());
        check(link.client().sendQueue.take(LIMIT).orThrow(), 2, CompletionOpcode.SEND, 0, link.client());
        assertEquals(32, link.client().sendQueue.take(LIMIT).orThrow().byteLength());
    }

    private static void check(Completion completion, long id, CompletionOpcode opcode, int length, Endpoint end) {
        assertEquals(id, completion.id());
        assertEquals(CompletionStatus.SUCCESS, completion.status());
        assertEquals(opcode, completion.opcode());
        assertEquals(opcode == CompletionOpcode.RECEIVE, completion.isReceive());
        assertEquals(length, completion.byteLength());
        assertEquals(0, completion.vendorError());
        assertEquals(0, completion.immediate());
        assertEquals(end.queuePair.number(), completion.queuePairNumber());
        assertNull(completion.attachment());
    }

    @Test
    void shouldInsistOnSuccess() {
        Completion failed = flushed(1, a -> a.withAttachment("mine")).take(LIMIT);
        assertFalse(failed.isSuccess());
        RequestFailedException thrown = assertThrows(RequestFailedException.class, failed::orThrow);
        assertEquals(CompletionStatus.FLUSHED, thrown.status());
        assertTrue(thrown.getMessage().contains("receive 0 of queue pair " + failed.queuePairNumber()), thrown::getMessage);
    }

    @Test
    void shouldGiveBackWhatIsAttachedToTheQueuePair() {
        CompletionQueue shared = server.queue(256);
        Object[] attachments = { new Object(), null, "third" };
        Link[] links = new Link[attachments.length];
        MemoryRegion local = client.region(LENGTH);
        MemoryRegion remote = server.region(LENGTH);
        for (int i = 0; i < links.length; i++) {
            Object attachment = attachments[i];
            links[i] = dialer().serverQueues(shared, shared).serverAttributes(a -> a.withAttachment(attachment)).connect();
            assertSame(attachment, links[i].server().queuePair.attributes().attachment());
        }
        for (int round = 0; round < 50; round++) {
            for (int i = links.length - 1; i >= 0; i--) {
                links[i].server().receive(i, remote, 0, LENGTH);
                links[i].client().send(round, local, 0, LENGTH);
                Completion received = shared.take(LIMIT).orThrow();
                assertEquals(i, received.id());
                assertSame(attachments[i], received.attachment());
                links[i].client().sendQueue.take(LIMIT).orThrow();
                links[i].server().write(10 + i, remote, 0, LENGTH, local, 0);
                Completion written = shared.take(LIMIT).orThrow();
                assertEquals(10 + i, written.id());
                assertSame(attachments[i], written.attachment());
            }
        }
    }

    @Test
    void shouldGiveBackWhatIsAttachedAfterTheQueuePairIsClosed() {
        CompletionQueue queue = flushed(3, a -> a.withAttachment("closed"));
        Completions cursor = Completions.allocate(2);
        for (int expected : new int[] { 2, 1 }) {
            assertEquals(expected, queue.poll(cursor));
            while (cursor.next()) {
                assertEquals("closed", cursor.attachment());
            }
        }
        assertThrows(IllegalStateException.class, cursor::attachment);
    }

    @Test
    void shouldGiveBackWhatIsAttachedWhereReceivesAreShared() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        var receives = closeLater(server.domain.createSharedReceiveQueue(16, 1));
        CompletionQueue shared = server.queue(256);
        Link first = dialer().serverQueues(shared, shared).serverAttributes(a -> a.withSharedReceiveQueue(receives).withAttachment("first"))
                .connect();
        Link second = dialer().serverQueues(shared, shared)
                .serverAttributes(a -> a.withSharedReceiveQueue(receives).withAttachment("second")).connect();
        Link third = dialer().serverQueues(shared, shared).serverAttributes(a -> a.withSharedReceiveQueue(receives)).connect();
        MemoryRegion local = client.region(LENGTH);
        MemoryRegion remote = server.region(LENGTH);
        for (int round = 0; round < 10; round++) {
            for (Link link : new Link[] { third, first, second, first }) {
                receives.post(new ReceiveRequest().receive(round).local(remote, 0, LENGTH));
                link.client().send(1, local, 0, LENGTH);
                Completion received = shared.take(LIMIT).orThrow();
                if (link == third) {
                    assertNull(received.attachment());
                } else {
                    assertEquals(link == first ? "first" : "second", received.attachment());
                }
                link.client().sendQueue.take(LIMIT).orThrow();
            }
        }
    }

    @Test
    void shouldKnowItsCompletionVectors() {
        int vectors = client.device.attributes().completionVectors();
        assertTrue(vectors >= 1, () -> "the device has " + vectors + " completion vectors");
        CompletionQueueAttributes last = CompletionQueueAttributes.of(16).withVector(vectors - 1);
        CompletionQueue queue = client.device.createCompletionQueue(last);
        Link link = dialer().clientQueues(queue, client.queue(16)).clientAttributes(a -> a.withDepths(8, 8)).connect();
        link.client().write(1, client.region(8), 0, 8, server.region(8), 0);
        queue.take(LIMIT).orThrow();
        assertThrows(IllegalArgumentException.class,
                () -> client.device.createCompletionQueue(CompletionQueueAttributes.of(16).withVector(vectors)));
        assertThrows(IllegalArgumentException.class, () -> CompletionQueueAttributes.of(16).withVector(-1));
    }
}
