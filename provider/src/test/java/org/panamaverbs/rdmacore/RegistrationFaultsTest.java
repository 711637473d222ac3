package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.Access;
import org.panamaverbs.Capability;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.RegistrationAttributes;
import org.panamaverbs.ResourceException;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.Verbs;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.rdma.Rdma;
import org.panamaverbs.rdmacore.ffi.NativeMemory;
import org.panamaverbs.spi.AccessFlags;

/** The parts of a registration with attributes that reach the device, and the parts that do not. */
class RegistrationFaultsTest extends OnStubDevice {
    private static final int PAGE = (int) NativeMemory.PAGE;
    private static final int SIW = 0x626d74;
    private static final RegistrationAttributes WRITABLE = RegistrationAttributes.of(Access.LOCAL_WRITE);

    @Test
    void shouldGiveTheDeviceTheAddressThatTheProgramChose() {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            MemorySegment memory = arena.allocate(2 * PAGE, PAGE).asSlice(100);
            domain.register(memory, WRITABLE);
            assertEquals(memory.address(), StubDevice.lastRegionAddress());
            MemoryRegion chosen = domain.register(memory, WRITABLE.withAddress(7 * PAGE + 100));
            assertEquals(7 * PAGE + 100, chosen.address());
            assertEquals(7 * PAGE + 100, StubDevice.lastRegionAddress());
            assertEquals(memory, chosen.segment());
        }
    }

    @Test
    void shouldRefuseAnAddressAtAnotherPlaceOfItsPage() {
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            MemorySegment memory = arena.allocate(2 * PAGE, PAGE).asSlice(8);
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
                    () -> domain.register(memory, WRITABLE.zeroBased()));
            assertTrue(refused.getMessage().contains("same lower " + Integer.numberOfTrailingZeros(PAGE) + " bits")
                    && refused.getMessage().contains("alignment of " + PAGE), refused::getMessage);
            assertEquals(0, StubDevice.live("mr"));
            domain.register(memory.asSlice(PAGE - 8), WRITABLE.zeroBased());
            assertEquals(0, StubDevice.lastRegionAddress());
        }
    }

    @Test
    void shouldNotOfferAnAddressThatTheDriverIgnores() {
        StubDevice.replace("some0", SIW, 64);
        StubDevice.setTransport(0, Rdma.IBV_TRANSPORT_IWARP());
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("some0").allocateProtectionDomain();
            MemorySegment memory = arena.allocate(PAGE, PAGE);
            UnsupportedVerbException refused = assertThrows(UnsupportedVerbException.class,
                    () -> domain.register(memory, WRITABLE.zeroBased()));
            assertTrue(refused.getMessage().contains(Capability.REGION_ADDRESS.name()), refused::getMessage);
        }
    }

    @ParameterizedTest
    @CsvSource({ "false, 1", "true, 193" })
    void shouldTellOfHugePagesOnlyWithPagingOnDemand(boolean onDemand, int bits) {
        StubDevice.pageOnDemand();
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            Set<Access> rights = onDemand ? Set.of(Access.LOCAL_WRITE, Access.HUGE_PAGES, Access.ON_DEMAND)
                    : Set.of(Access.LOCAL_WRITE, Access.HUGE_PAGES);
            domain.register(arena.allocate(PAGE), rights);
            assertEquals(bits, StubDevice.lastRegionAccess());
        }
    }

    @Test
    void shouldPrefetchWhatIsNotPinned() {
        StubDevice.pageOnDemand();
        try (Arena arena = Arena.ofShared(); Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            MemorySegment memory = arena.allocate(3 * PAGE);
            domain.register(memory, WRITABLE.withPrefetch());
            assertEquals(0, StubDevice.called("advise_mr"), "pinned memory is there");
            RegistrationAttributes onDemand = RegistrationAttributes.of(Access.LOCAL_WRITE, Access.ON_DEMAND);
            domain.register(memory, onDemand);
            assertEquals(0, StubDevice.called("advise_mr"), "nobody asked for it");
            domain.register(memory, onDemand.withPrefetch());
            assertEquals(3 * PAGE, StubDevice.advised());
            // It is a hint.
            StubDevice.fail("advise_mr", Libc.EOPNOTSUPP(), 0);
            domain.register(memory, onDemand.withPrefetch());
            assertEquals(4, StubDevice.live("mr"));
        }
    }

    /** Memory of a graphics card is where relaxed ordering gains most. */
    @Test
    void shouldKeepAllRightsOfADmaBuf() {
        StubDevice.takeDmaBufs();
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            domain.registerDmaBuf(7, 0, PAGE, Set.of(Access.LOCAL_WRITE, Access.RELAXED_ORDERING));
            assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.RELAXED_ORDERING, StubDevice.lastRegionAccess());
        }
    }

    @Test
    void shouldLeaveTheArenaFreeIfTheDeviceRefuses() {
        try (Verbs verbs = open()) {
            ProtectionDomain domain = verbs.device("stub0").allocateProtectionDomain();
            Arena arena = Arena.ofShared();
            MemorySegment memory = arena.allocate(PAGE, PAGE);
            StubDevice.fail("ibv_reg_mr_iova2", 0, Libc.ENOMEM());
            ResourceException refused = assertThrows(ResourceException.class, () -> domain.register(memory, WRITABLE.zeroBased()));
            assertTrue(refused.getMessage().contains("RLIMIT_MEMLOCK"), refused::getMessage);
            arena.close();
        }
    }
}
