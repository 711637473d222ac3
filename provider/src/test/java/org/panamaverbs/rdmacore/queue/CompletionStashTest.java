package org.panamaverbs.rdmacore.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.spi.CompletionBuffer;
import org.panamaverbs.spi.Described;

/** Completions that wait. */
class CompletionStashTest {
    private final CompletionStash stash = new CompletionStash();

    @Test
    void shouldGiveThemInTheirOrderWithTheirTimes() {
        CompletionBuffer polled = new CompletionBuffer(3);
        for (int i = 0; i < 3; i++) {
            polled.memory().set(ValueLayout.JAVA_LONG, i * CompletionBuffer.SIZE + CompletionBuffer.ID, 70 + i);
            polled.timestamps().setAtIndex(ValueLayout.JAVA_LONG, i, 1000 + i);
            stash.add(KeptCompletion.copy(polled, i, "attachment " + i));
        }
        Completions into = Completions.allocate(2);
        Described.of(into).filled(stash.moveTo(Described.of(into)));
        for (int i = 0; i < 2; i++) {
            assertTrue(into.next());
            assertEquals(70 + i, into.id());
            assertEquals(1000 + i, into.timestamp());
            assertEquals("attachment " + i, into.attachment());
        }
        assertFalse(into.next());
        assertEquals(1, stash.size());
        Described.of(into).filled(stash.moveTo(Described.of(into)));
        assertTrue(into.next());
        assertEquals(72, into.id());
        assertTrue(stash.isEmpty());
    }

    @Test
    void shouldTakeAllOfAnotherOne() {
        CompletionStash late = new CompletionStash();
        stash.add(KeptCompletion.flushed(1, true, 9, null));
        late.add(KeptCompletion.flushed(2, true, 9, null));
        stash.addAll(late);
        assertTrue(late.isEmpty());
        Completions into = Completions.allocate(2);
        Described.of(into).filled(stash.moveTo(Described.of(into)));
        for (int id = 1; id <= 2; id++) {
            assertTrue(into.next());
            assertEquals(id, into.id());
            assertEquals(CompletionStatus.FLUSHED, into.status());
            assertEquals(9, into.queuePairNumber());
        }
    }
}
