package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;

class AccessFlagsTest {
    @Test
    void shouldHaveTheBitOfEachRight() throws ReflectiveOperationException {
        for (Access right : Access.values()) {
            int bit = AccessFlags.class.getField(right.name()).getInt(null);
            assertEquals(bit, AccessFlags.of(Set.of(right)), right::name);
            assertEquals(Set.of(right), AccessFlags.toSet(bit), right::name);
        }
    }

    @Test
    void shouldAddUpRights() {
        assertEquals(0, AccessFlags.of(Set.of()));
        assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ, AccessFlags.of(Set.of(Access.REMOTE_READ, Access.LOCAL_WRITE)));
        assertEquals(EnumSet.allOf(Access.class), AccessFlags.toSet(-1));
        assertEquals(Set.of(), AccessFlags.toSet(0));
    }

    @Test
    void shouldGiveSetsThatCannotBeChanged() {
        Set<Access> access = AccessFlags.toSet(AccessFlags.LOCAL_WRITE);
        assertThrows(UnsupportedOperationException.class, () -> access.add(Access.REMOTE_WRITE));
    }
}
