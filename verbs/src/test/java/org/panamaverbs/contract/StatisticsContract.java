package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SharedReceiveQueue;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.statistics.CompletionQueueStatistics;
import org.panamaverbs.statistics.ConnectionStatistics;
import org.panamaverbs.statistics.DeviceStatistics;
import org.panamaverbs.statistics.PinnedMemory;
import org.panamaverbs.statistics.QueuePairStatistics;

/** The counts of queue pairs, completion queues and devices, and the holders of memory. A count that a provider lacks is skipped. */
public abstract class StatisticsContract extends ContractTest {
    /** A count; skips the test if the provider does not have it. */
    private static long counted(OptionalLong count) {
        Assumptions.assumeTrue(count.isPresent(), "the provider does not count this");
        return count.getAsLong();
    }

    /** Waits for a count that another thread changes. */
    private static void await(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() - deadline < 0, what);
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldCountRequestsAndReceives() {
        Link link = connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        QueuePairStatistics clientBefore = link.client().queuePair.statistics();
        QueuePairStatistics serverBefore = link.server().queuePair.statistics();
        link.server().receive(1, remote, 0, 64);
        link.server().receive(2, remote, 0, 64);
        link.client().write(3, local, 0, 64, remote, 0, 0);
        link.client().send(4, local, 0, 64);
        link.client().sent.next().succeeded(4, CompletionOpcode.SEND);
        link.server().received.next().received(1, 64);
        QueuePairStatistics here = link.client().queuePair.statistics();
        QueuePairStatistics there = link.server().queuePair.statistics();
        assertEquals(2, counted(here.requestsPosted()) - counted(clientBefore.requestsPosted()), here::describe);
        assertEquals(2, counted(here.requestsCompleted()) - counted(clientBefore.requestsCompleted()), "the silent one, too");
        assertEquals(0, counted(here.requestsFailed()), here::describe);
        assertEquals(0, counted(here.receivesPosted()), here::describe);
        assertEquals(0, counted(there.requestsPosted()), there::describe);
        assertEquals(2, counted(there.receivesPosted()) - counted(serverBefore.receivesPosted()), there::describe);
        assertEquals(1, counted(there.receivesCompleted()) - counted(serverBefore.receivesCompleted()), there::describe);
        assertEquals(0, counted(there.receivesFailed()), there::describe);
    }

    @Test
    void shouldCountWhatIsFlushedAsFailed() {
        Link link = connect();
        MemoryRegion remote = server.region(64);
        MemoryRegion local = client.region(64);
        QueuePairStatistics before = link.server().queuePair.statistics();
        for (int i = 0; i < 3; i++) {
            link.server().receive(i, remote, 0, 64);
        }
        link.client().send(3, local, 0, 64);
        link.server().received.next().received(0, 64);
        link.client().connection.disconnect();
        assertEquals(CompletionStatus.FLUSHED, link.server().received.next().status());
        assertEquals(CompletionStatus.FLUSHED, link.server().received.next().status());
        // A queue pair that is closed still has its counts.
        link.close();
        QueuePairStatistics after = link.server().queuePair.statistics();
        assertEquals(3, counted(after.receivesCompleted()) - counted(before.receivesCompleted()), after::describe);
        assertEquals(2, counted(after.receivesFailed()) - counted(before.receivesFailed()), after::describe);
        assertEquals(counted(after.receivesPosted()), counted(after.receivesCompleted()), after::describe);
        assertEquals(counted(after.requestsPosted()), counted(after.requestsCompleted()), after::describe);
    }

    @Test
    void shouldCountReceivesThatWereTakenFromASharedQueue() {
        assumeSupports(server.device, Capability.SHARED_RECEIVE_QUEUE);
        SharedReceiveQueue shared = server.domain.createSharedReceiveQueue(8, 1);
        Link link = dialer().serverAttributes(attributes -> attributes.withSharedReceiveQueue(shared)).connect();
        MemoryRegion remote = server.region(64);
        MemoryRegion local = client.region(64);
        shared.post(new ReceiveRequest().receive(1).local(remote, 0, 64));
        link.client().send(2, local, 0, 40);
        link.server().received.next().received(1, 40);
        QueuePairStatistics statistics = link.server().queuePair.statistics();
        assertFalse(statistics.receivesPosted().isPresent(), statistics::describe);
        assertEquals(1, counted(statistics.receivesCompleted()), statistics::describe);
        assertEquals(0, counted(statistics.receivesFailed()), statistics::describe);
        assertEquals(40, counted(statistics.bytesReceived()), statistics::describe);
    }

    @Test
    void shouldCountPayloadAndNothingElse() {
        Link link = connect();
        MemoryRegion local = client.region(100_000);
        MemoryRegion remote = server.region(100_000);
        exchangeOfAllKinds(link, local, remote);
        QueuePairStatistics here = link.client().queuePair.statistics();
        QueuePairStatistics there = link.server().queuePair.statistics();
        assertEquals(71_000, counted(here.bytesSent()), here::describe);
        assertEquals(30_000, counted(here.bytesReceived()), here::describe);
        assertEquals(0, counted(there.bytesSent()), there::describe);
        assertEquals(1000, counted(there.bytesReceived()), there::describe);
    }

