package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.panamaverbs.softiwarp.memory.SgeCursor;

/** A thread sets the limit while another one takes the last receive: exactly one of the two tells that there are too few. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "it is told once")
@Outcome(expect = Expect.FORBIDDEN, desc = "a program is not told, or is told twice")
@State
public class SharedReceiveRingOrder {
    private final SharedReceiveRing ring = new SharedReceiveRing(1, 1, this::count);
    private final Receives receives = ring.forStream(null, Origin.of(7));
    private final SgeCursor parts = new SgeCursor();
    /** Not atomic: a correct ring calls the listener once. */
    private int told;

    public SharedReceiveRingOrder() {
        ring.publish(ring.claim(1));
    }

    private void count() {
        told++;
    }

    @Actor
    public void take() {
        receives.take(parts);
    }

    @Actor
    public void arm() {
        ring.armLimit(1);
    }

    @Arbiter
    public void judge(I_Result result) {
        result.r1 = told;
    }
}
