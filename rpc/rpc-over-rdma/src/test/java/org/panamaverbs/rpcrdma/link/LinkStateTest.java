package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.rpcrdma.link.LinkState.Event;

/** Every state with every event, and the reason of the end. */
class LinkStateTest {
    private final LinkLife life = new LinkLife();

    @ParameterizedTest
    @CsvSource({ "LIVE, FAILED, CLOSING, LIVE, ENDED, LIVE, LIVE", "FAILED, FAILED, CLOSING, FAILED, ENDED, FAILED, FAILED",
            "CLOSING, CLOSING, CLOSING, DISCONNECTED, ENDED, CLOSING, CLOSING",
            "DISCONNECTED, DISCONNECTED, DISCONNECTED, DISCONNECTED, ENDED, DISCONNECTED, DISCONNECTED",
            "ENDED, ENDED, ENDED, ENDED, ENDED, DETACHED, ENDED", "DETACHED, DETACHED, DETACHED, DETACHED, DETACHED, DETACHED, RELEASED",
            "RELEASED, RELEASED, RELEASED, RELEASED, RELEASED, RELEASED, RELEASED" })
    void shouldFollowTheTable(LinkState state, LinkState failed, LinkState closed, LinkState disconnected, LinkState ended,
            LinkState detached, LinkState released) {
        assertSame(failed, state.after(Event.FAIL));
        assertSame(closed, state.after(Event.CLOSE));
        assertSame(disconnected, state.after(Event.DISCONNECT));
        assertSame(ended, state.after(Event.END));
        assertSame(detached, state.after(Event.DETACH));
        assertSame(released, state.after(Event.RELEASE));
    }

    @Test
    void shouldSayWhetherItHasEndedAndIsDetached() {
        for (LinkState state : LinkState.values()) {
            assertEquals(state.compareTo(LinkState.ENDED) >= 0, state.hasEnded(), state::toString);
            assertEquals(state.compareTo(LinkState.DETACHED) >= 0, state.isDetached(), state::toString);
        }
    }

    @Test
    void shouldGoEachStepOnce() {
        for (Event event : new Event[] { Event.FAIL, Event.CLOSE, Event.DISCONNECT, Event.END, Event.DETACH, Event.RELEASE }) {
            assertTrue(life.change(event, null), event::toString);
            assertFalse(life.change(event, "late"), event::toString);
        }
        assertSame(LinkState.RELEASED, life.state());
        assertNull(life.reason());
    }

    @Test
    void shouldKeepTheFirstReason() {
        assertTrue(life.change(Event.FAIL, new OutOfMemoryError("of a test")));
        assertFalse(life.change(Event.FAIL, "another"));
        assertTrue(life.change(Event.CLOSE, null));
        assertTrue(life.change(Event.DISCONNECT, "closed by this side"));
        assertEquals("a step of the connection failed: java.lang.OutOfMemoryError: of a test", life.reason());
        assertNull(life.endReason());
    }

    @Test
    void shouldTakeTheReasonOfTheEndIfThereIsNoOther() {
        assertTrue(life.change(Event.CLOSE, null));
        assertTrue(life.change(Event.END, "closed by the peer"));
        assertFalse(life.change(Event.DISCONNECT, "closed by this side"));
        assertEquals("closed by the peer", life.reason());
        assertEquals("closed by the peer", life.endReason());
    }
}