    @Test
    void shouldCountWhatThePeerReadsAndWrites() {
        Link link = connect();
        exchangeOfAllKinds(link, client.region(100_000), server.region(100_000));
        QueuePairStatistics here = link.client().queuePair.statistics();
        QueuePairStatistics there = link.server().queuePair.statistics();
        assertEquals(30_000, counted(there.bytesReadByPeer()), there::describe);
        assertEquals(70_000, counted(there.bytesWrittenByPeer()), there::describe);
        assertEquals(0, counted(here.bytesReadByPeer()) + counted(here.bytesWrittenByPeer()), here::describe);
        for (QueuePairStatistics statistics : new QueuePairStatistics[] { here, there }) {
            assertEquals(counted(statistics.bytesReceived()) + counted(statistics.bytesWrittenByPeer()),
                    counted(statistics.bytesPlacedDirectly()) + counted(statistics.bytesStaged()), statistics::describe);
            assertTrue(counted(statistics.readCalls()) >= 0 && counted(statistics.writeCalls()) >= 0, statistics::describe);
        }
        assertTrue(counted(here.segmentsSent()) > 0, here::describe);
        assertEquals(counted(here.segmentsSent()), counted(there.segmentsReceived()), () -> here + " to " + there);
        assertEquals(counted(there.segmentsSent()), counted(here.segmentsReceived()), () -> here + " from " + there);
    }

    private static void exchangeOfAllKinds(Link link, MemoryRegion local, MemoryRegion remote) {
        link.server().receive(1, remote, 0, 1000);
        link.client().write(2, local, 0, 70_000, remote, 0);
        link.client().send(3, local, 0, 1000);
        link.client().read(4, local, 0, 30_000, remote, 0);
        link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        link.client().sent.next().succeeded(4, CompletionOpcode.READ);
        link.server().received.next().received(1, 1000);
    }

    @Test
    void shouldNameEachCount() {
        Link link = connect();
        for (Endpoint end : List.of(link.client(), link.server())) {
            QueuePairStatistics statistics = end.queuePair.statistics();
            assertNamed(statistics.describe(), "bytes sent", statistics.bytesSent());
            assertNamed(statistics.describe(), "checksum errors", statistics.checksumErrors());
            CompletionQueueStatistics completions = end.sendQueue.statistics();
            assertNamed(completions.describe(), "completions polled", completions.completionsPolled());
            assertNamed(completions.describe(), "most waiting at once", completions.mostWaiting());
            DeviceStatistics connections = end.side.device.statistics();
            assertNamed(connections.describe(), "ended by loss", connections.endedByLoss());
        }
    }

    private static void assertNamed(String text, String name, OptionalLong count) {
        if (count.isPresent()) {
            assertTrue(text.contains(name + " " + count.getAsLong()), text);
        } else {
            assertTrue(text.indexOf("not counted: ") >= 0 && text.indexOf("not counted: ") < text.indexOf(name), text);
        }
    }

