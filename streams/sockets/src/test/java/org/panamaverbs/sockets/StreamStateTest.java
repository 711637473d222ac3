package org.panamaverbs.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.panamaverbs.sockets.StreamState.Event;

/** Every state with every event, and the reason of the end. */
class StreamStateTest {
    @ParameterizedTest
    @CsvSource({ "CONNECTING, CONNECTED, LEAVING, ENDED", "LEAVING, CLOSING, LEAVING, CLOSED", "CONNECTED, CONNECTED, CLOSING, ENDED",
            "CLOSING, CLOSING, CLOSING, CLOSED", "ENDED, ENDED, CLOSED, ENDED", "CLOSED, CLOSED, CLOSED, CLOSED" })
    void shouldFollowTheTable(StreamState state, StreamState connected, StreamState closed, StreamState ended) {
        assertSame(connected, state.after(Event.CONNECT));
        assertSame(closed, state.after(Event.CLOSE));
        assertSame(ended, state.after(Event.END));
    }

    @Test
    void shouldKeepTheFirstReason() {
        StreamLife life = new StreamLife();
        IOException reason = new IOException("the first");
        life.connect();
        assertNull(life.failure());
        assertTrue(life.end(reason));
        assertFalse(life.end(new IOException("the second")));
        assertTrue(life.close());
        assertFalse(life.close());
        assertSame(reason, life.failure());
        assertSame(StreamState.CLOSED, life.state());
    }

    @Test
    void shouldEndAStreamThatIsClosedBeforeItIsConnected() {
        StreamLife life = new StreamLife();
        assertTrue(life.end(StreamLife.CLOSED));
        assertTrue(life.close());
        life.connect();
        assertSame(StreamState.CLOSED, life.state());
        assertEquals("the stream was closed", life.failure().getMessage());
    }

    @Test
    void shouldStillConnectAStreamThatIsClosedWithBytes() {
        StreamLife life = new StreamLife();
        assertTrue(life.close());
        assertFalse(life.close());
        assertTrue(life.state().isDraining() && !life.state().hasEnded() && !life.state().isConnected());
        life.connect();
        assertTrue(life.state().isDraining() && life.state().isConnected());
        assertTrue(life.end(null));
        assertNull(life.failure());
    }

    @Test
    void shouldHaveNoFailureIfBothSidesWantedTheEnd() {
        StreamLife life = new StreamLife();
        life.connect();
        assertTrue(life.close());
        assertTrue(life.end(null));
        assertNull(life.failure());
    }
}
