package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Capability;
import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.QueuePairStatistics;
import org.panamaverbs.UnsupportedVerbException;

/** The counters of a queue pair. */
public abstract class StatisticsContract extends ContractTest {
    @Test
    void shouldRefuseWhereTheDeviceCountsNothing() {
        Assumptions.assumeFalse(client.device.supports(Capability.PLACEMENT_STATISTICS), "the device counts");
        Link link = connect();
        assertThrows(UnsupportedVerbException.class, link.client().queuePair::statistics);
    }

    @Test
    void shouldCountPayloadAndNothingElse() {
        Link link = connectCounting();
        MemoryRegion local = client.region(100_000);
        MemoryRegion remote = server.region(100_000);
        QueuePairStatistics clientBefore = link.client().queuePair.statistics();
        QueuePairStatistics serverBefore = link.server().queuePair.statistics();
        link.server().receive(1, remote, 0, 1000);
        link.client().write(2, local, 0, 70_000, remote, 0);
        link.client().send(3, local, 0, 1000);
        link.client().read(4, local, 0, 30_000, remote, 0);
        link.client().sent.next().succeeded(2, CompletionOpcode.WRITE);
        link.client().sent.next().succeeded(3, CompletionOpcode.SEND);
        link.client().sent.next().succeeded(4, CompletionOpcode.READ);
        link.server().received.next().received(1, 1000);
        QueuePairStatistics here = link.client().queuePair.statistics();
        QueuePairStatistics there = link.server().queuePair.statistics();
        assertEquals(71_000, here.bytesSent() - clientBefore.bytesSent(), here::toString);
        assertEquals(30_000, here.bytesReceived() - clientBefore.bytesReceived(), here::toString);
        assertEquals(30_000, there.bytesSent() - serverBefore.bytesSent(), there::toString);
        assertEquals(71_000, there.bytesReceived() - serverBefore.bytesReceived(), there::toString);
        for (QueuePairStatistics statistics : new QueuePairStatistics[] { here, there }) {
            assertEquals(statistics.bytesReceived(), statistics.bytesPlacedDirectly() + statistics.bytesStaged(), statistics::toString);
            assertTrue(statistics.segmentsSent() > 0 && statistics.segmentsReceived() > 0, statistics::toString);
            assertTrue(statistics.readCalls() >= 0 && statistics.writeCalls() >= 0, statistics::toString);
        }
        assertEquals(here.segmentsSent(), there.segmentsReceived(), () -> here + " to " + there);
        assertEquals(there.segmentsSent(), here.segmentsReceived(), () -> here + " from " + there);
    }

    @Test
    void shouldStartFromNothing() {
        Link link = connectCounting();
        for (Endpoint end : new Endpoint[] { link.client(), link.server() }) {
            QueuePairStatistics statistics = end.queuePair.statistics();
            assertEquals(0, statistics.bytesSent());
            assertEquals(0, statistics.bytesReceived());
            assertEquals(0, statistics.bytesPlacedDirectly());
            assertEquals(0, statistics.bytesStaged());
        }
    }

    @Test
    void shouldPlaceLongWritesDirectly() {
        Link link = connectCounting();
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
        Link link = connectCounting();
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
        assertTrue(statistics.bytesReceived() >= atLeast, statistics::toString);
        assertEquals(statistics.bytesReceived(), statistics.bytesPlacedDirectly() + statistics.bytesStaged(), statistics::toString);
        assertTrue(statistics.bytesPlacedDirectly() >= statistics.bytesReceived() / 100 * 99,
                () -> "99 of 100 bytes should be placed directly: " + statistics);
    }

    private Link connectCounting() {
        assumeSupports(client.device, Capability.PLACEMENT_STATISTICS);
        assumeSupports(server.device, Capability.PLACEMENT_STATISTICS);
        return connect();
    }
}
