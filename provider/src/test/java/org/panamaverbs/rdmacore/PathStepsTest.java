package org.panamaverbs.rdmacore;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Verbs;

class PathStepsTest {
    private static Duration micros(double micros) {
        return Duration.ofNanos(Math.round(micros * 1000));
    }

    @Test
    void shouldNotWaitShorterForAnAcknowledgementThanAsked() {
        assertEquals(0, PathSteps.timeoutCode(Verbs.FOREVER));
        // Code 0 would be for ever.
        assertEquals(1, PathSteps.timeoutCode(micros(0.001)));
        assertEquals(1, PathSteps.timeoutCode(micros(8.192)));
        assertEquals(2, PathSteps.timeoutCode(micros(8.193)));
        assertEquals(14, PathSteps.timeoutCode(micros(4.096 * (1 << 14))));
        assertEquals(15, PathSteps.timeoutCode(micros(4.096 * (1 << 14) + 0.001)));
        assertEquals(31, PathSteps.timeoutCode(Duration.ofNanos(4096L << 31)));
    }

    /** The table of the InfiniBand specification, 9.7.5.2.8, as librdmacm's and the kernel's headers have it. */
    @Test
    void shouldNotWaitShorterForAReceiveThanAsked() {
        double[] millis = { 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56, 3.84, 5.12,
                7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52 };
        for (int i = 0; i < millis.length; i++) {
            assertEquals(i + 1, PathSteps.delayCode(micros(millis[i] * 1000)));
            assertEquals((i + 2) % 32, PathSteps.delayCode(micros(millis[i] * 1000).plusNanos(1)));
        }
        assertEquals(1, PathSteps.delayCode(Duration.ofNanos(1)));
        assertEquals(0, PathSteps.delayCode(micros(655_360)));
    }
}
