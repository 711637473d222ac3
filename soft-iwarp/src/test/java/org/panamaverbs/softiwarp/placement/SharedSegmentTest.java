package org.panamaverbs.softiwarp.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.ScatterGatherList;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Host;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.memory.SgeList;
import org.panamaverbs.spi.AccessFlags;
import org.panamaverbs.statistics.QueuePairStatistics;
import org.panamaverbs.testing.Transports;
import org.panamaverbs.testing.conformance.Requirement;

/** One segment may be registered twice: the end of one registration is the end of the requests posted with it, whatever lies beside it. */
class SharedSegmentTest {
    private static final int HALF = 4096;
    private static final int HEADER = 2 + 18;

    @ParameterizedTest
    @Transports({ "epoll", "nio" })
    @Requirement({ "RFC5040-8.1.1-e,g", "RFC5042-6.2.2-b", "RFC5041-8.3.1-g" })
    void shouldPlaceNothingInTheRegionThatWasClosed(String transport) throws Exception {
        try (Host host = new Host(transport)) {
            MemorySegment memory = host.arena.allocate(2 * HALF, 64);
            memory.fill(Rig.GUARD);
            MemoryRegion first = host.domain.register(memory, Access.LOCAL_WRITE);
            MemoryRegion second = host.domain.register(memory, Access.LOCAL_WRITE);
            CompletableFuture<Host.End> accepted = host.accepting(ConnectionParameters.defaults(), null,
                    attributes -> attributes.withElements(1, 2));
            try (RawPeer peer = new RawPeer(host.listener.address(), true)) {
                peer.awaitReply(true);
                Host.End end = Host.get(accepted);
                end.queuePair
                        .post(new ReceiveRequest().receive(1).local(new ScatterGatherList(2).add(first, 0, HALF).add(second, HALF, HALF)));
                byte[] send = Forge.fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.SEND, 0, 0, 1, 0, Forge.payload(2 * HALF)), true);
                peer.send(Arrays.copyOf(send, HEADER + HALF / 2));
                awaitReceived(end, HALF / 2);
                // From when this returns the memory is the program's.
                second.close();
                peer.send(Arrays.copyOfRange(send, HEADER + HALF / 2, send.length));
                peer.receiveAll();
                assertTrue(end.connection.awaitDisconnected(Host.LIMIT));
            }
            Rig.assertFilled(memory.asSlice(HALF));
        }
    }

    /** Waits until so many bytes of payload are placed. */
    private static void awaitReceived(Host.End end, long bytes) {
        long deadline = System.nanoTime() + Host.LIMIT.toNanos();
        while (placed(end.queuePair.statistics()) < bytes) {
            assertTrue(System.nanoTime() < deadline, () -> end.queuePair.statistics().toString());
            Thread.onSpinWait();
        }
    }

    private static long placed(QueuePairStatistics statistics) {
        return statistics.bytesPlacedDirectly().getAsLong() + statistics.bytesStaged().getAsLong();
    }

    @Test
    void shouldEnterEachOfTwoRegistrationsThatLieSideBySide() {
        Object domain = new Object();
        MemorySegment memory = Arena.ofAuto().allocate(2 * HALF);
        RegisteredMemory first = new RegisteredMemory(memory, domain, AccessFlags.LOCAL_WRITE);
        RegisteredMemory second = new RegisteredMemory(memory, domain, AccessFlags.LOCAL_WRITE);
        SgeList list = new SgeList(2);
        list.set(0, first, 0, HALF);
        list.set(1, second, HALF, HALF);
        SgeCursor cursor = new SgeCursor();
        cursor.wrap(list, 0, 2);
        IoVector vector = new IoVector(4);
        assertEquals(2 * HALF, cursor.describe(vector, 2 * HALF));
        second.retire();
        assertFalse(vector.enter(), "a registration has ended");
    }
}
