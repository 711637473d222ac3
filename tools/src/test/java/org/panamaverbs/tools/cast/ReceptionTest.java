package org.panamaverbs.tools.cast;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ReceptionTest {
    private static final long MS = 1_000_000;
    private static final long IDLE = 10_000 * MS;

    private final Holes holes = new Holes(100);
    private final Reception datagrams = new Reception(holes, true, IDLE);
    private final Reception streams = new Reception(holes, false, IDLE);

    @Test
    void shouldWaitForTheFirstMessageForever() {
        assertFalse(datagrams.isOver(Long.MAX_VALUE));
    }

    @Test
    void shouldEndWithTheNotificationIfAllIsThere() {
        holes.fill(0, 100);
        streams.onPlaced(0);
        boolean before = streams.isOver(MS);
        streams.onNotification(MS);
        assertAll(() -> assertFalse(before), () -> assertTrue(streams.isOver(MS)));
    }

    @Test
    void shouldWaitForLateDatagrams200Ms() {
        datagrams.onNotification(0);
        datagrams.onPlaced(100 * MS);
        assertAll(() -> assertFalse(datagrams.isOver(299 * MS)), () -> assertTrue(datagrams.isOver(300 * MS)));
    }

    @Test
    void shouldWaitForAnotherStream() {
        streams.onNotification(0);
        assertAll(() -> assertFalse(streams.isOver(9_999 * MS)), () -> assertTrue(streams.isOver(IDLE)));
    }

    @Test
    void shouldEndAfterIdleWithoutTheNotification() {
        holes.fill(0, 100);
        datagrams.onPlaced(MS);
        assertAll(() -> assertFalse(datagrams.isOver(IDLE)), () -> assertTrue(datagrams.isOver(IDLE + MS)));
    }
}