    @Test
    void shouldPlaceLongWritesDirectly() {
        Link link = connect();
        int length = 1 << 20;
        MemoryRegion local = client.region(length);
        MemoryRegion remote = server.region(length);
        for (int i = 0; i < 32; i++) {
            link.client().write(i, local, 0, length, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
        }
        link.exchange(1);
        placed(link.server().queuePair.statistics(), 32L * length);
    }

    @Test
    void shouldPlaceLongReadsAndReceivesDirectly() {
        Link link = connect();
        int length = 1 << 20;
        MemoryRegion local = client.region(length);
        MemoryRegion remote = server.region(length);
        for (int i = 0; i < 32; i++) {
            link.client().read(i, local, 0, length, remote, 0);
            link.client().sent.next().succeeded(i, CompletionOpcode.READ);
        }
        placed(link.client().queuePair.statistics(), 32L * length);
        for (int i = 0; i < 32; i++) {
            link.server().receive(i, remote, 0, length);
            link.client().send(i, local, 0, length);
            link.server().received.next().received(i, length);
        }
        placed(link.server().queuePair.statistics(), 32L * length);
    }

    private static void placed(QueuePairStatistics statistics, long atLeast) {
        long directly = counted(statistics.bytesPlacedDirectly());
        long all = counted(statistics.bytesReceived()) + counted(statistics.bytesWrittenByPeer());
        assertTrue(all >= atLeast, statistics::describe);
        assertEquals(all, directly + counted(statistics.bytesStaged()), statistics::describe);
        assertTrue(directly >= all / 100 * 99, () -> "99 of 100 bytes should be placed directly: " + statistics.describe());
    }

    @Test
    void shouldCountWhatIsPolled() {
        CompletionQueue queue = client.queue(64);
        Link link = dialer().clientQueues(queue, queue).connect();
        MemoryRegion local = client.region(64);
        MemoryRegion remote = server.region(64);
        assertEquals(0, counted(queue.statistics().completionsPolled()));
        for (int i = 0; i < 5; i++) {
            link.client().write(i, local, 0, 64, remote, 0);
        }
        for (int i = 0; i < 5; i++) {
            link.client().sent.next().succeeded(i, CompletionOpcode.WRITE);
        }
        CompletionQueueStatistics statistics = queue.statistics();
        assertEquals(5, counted(statistics.completionsPolled()), statistics::describe);
        assertEquals(0, counted(statistics.overruns()), statistics::describe);
        link.close();
        queue.close();
        assertEquals(5, counted(queue.statistics().completionsPolled()), "after the queue has closed");
    }

    @Test
    void shouldCountHowManyCompletionsWaitedAtMost() {
        CompletionQueue queue = server.queue(64);
        Link link = dialer().serverQueues(server.queue(64), queue).connect();
        MemoryRegion remote = server.region(64);
        for (int i = 0; i < 3; i++) {
            link.server().receive(i, remote, 0, 64);
        }
        link.server().connection.close();
        assertEquals(3, counted(queue.statistics().mostWaiting()), queue.statistics()::describe);
        for (int i = 0; i < 3; i++) {
            assertEquals(CompletionStatus.FLUSHED, link.server().received.next().status());
        }
        assertEquals(3, counted(queue.statistics().mostWaiting()), queue.statistics()::describe);
    }

    @Test
    void shouldCountConnectionsByTheirEnds() {
        DeviceStatistics before = server.device.statistics();
        Link link = connect();
        Background<Endpoint> dialling = Background.start(dialer()::dial);
        listener().awaitRequest(LIMIT).reject(new byte[0]);
        dialling.getThrown(RejectedException.class);
        DeviceStatistics established = server.device.statistics();
        assertEquals(1, counted(established.connectionsEstablished()) - counted(before.connectionsEstablished()), established::describe);
        assertEquals(1, counted(established.requestsRejected()) - counted(before.requestsRejected()), established::describe);
        assertEquals(0, ended(established) - ended(before), established::describe);
        link.client().connection.disconnect();
        link.server().awaitOrderlyEnd();
        await("an end in good order is counted", () -> counted(server.device.statistics().endedOrderly()) > counted(before.endedOrderly()));
        assertEquals(1, ended(server.device.statistics()) - ended(before), server.device.statistics()::describe);
    }

    private static Optional<ConnectionStatistics> listed(Endpoint end) {
        return end.side.device.connections().stream().filter(each -> each.queuePair() == end.queuePair.number()).findFirst();
    }

    @Test
    void shouldListConnectionsUntilTheyEnd() {
        Link link = connect();
        Assumptions.assumeFalse(client.device.connections().isEmpty(), "the provider does not keep its connections");
        link.exchange(1);
        for (Endpoint end : List.of(link.client(), link.server())) {
            ConnectionStatistics statistics = listed(end).orElseThrow();
            assertEquals(end.connection.localAddress(), statistics.local());
            assertEquals(end.connection.remoteAddress(), statistics.remote());
            assertEquals(end.connection.path(), statistics.path());
            assertFalse(statistics.since().isAfter(Instant.now()), statistics::toString);
            assertTrue(counted(statistics.counts().requestsPosted()) > 0, statistics::toString);
        }
        link.client().connection.disconnect();
        link.server().awaitOrderlyEnd();
        await("it is listed no more", () -> listed(link.client()).isEmpty() && listed(link.server()).isEmpty());
    }

    private static long ended(DeviceStatistics statistics) {
        return counted(statistics.endedOrderly()) + counted(statistics.endedByLocalError()) + counted(statistics.endedByRemoteError())
                + statistics.endedByLoss().orElse(0);
    }

    @Test
    void shouldSayWhoHoldsMemory() {
        PinnedMemory before = client.device.pinnedMemory();
        ProtectionDomain other = client.device.allocateProtectionDomain();
        MemoryRegion small = client.domain.register(client.memory(1000));
        other.register(client.memory(70_000));
        other.register(client.memory(30_000));
        PinnedMemory held = client.device.pinnedMemory();
        assertEquals(101_000, held.registeredBytes() - before.registeredBytes(), held::describe);
        assertTrue(held.pinnedBytes() == 0 || held.pinnedBytes() >= held.registeredBytes(), held::describe);
        PinnedMemory.Holder first = held.holders().getFirst();
        assertEquals(other.toString(), first.owner());
        assertEquals(2, first.regions());
        assertEquals(100_000, first.registeredBytes());
        assertTrue(held.describe().contains(other + " holds 100000 bytes in 2 regions"), held::describe);
        assertTrue(held.describe().contains("RLIMIT_MEMLOCK"), held::describe);
        assertFalse(other.toString().equals(client.domain.toString()), "the names of domains tell them apart");
        other.close();
        small.close();
        assertEquals(before.registeredBytes(), client.device.pinnedMemory().registeredBytes());
    }
}
