package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** The sources that the table remembers, and those that it forgets. */
class SourceTableTest {
    private static final int LENGTH = 28;

    private final MemorySegment source = Arena.ofAuto().allocate(40);

    private boolean accepts(SourceTable table, int number, int sequence) {
        source.set(ValueLayout.JAVA_INT, 4, number);
        return table.accepts(source, 0, LENGTH, sequence);
    }

    private void deliver(SourceTable table, int number, int sequence) {
        assertTrue(accepts(table, number, sequence));
        table.onDelivered();
    }

    @Test
    void shouldRememberAsManySourcesAsSendRegularly() {
        SourceTable table = new SourceTable(1024, 7);
        for (int source = 0; source < 200; source++) {
            deliver(table, source, 10);
        }
        for (int source = 0; source < 200; source++) {
            assertFalse(accepts(table, source, 10), "source " + source);
        }
    }

    @Test
    void shouldForgetTheSourceThatWasSilentForTheLongestTime() {
        SourceTable one = new SourceTable(8, 7);
        for (int source = 0; source < 8; source++) {
            deliver(one, source, 10);
        }
        // All share a set. The first of them is heard of again, so the second is the oldest.
        assertFalse(accepts(one, 0, 10));
        deliver(one, 8, 10);
        assertFalse(accepts(one, 0, 10));
        assertFalse(accepts(one, 8, 10));
        assertTrue(accepts(one, 1, 10), "forgotten");
        assertFalse(accepts(one, 2, 10));
    }

    @Test
    void shouldNotForgetASourceForThoseThatNothingIsDeliveredFrom() {
        SourceTable one = new SourceTable(8, 7);
        deliver(one, -1, 10);
        for (int source = 0; source < 100_000; source++) {
            assertTrue(accepts(one, source, 10));
        }
        assertFalse(accepts(one, -1, 10));
    }

    @Test
    void shouldKeepAnActiveSourceAgainstMadeUpOnes() {
        SourceTable table = new SourceTable(1024, 7);
        deliver(table, -1, 0);
        for (int source = 0; source < 100_000; source++) {
            deliver(table, source, 10);
            if (source % 50 == 0) {
                assertFalse(accepts(table, -1, 0), "after " + source);
            }
        }
    }

    @Test
    void shouldTellSourcesApartByEveryByteAndByTheirLength() {
        SourceTable table = new SourceTable(1024, 7);
        source.fill((byte) 0);
        assertTrue(table.accepts(source, 0, LENGTH, 10));
        table.onDelivered();
        for (int i = 0; i < LENGTH; i++) {
            source.set(ValueLayout.JAVA_BYTE, i, (byte) 1);
            assertTrue(table.accepts(source, 0, LENGTH, 10), "byte " + i);
            source.set(ValueLayout.JAVA_BYTE, i, (byte) 0);
        }
        assertTrue(table.accepts(source, 0, LENGTH - 1, 10));
        assertTrue(table.accepts(source, 0, 0, 10));
        assertFalse(table.accepts(source, 1, LENGTH, 10), "only the bytes count");
    }

    @Test
    void shouldTakeAddressesOfAnyLength() {
        SourceTable table = new SourceTable(64, 7);
        for (int length = 0; length <= 40; length++) {
            boolean longest = length > SourceTable.MOST_BYTES;
            assertEquals(!longest, table.accepts(source, 0, length, 10), "the bytes beyond the 32nd do not count");
            table.onDelivered();
            assertFalse(table.accepts(source, 0, length, 10));
        }
    }
}
