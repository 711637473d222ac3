package org.panamaverbs.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.netty.ChannelState.Event;

/** Every state with every event. */
class ChannelStateTest {
    @ParameterizedTest
    @CsvSource({ "NEW, CONNECTING, ACCEPTING, NEW, NEW", "CONNECTING, CONNECTING, CONNECTING, ACTIVE, FAILED",
            "ACCEPTING, ACCEPTING, ACCEPTING, ACTIVE, FAILED", "ACTIVE, ACTIVE, ACTIVE, ACTIVE, ACTIVE",
            "FAILED, FAILED, FAILED, FAILED, FAILED", "CLOSED, CLOSED, CLOSED, CLOSED, CLOSED" })
    void shouldFollowTheTable(ChannelState state, ChannelState connected, ChannelState accepted, ChannelState established,
            ChannelState failed) {
        assertSame(connected, state.after(Event.CONNECT));
        assertSame(accepted, state.after(Event.ACCEPT));
        assertSame(established, state.after(Event.ESTABLISH));
        assertSame(failed, state.after(Event.FAIL));
        assertSame(ChannelState.CLOSED, state.after(Event.CLOSE));
    }

    @ParameterizedTest
    @CsvSource({ "NEW, false", "CONNECTING, true", "ACCEPTING, true", "ACTIVE, false", "FAILED, false", "CLOSED, false" })
    void shouldBePendingWhileAPromiseWaits(ChannelState state, boolean isPending) {
        assertEquals(isPending, state.isPending());
    }
}
