package org.panamaverbs.rdmacore.cm;

import java.time.Duration;

/** A time-out as verbs say it ({@code ibv_qp_attr.timeout}): 4.096 µs times 2 to the power of a number of five bits, of which 0 means none. */
final class AcknowledgementTimeout {
    private static final long UNIT_NANOS = 4096;
    private static final int MOST = 31;

    private AcknowledgementTimeout() {
    }

    /** The power of the least time-out that is no shorter. */
    static int exponent(Duration timeout) {
        long nanos = timeout.toNanos();
        int exponent = 1;
        while (exponent < MOST && UNIT_NANOS << exponent < nanos) {
            exponent++;
        }
        return exponent;
    }
}
