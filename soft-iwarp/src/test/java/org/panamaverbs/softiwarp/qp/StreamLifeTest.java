package org.panamaverbs.softiwarp.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.wire.TerminateCode;

class StreamLifeTest {
    private final StreamLife life = new StreamLife();

    @Test
    void shouldHaveNoReasonBeforeTheEnd() {
        assertNull(life.reason());
        assertTrue(life.move(StreamState.Event.CONNECT, null));
        assertTrue(life.move(StreamState.Event.DISCONNECT, EndReason.ORDERLY));
        assertEquals(StreamState.CLOSING, life.state());
        assertNull(life.reason(), "the requests posted before the disconnect are still sent");
    }

    @Test
    void shouldKeepTheFirstReason() {
        life.move(StreamState.Event.CONNECT, null);
        EndReason first = EndReason.localError(TerminateCode.MPA_CRC);
        assertTrue(life.move(StreamState.Event.LOCAL_ERROR, first));
        assertFalse(life.lose(EndReason.defect(new OutOfMemoryError())));
        assertTrue(life.move(StreamState.Event.FINISHED, EndReason.ORDERLY));
        assertEquals(StreamState.CLOSED, life.state());
        assertSame(first, life.reason());
    }

    /** Two threads end the stream at once: one of them wins, and the state and the reason are of the same one. */
    @Test
    void shouldKeepStateAndReasonTogether() throws InterruptedException {
        for (int round = 0; round < 2000; round++) {
            StreamLife both = new StreamLife();
            both.move(StreamState.Event.CONNECT, null);
            CountDownLatch ready = new CountDownLatch(1);
            AtomicInteger wins = new AtomicInteger();
            Thread other = Thread.ofPlatform().start(() -> {
                ready.countDown();
                if (both.lose(EndReason.CUT_SHORT)) {
                    wins.incrementAndGet();
                }
            });
            ready.await();
            if (both.move(StreamState.Event.END_OF_STREAM, EndReason.ORDERLY)) {
                wins.incrementAndGet();
            }
            other.join();
            assertEquals(1, wins.get());
            assertEquals(both.state() == StreamState.ENDING, both.reason() == EndReason.ORDERLY);
        }
    }
}
