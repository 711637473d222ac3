package org.panamaverbs.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;

class AccessFlagsTest {
    @Test
    void shouldHaveTheBitOfEachRight() throws ReflectiveOperationException {
        for (Access right : Access.values()) {
            int bit = AccessFlags.class.getField(right.name()).getInt(null);
            assertEquals(bit, AccessFlags.of(Set.of(right)), right::name);
        }
    }

    @Test
    void shouldAddUpRights() {
        assertEquals(0, AccessFlags.of(Set.of()));
        assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_READ, AccessFlags.of(Set.of(Access.REMOTE_READ, Access.LOCAL_WRITE)));
        assertEquals(AccessFlags.LOCAL_WRITE | AccessFlags.ON_DEMAND, AccessFlags.of(Access.ON_DEMAND, Access.LOCAL_WRITE));
    }
}
