package org.panamaverbs.rdmacore.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Verbs;

class TimerCodesTest {
    private static Duration micros(double micros) {
        return Duration.ofNanos(Math.round(micros * 1000));
    }

    @Test
    void shouldNotWaitShorterForAnAcknowledgementThanAsked() {
        assertEquals(0, TimerCodes.ofTimeout(Verbs.FOREVER));
        // Code 0 would be for ever.
        assertEquals(1, TimerCodes.ofTimeout(micros(0.001)));
        assertEquals(1, TimerCodes.ofTimeout(micros(8.192)));
        assertEquals(2, TimerCodes.ofTimeout(micros(8.193)));
        assertEquals(14, TimerCodes.ofTimeout(micros(4.096 * (1 << 14))));
        assertEquals(15, TimerCodes.ofTimeout(micros(4.096 * (1 << 14) + 0.001)));
        assertEquals(31, TimerCodes.ofTimeout(Duration.ofNanos(4096L << 31)));
        for (int code = 0; code <= TimerCodes.LAST; code++) {
            assertEquals(code, TimerCodes.ofTimeout(TimerCodes.timeout(code)));
            assertEquals(code, TimerCodes.ofDelay(TimerCodes.delay(code)));
        }
    }

    /** The table of the InfiniBand specification, 9.7.5.2.8, as librdmacm's and the kernel's headers have it. */
    @Test
    void shouldNotWaitShorterForAReceiveThanAsked() {
        double[] millis = { 0.01, 0.02, 0.03, 0.04, 0.06, 0.08, 0.12, 0.16, 0.24, 0.32, 0.48, 0.64, 0.96, 1.28, 1.92, 2.56, 3.84, 5.12,
                7.68, 10.24, 15.36, 20.48, 30.72, 40.96, 61.44, 81.92, 122.88, 163.84, 245.76, 327.68, 491.52 };
        for (int i = 0; i < millis.length; i++) {
            assertEquals(i + 1, TimerCodes.ofDelay(micros(millis[i] * 1000)));
            assertEquals((i + 2) % 32, TimerCodes.ofDelay(micros(millis[i] * 1000).plusNanos(1)));
        }
        assertEquals(1, TimerCodes.ofDelay(Duration.ofNanos(1)));
        assertEquals(0, TimerCodes.ofDelay(micros(655_360)));
    }
}
