package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.SendRequest;
import org.panamaverbs.spi.SendWorkRequest;

/** The order of operations (RFC 5040, 5.5, and the rules that the API adds to it). */
public abstract class OrderingContract extends ContractTest {
    private static final int SIZE = 1 << 17;

    @RepeatedTest(5)
    void shouldCompleteInTheOrderPosted(RepetitionInfo repetition) {
        complete(new Random(repetition.getCurrentRepetition()), 1);
    }

    @RepeatedTest(5)
    void shouldCompleteSignalledRequestsInTheOrderPosted(RepetitionInfo repetition) {
        complete(new Random(100 + repetition.getCurrentRepetition()), 3);
    }

    /** Posts Sends, Writes and Reads of all lengths as they come, with one of so many signalled on average, the last one always. */
    private void complete(Random random, int oneOf) {
        int requests = 100;
        Link link = connect();
        MemoryRegion local = client.region(2 * SIZE);
        MemoryRegion remote = server.region(2 * SIZE);
        MemoryRegion inbox = server.region(SIZE);
        CompletionOpcode[] expected = new CompletionOpcode[requests];
        boolean[] visible = new boolean[requests];
        for (int i = 0; i < requests; i++) {
            int length = random.nextBoolean() ? random.nextInt(64) : random.nextInt(SIZE);
            visible[i] = i == requests - 1 || random.nextInt(oneOf) == 0;
            int flags = (visible[i] ? SendWorkRequest.SIGNALED : 0) | (random.nextInt(4) == 0 ? SendWorkRequest.FENCE : 0)
                    | (i < requests - 1 && random.nextInt(4) == 0 ? SendWorkRequest.MORE : 0);
            switch (random.nextInt(3)) {
                case 0 -> {
                    expected[i] = CompletionOpcode.SEND;
                    link.server().receive(i, inbox, 0, SIZE);
                    link.client().send(i, local, 0, length, flags);
                }
                case 1 -> {
                    expected[i] = CompletionOpcode.WRITE;
                    link.client().write(i, local, 0, length, remote, 0, flags);
                }
                default -> {
                    expected[i] = CompletionOpcode.READ;
                    link.client().read(i, local, SIZE, length, remote, SIZE, flags);
                }
            }
        }
        for (int i = 0; i < requests; i++) {
            if (visible[i]) {
                link.client().sent.next().succeeded(i, expected[i]);
            }
        }
        for (int i = 0; i < requests; i++) {
            if (expected[i] == CompletionOpcode.SEND) {
                assertEquals(i, link.server().received.next().succeeded(i, CompletionOpcode.RECEIVE).id());
            }
        }
        link.client().sent.nothing();
    }

    @Test
    void shouldHaveWrittenWhatCameBeforeASendThatIsReceived() {
        Random random = new Random(7);
        Link link = connect();
        MemoryRegion from = client.region(2 * SIZE);
        MemoryRegion to = server.region(2 * SIZE);
        for (int i = 0; i < 150; i++) {
            int first = random.nextInt(SIZE);
            int second = random.nextInt(2000);
            Pattern.fill(from.segment(), 0, first, 2 * i);
            Pattern.fill(from.segment(), SIZE, second, 2 * i + 1);
            link.server().queuePair.post(new ReceiveRequest().receive(i).local(new ScatterGatherList(1)));
            link.client().write(i, from, 0, first, to, 0, SendWorkRequest.MORE);
            link.client().write(i, from, SIZE, second, to, SIZE, SendWorkRequest.MORE);
            link.client().queuePair.post(new SendRequest().send(i).local(new ScatterGatherList(1)).signaled());
            link.server().received.next().received(i, 0);
            Pattern.verify(to.segment(), 0, first, 2 * i);
            Pattern.verify(to.segment(), SIZE, second, 2 * i + 1);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
        }
    }

