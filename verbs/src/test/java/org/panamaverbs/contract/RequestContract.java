package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.Described;
import org.panamaverbs.spi.SendWorkRequest;

/** One object describes one request after the other: what is left of those before, and what of it threads share. */
abstract class RequestContract extends ContractTest {
    private static final int LENGTH = 64;

    @Test
    void shouldForgetARequestThatIsNeverPosted() {
        Link link = dialer().attributes(a -> a.withElements(2, 1)).connect();
        MemoryRegion from = client.region(2 * LENGTH);
        MemoryRegion to = server.region(2 * LENGTH);
        link.server().receive(1, to, 0, LENGTH);
        Pattern.fill(from.segment(), LENGTH, LENGTH, 3);
        SendRequest request = new SendRequest();
        request.write(7).local(from, 0, LENGTH).local(from, 0, LENGTH).remote(to.remote(), 0).fenced().signaled().more();
        link.client().queuePair.post(request.send(8).local(from, LENGTH, LENGTH).signaled());
        link.server().received.next().received(1, LENGTH);
        link.client().sent.next().succeeded(8, CompletionOpcode.SEND);
        Pattern.verify(to.segment(), 0, LENGTH, 3);
        Pattern.verifyAll(to.segment(), LENGTH, LENGTH, 0, "behind the message");
        link.client().sent.nothing();
    }

    @Test
    void shouldDescribeTheNextRequestAfterOneThatWasRefused() {
        Link link = connect();
        QueuePair queuePair = link.client().queuePair;
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        SendRequest request = new SendRequest();
        assertThrows(IndexOutOfBoundsException.class, () -> request.write(1).local(from, 1, LENGTH));
        assertThrows(IndexOutOfBoundsException.class,
                () -> queuePair.post(request.write(2).local(from, 0, LENGTH).remote(to.remote(), 1).signaled()));
        assertThrows(IllegalArgumentException.class,
                () -> queuePair.post(request.read(3).local(from, 0, LENGTH).remote(to.remote(), 0).inline()));
        Pattern.fill(from.segment(), 0, LENGTH, 4);
        queuePair.post(request.write(4).local(from, 0, LENGTH).remote(to.remote(), 0).signaled());
        link.client().sent.next().succeeded(4, CompletionOpcode.WRITE);
        link.exchange(9);
        Pattern.verify(to.segment(), 0, LENGTH, 4);
    }

    @Test
    void shouldPostTheSameDescriptionAgain() {
        Link link = dialer().attributes(a -> a.withDepths(4, 4)).connect();
        Link other = connect();
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        SendRequest request = new SendRequest().write(5).local(from, 0, LENGTH).remote(to.remote(), 0).signaled();
        int completed = 0;
        for (int i = 0; i < 20; i++) {
            // As a program does that finds the queue full: it takes completions, and posts the request again.
            while (!link.client().queuePair.tryPost(request)) {
                link.client().sent.next().succeeded(5, CompletionOpcode.WRITE);
                completed++;
            }
        }
        for (; completed < 20; completed++) {
            link.client().sent.next().succeeded(5, CompletionOpcode.WRITE);
        }
        link.client().sent.nothing();
        other.client().queuePair.post(request);
        other.client().sent.next().succeeded(5, CompletionOpcode.WRITE);
    }

    @Test
    void shouldCopyTheDescriptionWhenItIsPosted() {
        Link link = dialer().attributes(a -> a.withElements(2, 1)).connect();
        MemoryRegion from = client.region(2 * LENGTH);
        MemoryRegion to = server.region(3 * LENGTH);
        Pattern.fill(from.segment(), 0, 2 * LENGTH, 6);
        SendRequest request = new SendRequest();
        ScatterGatherList list = new ScatterGatherList(2).add(from, 0, LENGTH).add(from, LENGTH, LENGTH);
        link.client().queuePair.post(request.write(1).local(list).remote(to.remote(), 0).more());
        list.clear().add(from, 0, 1);
        link.client().queuePair.post(request.write(2).local(from, 0, LENGTH).remote(to.remote(), 2 * LENGTH).signaled());
        request.send(3).local(from, 0, 0);
        link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        link.exchange(9);
        Pattern.verify(to.segment(), 0, 2 * LENGTH, 6);
        Pattern.verify(to.segment(), 2 * LENGTH, LENGTH, 6);
    }

