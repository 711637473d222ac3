package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.SystemException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;

/** A device that does not end a registration: the memory must stay. */
class DeregistrationFaultsTest extends OnStubDevice {
    @Test
    void shouldKeepTheArenaOpenWhileTheDeviceHasTheMemory() {
        try (Verbs verbs = open(); Arena arena = Arena.ofShared()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            MemoryRegion region = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            StubDevice.fail("ibv_dereg_mr", Libc.EBUSY(), 0);
            SystemException refused = assertThrows(SystemException.class, region::close);
            assertEquals(Libc.EBUSY(), refused.errorNumber());
            assertTrue(refused.getMessage().contains("ibv_dereg_mr") && refused.getMessage().contains("arena"), refused::getMessage);
            assertFalse(region.isValid());
            assertThrows(IllegalStateException.class, arena::close, "the device may still write there");
            StubDevice.heal();
            region.close();
            assertEquals(0, StubDevice.live("mr"));
            assertDoesNotThrow(domain::close);
        }
    }

    @Test
    void shouldCloseAllElseAndBeAskedAgain() {
        try (Arena arena = Arena.ofShared()) {
            Verbs verbs = open();
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            MemoryRegion older = domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            domain.register(arena.allocate(64), Access.LOCAL_WRITE);
            // The youngest is closed first, and tried twice.
            StubDevice.fail("ibv_dereg_mr", Libc.EBUSY(), 0, 0, 2);
            assertThrows(IllegalStateException.class, domain::close);
            assertEquals(1, StubDevice.live("mr"), "the two others are gone");
            assertFalse(older.isValid());
            domain.close();
            assertEquals(0, StubDevice.live("mr"));
            verbs.close();
            assertEquals(0, StubDevice.live("pd"));
        }
    }

    @Test
    void shouldEndTheSessionNevertheless() {
        Arena arena = Arena.ofShared();
        Verbs verbs = open();
        MemoryRegion region = verbs.device("stub0").allocateProtectionDomain().register(arena.allocate(64), Access.LOCAL_WRITE);
        StubDevice.fail("ibv_dereg_mr", Libc.EBUSY(), 0, 0, 2);
        assertThrows(IllegalStateException.class, verbs::close);
        assertEquals(0, StubDevice.live("channel"), "completion channels");
        assertEquals(0, StubDevice.live("event_channel"));
        assertEquals(0, StubDevice.live("list"));
        assertThrows(IllegalStateException.class, arena::close);
        region.close();
        arena.close();
    }

    @Test
    void shouldGiveTheMemoryOfADeviceThatIsGone() {
        Arena arena = Arena.ofShared();
        try (Verbs verbs = open()) {
            CoreDevice device = (CoreDevice) verbs.device("stub0");
            MemoryRegion region = device.allocateProtectionDomain().register(arena.allocate(64), Access.LOCAL_WRITE);
            StubDevice.fail("ibv_dereg_mr", Libc.EIO(), 0);
            assertThrows(SystemException.class, region::close, "no event has said yet that it is gone");
            StubDevice.raiseAsynchronous(Rdma.IBV_EVENT_DEVICE_FATAL(), 0);
            await("the device has failed", () -> !device.attributes().active());
            region.close();
            assertDoesNotThrow(arena::close);
        }
    }
}