    @Test
    void shouldReadBackWhatWasWritten() {
        Random random = new Random(8);
        Link link = connect();
        MemoryRegion local = client.region(2 * SIZE);
        MemoryRegion remote = server.region(SIZE);
        for (int i = 0; i < 100; i++) {
            int length = 1 + random.nextInt(SIZE);
            Pattern.fill(local.segment(), 0, length, i);
            link.client().write(i, local, 0, length, remote, 0, SendWorkRequest.MORE);
            link.client().read(i, local, SIZE, length, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
            Pattern.verify(local.segment(), SIZE, length, i);
        }
    }

    @Test
    void shouldReadBackWhatWasSent() {
        Link link = connect();
        MemoryRegion local = client.region(2 * SIZE);
        MemoryRegion remote = server.region(SIZE);
        for (int i = 0; i < 50; i++) {
            Pattern.fill(local.segment(), 0, SIZE, i);
            link.server().receive(i, remote, 0, SIZE);
            link.client().send(i, local, 0, SIZE, SendWorkRequest.MORE);
            link.client().read(i, local, SIZE, SIZE, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
            Pattern.verify(local.segment(), SIZE, SIZE, i);
            link.server().received.next().received(i, SIZE);
        }
    }

    @Test
    void shouldSendWhatAReadFetchedWhereTheSendIsFenced() {
        Link link = connect();
        MemoryRegion local = client.region(SIZE);
        MemoryRegion remote = server.region(SIZE);
        MemoryRegion inbox = server.region(SIZE);
        for (int i = 0; i < 50; i++) {
            Pattern.fill(remote.segment(), 0, SIZE, i);
            link.server().receive(i, inbox, 0, SIZE);
            link.client().read(i, local, 0, SIZE, remote, 0, SendWorkRequest.MORE);
            link.client().send(i, local, 0, SIZE, SendWorkRequest.FENCE | SendWorkRequest.SIGNALED);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            link.server().received.next().received(i, SIZE);
            Pattern.verify(inbox.segment(), 0, SIZE, i);
        }
    }

    @Test
    void shouldWriteWhatSeveralReadsFetchedWhereTheWriteIsFenced() {
        int parts = 8;
        int size = SIZE / parts;
        Link link = connect();
        MemoryRegion local = client.region(2 * SIZE);
        MemoryRegion remote = server.region(2 * SIZE);
        for (int i = 0; i < 30; i++) {
            Pattern.fill(remote.segment(), 0, SIZE, i);
            for (int k = 0; k < parts; k++) {
                link.client().read(k, local, (long) k * size, size, remote, (long) k * size, 0);
            }
            link.client().write(i, local, 0, SIZE, remote, SIZE, SendWorkRequest.FENCE | SendWorkRequest.MORE);
            link.client().read(i, local, SIZE, SIZE, remote, SIZE);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
            Pattern.verify(local.segment(), SIZE, SIZE, i);
        }
    }

    @Test
    void shouldReadWhatWasThereBeforeAFencedWrite() {
        Link link = connect();
        MemoryRegion local = client.region(2 * SIZE);
        MemoryRegion remote = server.region(SIZE);
        Pattern.fill(remote.segment(), 0, SIZE, 0);
        for (int i = 1; i < 30; i++) {
            Pattern.fill(local.segment(), SIZE, SIZE, i);
            link.client().read(1, local, 0, SIZE, remote, 0, 0);
            link.client().write(2, local, SIZE, SIZE, remote, 0, SendWorkRequest.FENCE | SendWorkRequest.SIGNALED);
            link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
            Pattern.verify(local.segment(), 0, SIZE, i - 1);
        }
    }

    @Test
    void shouldHaveReadWhenALaterRequestCompletes() {
        Link link = connect();
        MemoryRegion local = client.region(SIZE);
        MemoryRegion remote = server.region(SIZE);
        for (int i = 0; i < 50; i++) {
            Pattern.fill(remote.segment(), 0, SIZE, i);
            link.client().read(1, local, 0, SIZE, remote, 0, 0);
            link.client().queuePair.post(new SendRequest().write(2).local(new ScatterGatherList(1))
                    .remote(new RemoteMemory(0, 0, Long.MAX_VALUE), 0).signaled());
            link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
            Pattern.verify(local.segment(), 0, SIZE, i);
        }
    }

    @Test
    void shouldFillReceivesInTheOrderPosted() {
        Link link = connect();
        MemoryRegion from = client.region(100);
        MemoryRegion to = server.region(100 * 100);
        long[] ids = new Random(9).longs(100).toArray();
        for (int i = 0; i < 100; i++) {
            link.server().receive(ids[i], to, i * 100L, 100);
        }
        for (int i = 0; i < 100; i++) {
            Pattern.fill(from.segment(), 0, i, i);
            link.client().send(i, from, 0, i);
            link.client().sent.next().succeeded(i, CompletionOpcode.SEND);
            // The buffer is used again: the memory of a request that completed may change.
            link.server().received.next().received(ids[i], i);
            Pattern.verify(to.segment(), i * 100L, i, i);
        }
    }

    @Test
    void shouldFlushInTheOrderPosted() {
        Link link = connect();
        MemoryRegion region = client.region(64);
        for (int i = 0; i < 50; i++) {
            link.client().receive(i, region, 0, 64);
        }
        link.server().connection.disconnect();
        for (int i = 0; i < 50; i++) {
            link.client().received.flushed(i);
        }
    }
}
