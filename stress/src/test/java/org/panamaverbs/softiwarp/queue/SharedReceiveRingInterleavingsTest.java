package org.panamaverbs.softiwarp.queue;

import static org.panamaverbs.softiwarp.Interleavings.require;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.Interleavings;
import org.panamaverbs.softiwarp.memory.SgeCursor;

class SharedReceiveRingInterleavingsTest {
    /** A ring with two receives, armed so that the first one taken makes it tell. */
    private static final class Armed {
        private final AtomicInteger told = new AtomicInteger();
        private final SharedReceiveRing ring = new SharedReceiveRing(2, 1, told::incrementAndGet);
        private final Receives receives = ring.forStream(null, 7);

        Armed() {
            for (int id = 0; id < 2; id++) {
                ring.publish(ring.claim(id));
            }
            ring.armLimit(2);
        }

        void take() {
            require(receives.take(new SgeCursor()), "there is none to take");
        }

        void armAgain() {
            ring.armLimit(1);
        }

        void requireLast() {
            int before = told.get();
            take();
            require(told.get() == before + 1, "the second limit is forgotten");
        }
    }

    @Test
    void shouldNotForgetALimitThatIsSetWhileTheOneBeforeIsReached() {
        Interleavings.of(Armed::new).thread(Armed::take).thread(Armed::armAgain).check(Armed::requireLast);
    }
}
