package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueueFullException;
import org.panamaverbs.QueuePair;
import org.panamaverbs.ReceiveQueue;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Posting in all its forms: regions, parts of segments and lists; queues that are full; flags; batches of receives. */
abstract class PostingContract extends ContractTest {
    private static final int LENGTH = 64;
    private static final RemoteMemory ANYWHERE = new RemoteMemory(0, 0, Long.MAX_VALUE);

    @Test
    void shouldSendAndReceivePartsOfSegments() {
        Link link = connect();
        MemoryRegion from = client.region(2 * LENGTH);
        MemoryRegion to = server.region(2 * LENGTH);
        MemorySegment text = from.segment().asSlice(10, LENGTH);
        MemorySegment place = to.segment().asSlice(20, LENGTH);
        Pattern.fill(text, 0, LENGTH, 1);
        link.server().queuePair.post(new ReceiveRequest().receive(1).local(to, place));
        link.client().queuePair.post(new SendRequest().send(2).local(from, text).signaled());
        link.server().received.next().received(1, LENGTH);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
        Pattern.verify(to.segment(), 20, LENGTH, 1);
        Pattern.verifyAll(to.segment(), 0, 20, 0, "before the part");
        Pattern.verifyAll(to.segment(), 20 + LENGTH, LENGTH - 20, 0, "after the part");
    }

    @Test
    void shouldWriteAndReadPartsOfSegments() {
        Link link = connect();
        MemoryRegion local = client.region(2 * LENGTH);
        MemoryRegion remote = server.region(2 * LENGTH);
        RemoteMemory advertised = RemoteMemory.decode(remote.remote(LENGTH, LENGTH).encode());
        Pattern.fill(local.segment(), 0, LENGTH / 2, 3);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(
                new SendRequest().write(1).local(local, local.segment().asSlice(0, LENGTH / 2)).remote(advertised, LENGTH / 2).signaled());
        queuePair.post(new SendRequest().read(2).local(local, local.segment().asSlice(LENGTH, LENGTH)).remote(advertised, 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(2, CompletionOpcode.READ);
        Pattern.verifyAll(local.segment(), LENGTH, LENGTH / 2, 0, "what was not written");
        Pattern.verify(local.segment(), LENGTH + LENGTH / 2, LENGTH / 2, 3);
    }

    @Test
    void shouldRefuseAPartThatIsNotInTheRegion() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemorySegment memory = client.memory(3 * LENGTH);
        MemoryRegion region = client.domain.register(memory.asSlice(LENGTH, LENGTH));
        assertEquals(1, region.offsetOf(memory.asSlice(LENGTH + 1, LENGTH - 1)));
        assertEquals(LENGTH, region.offsetOf(memory.asSlice(2 * LENGTH, 0)));
        for (MemorySegment outside : new MemorySegment[] { memory, memory.asSlice(LENGTH - 1, LENGTH), memory.asSlice(LENGTH, LENGTH + 1),
                memory.asSlice(0, 1), memory.asSlice(2 * LENGTH, 1), MemorySegment.ofArray(new byte[8]) }) {
            assertThrows(IllegalArgumentException.class,
                    () -> queuePair.tryPost(new SendRequest().send(1).local(region, outside).signaled()));
        }
        link.exchange(1);
    }

    @Test
    void shouldInvalidateWithEveryFormOfASend() {
        assumeSupports(client.device, Capability.SEND_WITH_INVALIDATE);
        assumeSupports(server.device, Capability.INVALIDATE_REGION);
        Link link = connect();
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        MemoryRegion[] ended = { link.server().invalidatable(8), link.server().invalidatable(8), link.server().invalidatable(8) };
        for (int i = 0; i < 3; i++) {
            link.server().receive(i, to, 0, LENGTH);
        }
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().send(1).local(from, 0, LENGTH).invalidating(ended[0].remoteKey()).signaled());
        queuePair.post(new SendRequest().send(2).local(from, from.segment().asSlice(0, 8)).invalidating(ended[1].remoteKey()).signaled());
        queuePair.post(
                new SendRequest().send(3).local(new ScatterGatherList(1).add(from, 0, 1)).invalidating(ended[2].remoteKey()).signaled());
        long[] lengths = { LENGTH, 8, 1 };
        for (int i = 0; i < 3; i++) {
            link.server().received.next().received(i, lengths[i]);
            link.client().sent.next().succeeded(i + 1, CompletionOpcode.SEND);
        }
    }

