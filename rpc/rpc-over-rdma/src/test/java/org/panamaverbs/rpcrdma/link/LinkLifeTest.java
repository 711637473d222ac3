package org.panamaverbs.rpcrdma.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.rpcrdma.endpoint.Link.Done;
import org.panamaverbs.rpcrdma.link.LinkLife.Stage;

class LinkLifeTest {
    private final LinkLife life = new LinkLife();

    @Test
    void shouldReachEachStageOnceAndNoneBefore() {
        for (Stage stage : Stage.values()) {
            assertEquals(stage != Stage.LIVE, life.reach(stage, null), stage::toString);
            for (Stage earlier : Stage.values()) {
                assertFalse(earlier.compareTo(stage) <= 0 && life.reach(earlier, "late"), earlier::toString);
            }
            assertEquals(stage, life.stage());
            assertEquals(stage.compareTo(Stage.ENDED) >= 0, life.hasEnded());
        }
        assertEquals(null, life.reason());
    }

    @Test
    void shouldKeepTheFirstReason() {
        assertTrue(life.reach(Stage.FAILED, new OutOfMemoryError("of a test")));
        assertFalse(life.reach(Stage.FAILED, "another"));
        assertTrue(life.reach(Stage.DISCONNECTED, "closed by this side"));
        assertEquals("a step of the connection failed: java.lang.OutOfMemoryError: of a test", life.reason());
    }

    @Test
    void shouldTakeTheReasonOfTheEndIfThereIsNoOther() {
        assertTrue(life.reach(Stage.CLOSING, null));
        assertTrue(life.reach(Stage.ENDED, "closed by the peer"));
        assertFalse(life.reach(Stage.DISCONNECTED, "closed by this side"));
        assertEquals("closed by the peer", life.reason());
    }

    @Test
    void shouldHaveCallersWaitUntilItIsDetached() {
        Done first = success -> {
            // Only its identity counts.
        };
        assertTrue(life.awaitDetached(first));
        life.reach(Stage.ENDED, "the end");
        Done second = success -> {
            // Likewise.
        };
        assertTrue(life.awaitDetached(second));
        assertEquals(List.of(first, second), life.detach());
        assertFalse(life.awaitDetached(first));
        assertEquals(List.of(), life.detach());
    }
}
