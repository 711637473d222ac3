package org.panamaverbs.rdmacore.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class LockedMemoryTest {
    private static final List<String> ROOT = List.of("VmLck:\t       0 kB", "VmPin:\t      12 kB", "CapEff:\t000001ffffffffff");
    private static final List<String> USER = List.of("CapEff:\t0000000000000000");
    private static final List<String> ALL_BUT_LOCKING = List.of("CapEff:\t000001ffffffbfff");
    private static final List<String> FIRST_NAMESPACE = List.of("         0          0 4294967295");

    @Test
    void shouldReadWhatTheProcessHasPinned() {
        assertEquals(OptionalLong.of(12 << 10), LockedMemory.pinned(ROOT));
        assertEquals(OptionalLong.empty(), LockedMemory.pinned(List.of()));
    }

    @Test
    void shouldKnowWhomNoLimitConcerns() {
        assertTrue(LockedMemory.isPrivileged(ROOT, FIRST_NAMESPACE));
        assertFalse(LockedMemory.isPrivileged(USER, FIRST_NAMESPACE));
        assertFalse(LockedMemory.isPrivileged(ALL_BUT_LOCKING, FIRST_NAMESPACE));
        assertFalse(LockedMemory.isPrivileged(ROOT, List.of("         0       1000          1")),
                "root of a container with users of its own");
        assertFalse(LockedMemory.isPrivileged(List.of(), List.of()));
    }
}