    @Test
    void shouldCarryImmediateDataWithEveryFormOfASend() {
        assumeSupports(client.device, Capability.IMMEDIATE_DATA);
        assumeSupports(server.device, Capability.IMMEDIATE_DATA);
        Link link = connect();
        MemoryRegion from = client.region(LENGTH);
        receiveThree(link, server.region(LENGTH));
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().send(0).local(from, 0, LENGTH).immediate(100).signaled());
        queuePair.post(new SendRequest().send(1).local(from, from.segment()).immediate(101).signaled());
        queuePair.post(new SendRequest().send(2).local(new ScatterGatherList(1).add(from, 0, LENGTH)).immediate(102).signaled());
        threeCarried(link, CompletionOpcode.SEND, CompletionOpcode.RECEIVE);
    }

    @Test
    void shouldCarryImmediateDataWithEveryFormOfAWrite() {
        assumeSupports(client.device, Capability.WRITE_WITH_IMMEDIATE);
        assumeSupports(server.device, Capability.WRITE_WITH_IMMEDIATE);
        Link link = connect();
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        receiveThree(link, to);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(new SendRequest().write(0).local(from, 0, LENGTH).remote(to.remote(), 0).immediate(100).signaled());
        queuePair.post(new SendRequest().write(1).local(from, from.segment()).remote(to.remote(), 0).immediate(101).signaled());
        queuePair.post(new SendRequest().write(2).local(new ScatterGatherList(1).add(from, 0, LENGTH)).remote(to.remote(), 0).immediate(102)
                .signaled());
        threeCarried(link, CompletionOpcode.WRITE, CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE);
    }

    private static void receiveThree(Link link, MemoryRegion to) {
        for (int i = 0; i < 3; i++) {
            link.server().receive(i, to, 0, LENGTH);
        }
    }

    private static void threeCarried(Link link, CompletionOpcode sent, CompletionOpcode received) {
        for (int i = 0; i < 3; i++) {
            link.client().sent.next().succeeded(i, sent);
            link.server().received.next().succeeded(i, received).carried(100 + i);
        }
    }

    @Test
    void shouldReadIntoAList() {
        Link link = dialer().attributes(a -> a.withElements(2, 1)).connect();
        MemoryRegion local = client.region(2 * LENGTH);
        MemoryRegion remote = server.region(LENGTH);
        Pattern.fill(remote.segment(), 0, LENGTH, 9);
        QueuePair queuePair = link.client().queuePair;
        queuePair.post(
                new SendRequest().read(1).local(new ScatterGatherList(1).add(local, 5, LENGTH)).remote(remote.remote(), 0).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.READ);
        Pattern.verify(local.segment(), 5, LENGTH, 9);
        ScatterGatherList two = new ScatterGatherList(2).add(local, LENGTH, 40).add(local, 0, 24);
        if (client.device.supports(Capability.READ_SCATTER)) {
            queuePair.post(new SendRequest().read(2).local(two).remote(remote.remote(), 0).signaled());
            link.client().sent.next().succeeded(2, CompletionOpcode.READ);
            Pattern.verify(local.segment(), LENGTH, 40, 9);
            Pattern.verify(local.segment(), 0, 24, 9, 40);
        } else {
            assertRefuses(client.device, Capability.READ_SCATTER,
                    () -> queuePair.tryPost(new SendRequest().read(2).local(two).remote(remote.remote(), 0)));
            link.exchange(3);
        }
    }

    @Test
    void shouldRefuseFlagsThatARequestCannotHave() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(LENGTH);
        String said = refused(SendWorkRequest.SOLICITED,
                () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, LENGTH).remote(ANYWHERE, 0).solicited()));
        assertTrue(said.contains("SOLICITED"), said);
        refused(SendWorkRequest.SOLICITED,
                () -> queuePair.tryPost(new SendRequest().read(1).local(region, 0, LENGTH).remote(ANYWHERE, 0).solicited()));
        refused(SendWorkRequest.INLINE,
                () -> queuePair.tryPost(new SendRequest().read(1).local(region, 0, LENGTH).remote(ANYWHERE, 0).inline()));
        link.exchange(1);
    }

    private static String refused(int flags, Executable post) {
        return assertThrows(IllegalArgumentException.class, post, () -> "flags 0x" + Integer.toHexString(flags)).getMessage();
    }

    @Test
    void shouldRefuseWhatIsOutsideThePeersMemory() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion region = client.region(LENGTH);
        RemoteMemory remote = server.region(LENGTH).remote();
        for (long offset : new long[] { 1, LENGTH, -1, Long.MAX_VALUE, Long.MIN_VALUE }) {
            assertThrows(IndexOutOfBoundsException.class,
                    () -> queuePair.tryPost(new SendRequest().write(1).local(region, 0, LENGTH).remote(remote, offset)));
            assertThrows(IndexOutOfBoundsException.class,
                    () -> queuePair.tryPost(new SendRequest().read(1).local(region, 0, LENGTH).remote(remote, offset)));
        }
        link.exchange(1);
    }

    @Test
    void shouldSayThatAReceiveQueueIsFull() {
        Link link = dialer().attributes(a -> a.withDepths(4, 4)).connect();
        MemoryRegion to = server.region(LENGTH);
        QueuePair queuePair = link.server().queuePair;
        int posted = 0;
        while (queuePair.tryPost(new ReceiveRequest().receive(posted).local(to, 0, LENGTH))) {
            posted++;
        }
        QueueFullException full = assertThrows(QueueFullException.class,
                () -> queuePair.post(new ReceiveRequest().receive(-1).local(to, 0, LENGTH)));
        assertTrue(full.getMessage().contains("" + queuePair.number()), full::getMessage);
        link.client().connection.disconnect();
        for (int i = 0; i < posted; i++) {
            link.server().received.flushed(i);
        }
        link.server().received.nothing();
    }

    /** Requests that a full queue refused are not sent, and all others are. */
    @Test
    void shouldSayThatASendQueueIsFull() {
        Link link = dialer().attributes(a -> a.withDepths(4, 4)).connect();
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        QueuePair queuePair = link.client().queuePair;
        int posted = 0;
        QueueFullException full = null;
        // None starts before the queue is full, however fast the device is.
        while (full == null && posted < 1000) {
            try {
                queuePair.post(new SendRequest().write(posted).local(from, 0, LENGTH).remote(to.remote(), 0).signaled().more());
                posted++;
            } catch (QueueFullException e) {
                full = e;
            }
        }
        assertTrue(full != null && full.getMessage().contains("" + queuePair.number()), "after " + posted + " requests: " + full);
        assertTrue(posted >= 4, "after " + posted + " requests already");
        for (int i = 0; i < posted; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
        }
        link.client().sent.nothing();
    }

    @Test
    void shouldPostReceivesInABatch() {
        Link link = dialer().attributes(a -> a.withDepths(16, 16)).connect();
        receiveInBatches(link, link.server().queuePair);
    }

    @Test
    void shouldPostReceivesOfASharedQueueInABatch() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        var shared = closeLater(server.domain.createSharedReceiveQueue(16, 1));
        Link link = dialer().serverAttributes(a -> a.withSharedReceiveQueue(shared)).connect();
        receiveInBatches(link, shared);
    }

    private void receiveInBatches(Link link, ReceiveQueue queue) {
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(64 * LENGTH);
        ReceiveRequest request = new ReceiveRequest();
        for (int i = 0; i < 10; i++) {
            queue.post(request.receive(1000 + i).local(to, i * LENGTH, LENGTH).more(i < 9));
        }
        for (int i = 0; i < 10; i++) {
            Pattern.fill(from.segment(), 0, LENGTH, i);
            link.client().send(i, from, 0, LENGTH);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(1000 + i, LENGTH);
            Pattern.verify(to.segment(), i * LENGTH, LENGTH, i);
        }
        // More than there is room for: those that wait for a doorbell start when the queue is full.
        int posted = 0;
        while (posted < 64 && queue.tryPost(request.receive(2000 + posted).local(to, posted * LENGTH, LENGTH).more())) {
            posted++;
        }
        int count = posted;
        assertTrue(count >= 16 && count < 64, () -> count + " were posted to a queue of 16");
        assertThrows(QueueFullException.class, () -> queue.post(request));
        for (int i = 0; i < posted; i++) {
            link.client().send(i, from, 0, 8);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(2000 + i, 8);
        }
        link.server().received.nothing();
        queue.post(request.receive(3000).local(to, 0, LENGTH).more());
        queue.ringDoorbell();
        // A description may be posted again.
        queue.post(request);
        queue.ringDoorbell();
        for (int i = 0; i < 2; i++) {
            link.client().send(i, from, 0, 8);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(3000, 8);
        }
        queue.ringDoorbell();
        link.server().received.nothing();
    }

    @Test
    void shouldRefuseAReceiveThatWasNotBegun() {
        QueuePair queuePair = connect().client().queuePair;
        String refused = assertThrows(IllegalArgumentException.class, () -> queuePair.tryPost(new ReceiveRequest())).getMessage();
        assertTrue(refused.contains("receive(...)"), refused);
    }

    @Test
    void shouldSayWhereTheDeviceHasNoImmediateDataMessages() {
        QueuePair queuePair = connect().client().queuePair;
        assertRefuses(client.device, Capability.IMMEDIATE_MESSAGE, () -> queuePair.tryPost(new SendRequest().immediateMessage(1).data(5)));
    }

    @Test
    void shouldSayWhereTheDeviceHasNoMaskedAtomics() {
        QueuePair queuePair = connect().client().queuePair;
        MemoryRegion region = client.region(LENGTH);
        assertRefuses(client.device, Capability.MASKED_ATOMIC,
                () -> queuePair.tryPost(new SendRequest().fetchAndAdd(1).add(1).boundaries(1).local(region, 0, 8).remote(ANYWHERE, 0)));
        assertRefuses(client.device, Capability.MASKED_ATOMIC, () -> queuePair.tryPost(
                new SendRequest().compareAndSwap(1).compare(1).swap(1).compareMask(1).swapMask(1).local(region, 0, 8).remote(ANYWHERE, 0)));
    }
}
