package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.spi.CompletionBuffer;

class WrIdTableTest {
    private static final int GENERATIONS = 1 << 11;

    private final WrIdTable table = new WrIdTable();

    private record Handler(long tag) implements WorkCompletionHandler {
        @Override
        public boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
            throw new AssertionError("nothing is reported");
        }

        @Override
        public Object attachment(long completion) {
            throw new AssertionError("nothing is delivered");
        }
    }

    private Handler add() {
        Handler handler = new Handler(table.reserve());
        table.publish(handler);
        return handler;
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, 1, 0xFFFF_FFFFL, WrIdTable.SEND, WrIdTable.SEND | 0xFFFF_FFFFL })
    void shouldFindTheHandlerOfEachRequest(long request) {
        for (int i = 0; i < 100; i++) {
            Handler handler = add();
            assertSame(handler, table.find(handler.tag | request));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 2L << 33, 1L << 43, 1L << 44, 15L << 44, 16L << 44, 1L << 62 })
    void shouldFindNoHandlerOfANumberThatWasNeverGiven(long number) {
        Handler handler = add();
        assertNull(table.find(number));
        assertNull(table.find(handler.tag ^ 1L << 33), "another generation");
        assertNull(table.find(handler.tag ^ 1L << 44), "another place");
    }

    @Test
    void shouldFindNoHandlerBeforeItIsPublished() {
        assertNull(table.find(table.reserve()));
    }

    @Test
    void shouldFindNoHandlerThatIsGone() {
        Handler gone = add();
        table.remove(gone.tag);
        assertNull(table.find(gone.tag));
        Handler other = add();
        assertEquals(gone.tag >>> 44, other.tag >>> 44, "it has the place");
        assertNull(table.find(gone.tag));
        table.remove(gone.tag);
        assertSame(other, table.find(other.tag), "what is gone does not go twice");
    }

    /** The generations wrap around: then a tag is given again, but not to two handlers at a time. */
    @Test
    void shouldGiveNoTagTwiceInARowOfGenerations() {
        Set<Long> tags = new HashSet<>();
        for (int i = 0; i < GENERATIONS; i++) {
            Handler handler = add();
            assertTrue(tags.add(handler.tag));
            assertEquals(0, handler.tag & (1L << 33) - 1, "it leaves the lower bits to the sequence");
            table.remove(handler.tag);
        }
        Handler again = add();
        assertFalse(tags.add(again.tag));
        assertSame(again, table.find(again.tag));
        assertNotEquals(again.tag, add().tag);
    }
}
