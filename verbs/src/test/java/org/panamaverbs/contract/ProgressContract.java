package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;

/** Requests proceed whatever the program does that they concern: it may have polled for long, and then stop to. */
public abstract class ProgressContract extends ContractTest {
    private static final VarHandle BYTE = ValueLayout.JAVA_BYTE.varHandle();
    /** Long enough that a provider which has the program's thread do its work relies on it. */
    private static final Duration LONG = Duration.ofMillis(50).multipliedBy(SLOWNESS);

    private static void pollInVain(Endpoint end) {
        Completions cursor = Completions.allocate(16);
        long start = System.nanoTime();
        while (System.nanoTime() - start < LONG.toNanos()) {
            assertEquals(0, end.receiveQueue.poll(cursor), "nothing was sent");
        }
    }

    @Test
    void shouldServeReadsAndWritesOnceNobodyPollsAnyMore() {
        Link link = connect();
        int size = 100_000;
        MemoryRegion local = client.region(size);
        MemoryRegion remote = server.region(size);
        for (int round = 0; round < 3; round++) {
            pollInVain(link.server());
            Pattern.fill(remote.segment(), 0, size, round);
            link.client().read(round, local, 0, size, remote, 0);
            link.client().sent.next().succeeded(round, CompletionOpcode.READ);
            Pattern.verify(local.segment(), 0, size, round);
            Pattern.fill(local.segment(), 0, size, ~round);
            link.client().write(round, local, 0, size, remote, 0);
            link.client().sent.next().succeeded(round, CompletionOpcode.WRITE);
            link.client().read(round, local, 0, size, remote, 0);
            link.client().sent.next().succeeded(round, CompletionOpcode.READ);
            Pattern.verify(remote.segment(), 0, size, ~round);
        }
    }

    /** More than sockets hold: some of it goes out only when the peer has made room. */
    @Test
    void shouldSendTheRestOfALongWriteOnceNobodyPollsAnyMore() {
        Link link = connect();
        // The connecting side speaks first, unless the two have agreed otherwise.
        link.exchange(1);
        int size = 4 << 20;
        int writes = 8;
        MemoryRegion local = server.region(size);
        MemoryRegion remote = client.region(size);
        for (int round = 1; round <= 3; round++) {
            pollInVain(link.server());
            Pattern.fill(local.segment(), 0, size, round);
            byte last = (byte) ~local.segment().get(ValueLayout.JAVA_BYTE, size - 1);
            for (int i = 0; i < writes; i++) {
                // The last one alone ends with the byte that is waited for.
                if (i == writes - 1) {
                    link.server().sent.next(i);
                    local.segment().set(ValueLayout.JAVA_BYTE, size - 1, last);
                }
                link.server().write(i, local, 0, size, remote, 0);
            }
            long start = System.nanoTime();
            while ((byte) BYTE.getAcquire(remote.segment(), size - 1L) != last) {
                assertTrue(System.nanoTime() - start < LIMIT.toNanos(), () -> "the Writes did not arrive; " + link.server());
                Thread.onSpinWait();
            }
            Pattern.verify(remote.segment(), 0, size - 1, round);
            link.server().sent.next();
        }
    }

    /** A thread that polls is told when the peer has made room. */
    @Test
    void shouldSendTheRestOfALongWriteWhileTheSenderSpins() {
        Link link = connect();
        int size = 4 << 20;
        int writes = 8;
        MemoryRegion local = client.region(size);
        MemoryRegion remote = server.region(size);
        Completions cursor = Completions.allocate(16);
        for (int round = 1; round <= 3; round++) {
            pollInVain(link.client());
            Pattern.fill(local.segment(), 0, size, round);
            for (int i = 0; i < writes; i++) {
                link.client().write(i, local, 0, size, remote, 0);
            }
            long start = System.nanoTime();
            for (int completed = 0; completed < writes;) {
                completed += link.client().sendQueue.poll(cursor);
                cursor.clear();
                assertTrue(System.nanoTime() - start < LIMIT.toNanos(), () -> "the Writes did not complete; " + link.client());
            }
            link.exchange(round);
            Pattern.verify(remote.segment(), 0, size, round);
        }
    }

    @Test
    void shouldTakeMoreConnectionsWhileOneIsPolled() {
        List<Link> links = new ArrayList<>(List.of(connect()));
        for (int i = 0; i < 4; i++) {
            pollInVain(links.getFirst().server());
            links.add(connect());
            for (Link link : links) {
                link.exchange(i);
            }
        }
        while (links.size() > 1) {
            links.removeLast().close();
            pollInVain(links.getFirst().server());
            links.forEach(link -> link.exchange(1));
        }
    }
}