    @Test
    void shouldLetTwoThreadsPostAtOnce() {
        int each = rounds(400);
        Link link = dialer().entries(2 * each + 16).attributes(a -> a.withDepths(16, 16)).connect();
        MemoryRegion from = client.region(2L * each * Long.BYTES);
        MemoryRegion to = server.region(2L * each * Long.BYTES);
        RemoteMemory remote = to.remote();
        List<Background<Void>> posting = new ArrayList<>();
        for (int t = 0; t < 2; t++) {
            int thread = t;
            posting.add(Background.start(() -> {
                SendRequest request = new SendRequest();
                for (int i = 0; i < each; i++) {
                    long offset = ((long) thread * each + i) * Long.BYTES;
                    from.segment().set(ValueLayout.JAVA_LONG, offset, offset + 1);
                    request.write(offset).local(from, offset, Long.BYTES).remote(remote, offset).signaled();
                    long deadline = System.nanoTime() + LIMIT.toNanos();
                    while (!link.client().queuePair.tryPost(request)) {
                        assertTrue(System.nanoTime() - deadline < 0, "there was never room");
                        Thread.onSpinWait();
                    }
                }
                return null;
            }));
        }
        boolean[] done = new boolean[2 * each];
        for (int i = 0; i < 2 * each; i++) {
            Completed completed = link.client().sent.next();
            completed.succeeded(completed.id(), CompletionOpcode.WRITE);
            int number = (int) (completed.id() / Long.BYTES);
            assertFalse(done[number], "completed twice");
            done[number] = true;
        }
        posting.forEach(Background::get);
        link.exchange(1);
        for (long offset = 0; offset < to.length(); offset += Long.BYTES) {
            assertEquals(offset + 1, to.segment().get(ValueLayout.JAVA_LONG, offset));
        }
    }

    @Test
    void shouldRefuseARequestThatLacksAPartOrHasOneTooMany() {
        Link link = connect();
        MemoryRegion region = client.region(LENGTH);
        RemoteMemory remote = server.region(LENGTH).remote();
        SendRequest request = new SendRequest();
        refused(link, request, "no operation");
        refused(link, request.write(1), "a Write needs local(...), remote(...)");
        refused(link, request.write(1).local(region, 0, 8), "a Write needs remote(...)");
        refused(link, request.read(1).remote(remote, 0), "a Read needs local(...)");
        refused(link, request.send(1).local(region, 0, 8).remote(remote, 0), "a Send has no remote(...)");
        refused(link, request.write(1).local(region, 0, 8).remote(remote, 0).compare(1), "a Write has no compare(...)");
        refused(link, request.send(1).local(region, 0, 8).queueKey(1), "a Send has no queueKey(...)");
        refused(link, request.send(1).local(region, 0, 4).local(region, 4, 4), "withElements");
        link.exchange(1);
        link.client().sent.nothing();
    }

    private static void refused(Link link, SendRequest request, String why) {
        String said = assertThrows(IllegalArgumentException.class, () -> link.client().queuePair.tryPost(request)).getMessage();
        assertTrue(said.contains(why), said);
    }

    @Test
    void shouldSendAMessageWithoutMemory() {
        Link link = connect();
        link.server().receive(1, server.region(LENGTH), 0, LENGTH);
        link.client().queuePair.post(new SendRequest().send(2).signaled());
        link.server().received.next().received(1, 0);
        link.client().sent.next().succeeded(2, CompletionOpcode.SEND);
    }

    @Test
    void shouldTakeAnAddressThatAPeerGaveInItsOwnWay() {
        Link link = connect();
        MemoryRegion from = client.region(LENGTH);
        MemoryRegion to = server.region(LENGTH);
        Pattern.fill(from.segment(), 0, LENGTH, 5);
        link.client().queuePair
                .post(new SendRequest().write(1).local(from, 0, LENGTH).remote(to.remote().address(), to.remoteKey()).signaled());
        link.client().sent.next().succeeded(1, CompletionOpcode.WRITE);
        link.exchange(1);
        Pattern.verify(to.segment(), 0, LENGTH, 5);
    }

    @Test
    void shouldForgetThePeersMemoryOfTheRequestBefore() {
        SendRequest request = new SendRequest().write(1).remote(new RemoteMemory(4096, 7, 64), 8);
        SendWorkRequest work = Described.of(request);
        assertEquals(4104, work.remoteAddress());
        assertEquals(7, work.remoteKey());
        request.send(2);
        assertEquals(0, work.remoteAddress());
        assertEquals(0, work.remoteKey());
        request.localInvalidate(3, 9).immediateMessage(4);
        assertEquals(0, work.remoteKey());
    }

    @Test
    void shouldNotTurnOtherRequestsIntoThoseWithImmediateData() {
        SendRequest request = new SendRequest();
        assertThrows(IllegalStateException.class, () -> request.immediate(1));
        assertThrows(IllegalStateException.class, () -> request.invalidating(1));
        assertThrows(IllegalStateException.class, () -> request.read(1).immediate(1));
        assertThrows(IllegalStateException.class, () -> request.write(1).invalidating(1));
        assertThrows(IllegalStateException.class, () -> request.send(1).immediate(1).invalidating(1));
        assertThrows(IllegalStateException.class, () -> request.send(1).invalidating(1).immediate(1));
    }
}
