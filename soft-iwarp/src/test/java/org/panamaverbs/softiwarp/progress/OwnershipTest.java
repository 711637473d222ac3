package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The table of {@link Ownership}. Concurrent calls of several threads are tested in {@code stress}. */
class OwnershipTest {
    private enum State {
        FREE, OWNED, KICKED
    }

    private static Ownership in(State state) {
        Ownership ownership = new Ownership();
        for (int kicks = state.ordinal(); kicks > 0; kicks--) {
            ownership.kick();
        }
        return ownership;
    }

    /** Finds out, and may change it. */
    private static State state(Ownership ownership) {
        if (ownership.release()) {
            return State.OWNED;
        }
        return ownership.kick() ? State.FREE : State.KICKED;
    }

    @Test
    void shouldBeOwnedByTheFirstThatKicks() {
        Ownership ownership = in(State.FREE);
        assertTrue(ownership.kick());
        assertEquals(State.OWNED, state(ownership));
    }

    @Test
    void shouldRememberAKick() {
        Ownership ownership = in(State.OWNED);
        assertFalse(ownership.kick());
        assertEquals(State.KICKED, state(ownership));
        ownership = in(State.KICKED);
        assertFalse(ownership.kick());
        assertEquals(State.KICKED, state(ownership));
    }

    @Test
    void shouldForgetTheKicksBeforeALook() {
        Ownership ownership = in(State.OWNED);
        ownership.begin();
        assertEquals(State.OWNED, state(ownership));
        ownership = in(State.KICKED);
        ownership.begin();
        assertEquals(State.OWNED, state(ownership));
    }

    @Test
    void shouldBeFreeOnlyIfThereWasNoKick() {
        Ownership ownership = in(State.OWNED);
        assertTrue(ownership.release());
        assertEquals(State.FREE, state(ownership));
        ownership = in(State.KICKED);
        assertFalse(ownership.release());
        assertEquals(State.KICKED, state(ownership));
    }

    @Test
    void shouldBeFreeWhateverWasKickedIfTheOwnerInsists() {
        Ownership ownership = in(State.OWNED);
        ownership.forceRelease();
        assertEquals(State.FREE, state(ownership));
        ownership = in(State.KICKED);
        ownership.forceRelease();
        assertEquals(State.FREE, state(ownership));
    }
}
