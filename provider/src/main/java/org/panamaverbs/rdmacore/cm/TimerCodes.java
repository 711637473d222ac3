package org.panamaverbs.rdmacore.cm;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionParameters;

/** The timers of a queue pair as verbs say them, in numbers of five bits. */
public final class TimerCodes {
    /** The greatest number. */
    public static final int LAST = 31;

    private static final long TIMEOUT_UNIT = 4096;
    /** The times of the codes from 1 on in units of 10 us (InfiniBand specification, 9.7.5.2.8); code 0 is 655.36 ms. */
    private static final int[] DELAYS = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
            3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152 };
    private static final long DELAY_UNIT = TimeUnit.MICROSECONDS.toNanos(10);

    private TimerCodes() {
    }

    /** The code of the least acknowledgement time-out that is not shorter: 4.096 us * 2^code; 0 is for ever, so that 1 is the least. */
    public static int ofTimeout(Duration timeout) {
        if (timeout.equals(Verbs.FOREVER)) {
            return 0;
        }
        int code = 1;
        while (code < LAST && TIMEOUT_UNIT << code < timeout.toNanos()) {
            code++;
        }
        return code;
    }

    /** The acknowledgement time-out of a code from 0 to {@link #LAST}. */
    public static Duration timeout(int code) {
        return code == 0 ? Verbs.FOREVER : Duration.ofNanos(TIMEOUT_UNIT << code);
    }

    /** The code of the least RNR delay that is not shorter. */
    public static int ofDelay(Duration delay) {
        for (int i = 0; i < DELAYS.length; i++) {
            if (DELAYS[i] * DELAY_UNIT >= delay.toNanos()) {
                return i + 1;
            }
        }
        return 0;
    }

    /** The RNR delay of a code from 0 to {@link #LAST}. */
    public static Duration delay(int code) {
        return code == 0 ? ConnectionParameters.LONGEST_RECEIVER_NOT_READY_DELAY : Duration.ofNanos(DELAYS[code - 1] * DELAY_UNIT);
    }
}
