package org.panamaverbs.tools.perf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A warm-up in parts of a second, of which the test says how long the compilers worked in them. */
class WarmUpTest {
    private static final long SECOND = 1_000_000_000;

    private static Tally compiled(long millis) {
        return new Tally(0, 0, 0, 0, 0, 0, millis, 0, 0);
    }

    /** Runs its parts; {@code near} and {@code far} are the compilers' milliseconds in each, until they are used up. */
    private static WarmUp run(WarmUp warmUp, String near, String far) {
        long nearMillis = 0;
        long farMillis = 0;
        String[] nears = near.split(" ");
        String[] fars = far.split(" ");
        warmUp.begin(5);
        for (int i = 0; i < nears.length && !warmUp.isOver() || i == 0; i++) {
            nearMillis += Long.parseLong(nears[i]);
            farMillis += Long.parseLong(fars[i]);
            warmUp.onPart(5 + (i + 1) * SECOND, SECOND, 100 + i, i, compiled(nearMillis), compiled(farMillis));
        }
        return warmUp;
    }

    /** 20 ms are 2 % of a second. */
    @ParameterizedTest
    @CsvSource({ "900 500 20 20 20, 800 10 10 10 10, 4", "900 500 20 21 20 20, 800 10 10 10 10 10, 6",
            "900 0 0 0 0 0, 800 300 300 0 0 0, 5", "0 0 0, 0 0 0, 3" })
    void shouldEndWhenTheCompilersOfBothEndsAreQuiet(String near, String far, double seconds) {
        WarmUp warmUp = run(WarmUp.parse("60"), near, far);
        assertAll(() -> assertTrue(warmUp.isOver()), () -> assertTrue(warmUp.isSteady()), () -> assertEquals(seconds, warmUp.seconds()),
                () -> assertEquals(seconds, warmUp.rates().size()));
    }

    @Test
    void shouldEndAtItsLimit() {
        WarmUp warmUp = run(WarmUp.parse("4"), "900 900 900 900 900", "0 0 0 0 0");
        assertAll(() -> assertTrue(warmUp.isOver()), () -> assertFalse(warmUp.isSteady()), () -> assertEquals(4, warmUp.seconds()),
                () -> assertEquals(3.6, warmUp.compilerSeconds()), () -> assertEquals(List.of(100.0, 101.0, 102.0, 103.0), warmUp.rates()),
                () -> assertEquals(List.of(0.0, 1.0, 2.0, 3.0), warmUp.medians()));
    }

    @Test
    void shouldNotEndBeforeItsShortestTime() {
        assertEquals(7, run(WarmUp.parse("7-60"), "0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0").seconds());
    }

    @Test
    void shouldHaveOnePartWithoutTime() {
        WarmUp warmUp = WarmUp.parse("0");
        assertEquals(0, warmUp.partNanos());
        assertTrue(run(warmUp, "0", "0").isOver());
    }

    @Test
    void shouldTakeATenthBeforeAFurtherSize() {
        WarmUp first = run(WarmUp.parse("60"), "0 0 0 0 0", "0 0 0 0 0");
        WarmUp again = first.again();
        assertEquals(3 * SECOND / 10 / 4, again.partNanos());
        // The measurement between them was quiet, too.
        again.begin(10 * SECOND);
        again.onPart(10 * SECOND + 3 * SECOND / 10, 3 * SECOND / 10, 1, 1, compiled(0), compiled(0));
        assertTrue(again.isOver() && again.isSteady());
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-", "1-", "-1", "2-1", "1-2-3", "NaN", "1e3", "3601", "1s" })
    void shouldRefuseWhatIsNoTime(String text) {
        assertTrue(assertThrows(IllegalArgumentException.class, () -> WarmUp.parse(text)).getMessage().endsWith("not " + text));
    }
}
