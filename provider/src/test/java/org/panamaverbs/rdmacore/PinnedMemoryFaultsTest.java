package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.ResourceException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.statistics.PinnedMemory;

/** Who holds pinned memory, also in the message of a registration that fails. */
class PinnedMemoryFaultsTest extends OnStubDevice {
    private static final long PAGE = NativeMemory.PAGE;

    @Test
    void shouldSayWhoHoldsHowManyPages() {
        StubDevice.pageOnDemand();
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            Device device = verbs.device("stub0");
            assertEquals(List.of(), device.pinnedMemory().holders());
            MemorySegment memory = arena.allocate(16 * PAGE, PAGE);
            ProtectionDomain first = device.allocateProtectionDomain();
            ProtectionDomain second = device.allocateProtectionDomain();
            MemoryRegion region = first.register(memory.asSlice(PAGE - 1, 2));
            second.register(memory.asSlice(0, PAGE));
            // The system counts memory each time that it is registered.
            second.register(memory.asSlice(0, PAGE));
            second.register(memory, Access.ON_DEMAND);
            PinnedMemory pinned = device.pinnedMemory();
            assertEquals(List.of(new PinnedMemory.Holder("protection domain 2 of stub0", 3, 18 * PAGE, 2 * PAGE),
                    new PinnedMemory.Holder("protection domain 1 of stub0", 1, 2, 2 * PAGE)), pinned.holders());
            assertEquals(18 * PAGE + 2, pinned.registeredBytes());
            assertEquals(4 * PAGE, pinned.pinnedBytes());
            assertTrue(pinned.toString()
                    .startsWith("protection domain 2 of stub0 holds " + 18 * PAGE + " bytes in 3 regions (" + 2 * PAGE
                            + " pinned), protection domain 1 of stub0 holds 2 bytes in 1 region (" + 2 * PAGE
                            + " pinned); the process has pinned "),
                    pinned::toString);
            region.close();
            second.close();
            assertEquals(0, device.pinnedMemory().registeredBytes());
            assertTrue(device.pinnedMemory().describe().startsWith("no memory is registered; "), device.pinnedMemory()::describe);
        }
    }

    @Test
    void shouldNameTheHoldersIfARegistrationFails() {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            Device device = verbs.device("stub0");
            MemorySegment memory = arena.allocate(PAGE, PAGE);
            for (int i = 0; i < 7; i++) {
                device.allocateProtectionDomain().register(memory);
            }
            StubDevice.fail("ibv_reg_mr", 0, Libc.ENOMEM());
            ProtectionDomain last = device.allocateProtectionDomain();
            ResourceException refused = assertThrows(ResourceException.class, () -> last.register(memory));
            assertTrue(refused.getMessage().contains("protection domain 5 of stub0 holds " + PAGE + " bytes in 1 region (" + PAGE
                    + " pinned), 2 more hold " + 2 * PAGE + " bytes; the process has pinned "), refused::getMessage);
            assertTrue(refused.getMessage().contains("RLIMIT_MEMLOCK"), refused::getMessage);
        }
    }
}
