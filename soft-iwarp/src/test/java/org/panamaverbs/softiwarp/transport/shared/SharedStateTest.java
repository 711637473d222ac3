package org.panamaverbs.softiwarp.transport.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.transport.shared.SharedState.Event;

/** Every state with every event, and the reason of the end. */
class SharedStateTest {
    private final SharedLife life = new SharedLife();

    @ParameterizedTest
    @CsvSource({ "GREETING, OPEN, GREETING, GREETING, BROKEN, CLOSED", "OPEN, OPEN, LEFT, RESET, BROKEN, CLOSED",
            "LEFT, LEFT, LEFT, LEFT, BROKEN, CLOSED", "RESET, RESET, RESET, RESET, BROKEN, CLOSED",
            "BROKEN, BROKEN, BROKEN, BROKEN, BROKEN, CLOSED", "CLOSED, CLOSED, CLOSED, CLOSED, CLOSED, CLOSED" })
    void shouldFollowTheTable(SharedState state, SharedState greeted, SharedState left, SharedState reset, SharedState broken,
            SharedState closed) {
        assertSame(greeted, state.after(Event.GREET));
        assertSame(left, state.after(Event.LEAVE));
        assertSame(reset, state.after(Event.RESET));
        assertSame(broken, state.after(Event.BREAK));
        assertSame(closed, state.after(Event.CLOSE));
    }

    @ParameterizedTest
    @CsvSource({ "GREETING, false, false", "OPEN, true, false", "LEFT, true, true", "RESET, true, true", "BROKEN, false, false",
            "CLOSED, false, false" })
    void shouldSayWhetherThereAreRings(SharedState state, boolean rings, boolean left) {
        assertEquals(rings, state.hasRings());
        assertEquals(left, state.hasPeerLeft());
    }

    private void assertFailure(Class<? extends Exception> type, String words) {
        String message = assertInstanceOf(type, life.failure("connection a - b")).getMessage();
        assertTrue(message.startsWith("connection a - b") && message.contains(words), message);
    }

    @Test
    void shouldSayThatAPeerHasLeft() {
        assertTrue(life.change(Event.GREET, null));
        assertTrue(life.change(Event.LEAVE, null));
        assertFalse(life.change(Event.RESET, null), "the first end counts");
        assertFailure(SystemException.class, "EPIPE");
        assertEquals(Errno.EPIPE, ((SystemException) life.failure("")).errorNumber());
    }

    @Test
    void shouldSayThatAPeerHasLeftBytesUnread() {
        assertTrue(life.change(Event.GREET, null));
        assertTrue(life.change(Event.RESET, null));
        assertFalse(life.change(Event.LEAVE, null));
        assertEquals(Errno.ECONNRESET, ((SystemException) life.failure("")).errorNumber());
        assertTrue(life.change(Event.CLOSE, null));
        assertFailure(ClosedException.class, "was closed here");
    }

    @Test
    void shouldKeepTheFirstRuleThatThePeerBroke() {
        assertTrue(life.change(Event.BREAK, "the first"));
        assertFalse(life.change(Event.BREAK, "the second"));
        assertFalse(life.change(Event.GREET, null));
        assertTrue(life.change(Event.CLOSE, null));
        assertFailure(PeerException.class, "the peer broke the rules of shared memory: the first");
    }

    @Test
    void shouldBlameNobodyOnceItIsClosed() {
        assertTrue(life.change(Event.CLOSE, null));
        assertFalse(life.change(Event.CLOSE, null));
        assertFalse(life.change(Event.BREAK, "too late"));
        assertFailure(ClosedException.class, "was closed here");
    }
}
