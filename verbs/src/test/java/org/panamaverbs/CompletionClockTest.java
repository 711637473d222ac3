package org.panamaverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class CompletionClockTest {
    private static final long HZ = 156_250_000;

    @Test
    void shouldTellTheTimeBetweenTwoStamps() {
        CompletionClock clock = new CompletionClock(HZ, -1);
        assertEquals(Duration.ZERO, clock.between(7, 7));
        assertEquals(Duration.ofNanos(6), clock.between(7, 8));
        assertEquals(Duration.ofSeconds(1), clock.between(-HZ, 0));
        assertEquals(Duration.ofSeconds(59_029_581_035L, 870_565_164), clock.between(1, Long.MIN_VALUE));
        // All ticks but one, of which the nearest double has too few digits.
        assertEquals(Duration.ofNanos(999_999_999), new CompletionClock(1_000_000_000, -1).between(0, 999_999_999));
        assertEquals(Duration.ofNanos(999_999_999), new CompletionClock(999_999_999_999L, -1).between(0, 999_999_999_998L));
    }

    @Test
    void shouldKnowAClockThatStartsAgain() {
        CompletionClock clock = new CompletionClock(1000, 0xFFFF_FFFFL);
        assertEquals(Duration.ofMillis(3), clock.between(0xFFFF_FFFEL, 1));
    }

    @Test
    void shouldRefuseWhatIsNoClock() {
        assertThrows(IllegalArgumentException.class, () -> new CompletionClock(0, -1));
        assertThrows(IllegalArgumentException.class, () -> new CompletionClock(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new CompletionClock(1, 6));
    }
}
