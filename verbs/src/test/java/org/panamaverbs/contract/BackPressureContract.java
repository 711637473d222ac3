package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** Queues that are full say so, take nothing, and take more once there is room. */
public abstract class BackPressureContract extends ContractTest {
    @Test
    void shouldRefuseMoreReceivesThanTheQueueHolds() {
        Link link = dialer().serverAttributes(a -> a.withDepths(8, 8)).connect();
        int depth = link.server().queuePair.attributes().receiveDepth();
        MemoryRegion from = client.region(64);
        MemoryRegion to = server.region(64);
        for (int i = 0; i < depth; i++) {
            link.server().queuePair.post(new ReceiveRequest().receive(i).local(to, 0, 64));
        }
        assertFalse(link.server().queuePair.tryPost(new ReceiveRequest().receive(-1).local(to, 0, 64)), "the receive queue should be full");
        for (int i = 0; i < 3 * depth; i++) {
            link.client().send(i, from, 0, 64);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(i, 64);
            link.server().queuePair.post(new ReceiveRequest().receive(depth + i).local(to, 0, 64));
            assertFalse(link.server().queuePair.tryPost(new ReceiveRequest().receive(-1).local(to, 0, 64)),
                    "the receive queue should be full again");
        }
    }

    @Test
    void shouldRefuseMoreReceivesThanTheQueueHoldsBeforeItIsConnected() {
        MemoryRegion to = server.region(64);
        MemoryRegion from = client.region(64);
        Link link = dialer().serverAttributes(a -> a.withDepths(8, 8)).prepareServer((_, queuePair) -> {
            int posted = 0;
            while (queuePair.tryPost(new ReceiveRequest().receive(posted).local(to, 0, 64))) {
                posted++;
            }
            assertEquals(queuePair.attributes().receiveDepth(), posted);
        }).connect();
        link.client().send(1, from, 0, 64);
        link.server().received.next().received(0, 64);
    }

    @Test
    void shouldRefuseMoreSendsThanTheQueueHolds() {
        Link link = dialer().clientAttributes(a -> a.withDepths(8, 8)).connect();
        int depth = link.client().queuePair.attributes().sendDepth();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int round = 0; round < 3; round++) {
            // Kept, so that none is done before the queue is full.
            for (int i = 0; i < depth; i++) {
                assertEquals(depth - i, link.client().queuePair.sendRoom());
                link.client().write(i, local, 0, 64, remote, 0, SendWorkRequest.SIGNALED | SendWorkRequest.MORE);
            }
            assertEquals(0, link.client().queuePair.sendRoom());
            assertFalse(write(link, -1, local, remote, SendWorkRequest.SIGNALED | SendWorkRequest.MORE), "the send queue should be full");
            link.client().queuePair.ringDoorbell();
            for (int i = 0; i < depth; i++) {
                link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
            }
        }
        // A request that was refused was not posted.
        link.client().sent.nothing();
    }

    @Test
    void shouldMakeRoomForUnsignalledRequestsOnceTheyAreDone() {
        Link link = dialer().clientAttributes(a -> a.withDepths(16, 8)).connect();
        int requests = 40 * link.client().queuePair.attributes().sendDepth();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        Completions cursor = Completions.allocate(16);
        for (int i = 0; i < requests; i++) {
            postWithin(link, i, local, remote, i == requests - 1 ? SendWorkRequest.SIGNALED : 0, cursor);
        }
        link.client().sent.next().succeeded(requests - 1, CompletionOpcode.WRITE);
        link.client().sent.nothing();
    }

    /** Posts a Write; if the queue is full it polls, which brings nothing, and tries again. */
    private static void postWithin(Link link, long id, MemoryRegion local, MemoryRegion remote, int flags, Completions cursor) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!write(link, id, local, remote, flags)) {
            assertEquals(0, link.client().sendQueue.poll(cursor), "unsignalled requests complete silently");
            assertTrue(System.nanoTime() - deadline < 0, () -> "there was never room for request " + id + "; " + link.client());
            Thread.onSpinWait();
        }
    }

    private static boolean write(Link link, long id, MemoryRegion local, MemoryRegion remote, int flags) {
        return link.client().queuePair.tryPost(Flags.on(new SendRequest().write(id).local(local, 0, 64).remote(remote.remote(), 0), flags));
    }

    @Test
    void shouldMoveManyLongWritesThroughAShortQueue() {
        int size = 1 << 20;
        Link link = dialer().clientAttributes(a -> a.withDepths(4, 8)).connect();
        MemoryRegion local = client.region(size);
        MemoryRegion remote = server.region(size);
        int posted = 0;
        int done = 0;
        int requests = 64;
        while (done < requests) {
            while (posted < requests && link.client().queuePair
                    .tryPost(new SendRequest().write(posted).local(local, 0, size).remote(remote.remote(), 0).signaled())) {
                posted++;
            }
            link.client().sent.next().succeeded(done++, CompletionOpcode.WRITE);
        }
        link.exchange(1);
    }

    @Test
    void shouldWorkWithQueuesOfOne() {
        Link link = dialer().attributes(a -> a.withDepths(1, 1)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int i = 0; i < 100; i++) {
            Pattern.fill(local.segment(), 0, 64, i);
            link.server().receive(i, remote, 0, 64);
            link.client().send(i, local, 0, 64);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(i, 64);
            Pattern.verify(remote.segment(), 0, 64, i);
            link.client().read(i, local, 0, 64, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
        }
    }

    @Test
    void shouldHoldAllCompletionsUntilTheyArePolled() {
        int messages = 500;
        Link link = dialer().entries(messages + 8).attributes(a -> a.withDepths(messages, messages)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        for (int i = 0; i < messages; i++) {
            link.server().receive(i, remote, 0, 64);
        }
        for (int i = 0; i < messages; i++) {
            link.client().send(i, local, 0, 64);
        }
        for (int i = 0; i < messages; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
        }
        for (int i = 0; i < messages; i++) {
            link.server().received.next().received(i, 64);
        }
    }

    @Test
    void shouldWorkOnWhenQueuesWrapAround() {
        // Depths that are no power of two, and more requests than that by far.
        Link link = dialer().entries(40).attributes(a -> a.withDepths(13, 11)).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        int batch = 7;
        for (int round = 0; round < 100; round++) {
            long first = (long) round * batch;
            for (int i = 0; i < batch; i++) {
                link.server().receive(first + i, remote, 0, 64);
            }
            for (int i = 0; i < batch; i++) {
                link.client().send(first + i, local, 0, i, SendWorkRequest.SIGNALED | (i < batch - 1 ? SendWorkRequest.MORE : 0));
            }
            for (int i = 0; i < batch; i++) {
                link.client().sent.next().succeeded(first + i, CompletionOpcode.SEND);
                link.server().received.next().received(first + i, i);
            }
        }
    }
}
