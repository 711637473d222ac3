package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Completions;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.MemoryWindow;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.RemoteMemory;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.bindings.rdma.ibv_mw_bind;
import org.panamaverbs.bindings.rdma.ibv_mw_bind_info;
import org.panamaverbs.cm.Connection;

/** A binding in the midst of a chain goes alone: the chain before it ends there, and another one begins after it. */
class WindowBindFaultsTest extends OnStubDevice {
    @ParameterizedTest
    @EnumSource(MemoryWindow.Type.class)
    void shouldPostEachRequestAroundABindingOnce(MemoryWindow.Type type) {
        StubDevice.haveWindows();
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            CoreProtectionDomain domain = (CoreProtectionDomain) device.allocateProtectionDomain();
            CompletionQueue queue = device.createCompletionQueue(32);
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE, Access.BIND_MEMORY_WINDOW);
            MemoryWindow window = domain.allocateMemoryWindow(type);
            Connection connection = connect(domain, QueuePairAttributes.of(queue).withDepths(8, 1));
            StubDevice.withhold();
            List<Long> ids = new ArrayList<>();
            // The second round finds slots that were linked before.
            for (int round = 0; round < 2; round++) {
                post(connection.queuePair(), region, window, ids);
                assertEquals(ids.size(), StubDevice.withheldRequests(), "each once");
            }
            if (type == MemoryWindow.Type.TYPE_1) {
                assertEquals(6, StubDevice.bound().get(ValueLayout.JAVA_LONG, ibv_mw_bind.sizeof()));
                MemorySegment info = ibv_mw_bind.bind_info(StubDevice.bound());
                assertEquals(region.address() + 8, ibv_mw_bind_info.addr(info));
                assertEquals(16, ibv_mw_bind_info.length(info));
                assertEquals(Rdma.IBV_ACCESS_REMOTE_READ(), ibv_mw_bind_info.mw_access_flags(info));
                assertEquals(Rdma.IBV_SEND_SIGNALED(), ibv_mw_bind.send_flags(StubDevice.bound()));
            }
            connection.disconnect();
            assertTrue(connection.awaitDisconnected(LIMIT));
            Completions completions = Completions.allocate(16);
            assertEquals(ids.size(), queue.poll(completions));
            for (long id : ids) {
                assertTrue(completions.next());
                assertEquals(id, completions.id());
            }
            connection.close();
        }
        assertEquals(0, StubDevice.live("mw"));
    }

    private static void post(QueuePair queuePair, MemoryRegion region, MemoryWindow window, List<Long> ids) {
        SendRequest request = new SendRequest();
        RemoteMemory remote = new RemoteMemory(0, 0, Long.MAX_VALUE);
        for (int i = 0; i < 4; i++) {
            ids.add((long) ids.size());
            long id = ids.getLast();
            queuePair.post((i == 2 ? request.bind(id, window).access(Access.REMOTE_READ).local(region, 8, 16)
                    : request.write(id).local(region, 0, 8).remote(remote, 0)).signaled().more(i < 3));
        }
    }
}
