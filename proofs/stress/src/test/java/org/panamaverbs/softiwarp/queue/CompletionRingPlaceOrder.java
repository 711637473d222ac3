package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The one place of a ring is written again as soon as it was polled, and polled as soon as it is written. */
@JCStressTest
@Outcome(id = "1, 2, 1", expect = Expect.ACCEPTABLE, desc = "both are polled")
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "the second one finds no room")
@Outcome(expect = Expect.FORBIDDEN, desc = "a completion is polled before it is written, or overwritten before it is polled")
@State
public class CompletionRingPlaceOrder {
    private final Completed completed = new Completed(1);
    private int later;

    public CompletionRingPlaceOrder() {
        completed.add(1, false);
    }

    private int poll() {
        long[] ids = completed.poll(1);
        return ids.length == 0 ? 0 : (int) ids[0];
    }

    @Actor
    public void add(III_Result result) {
        result.r3 = completed.add(2, false) ? 1 : 0;
    }

    @Actor
    public void pollTwice(III_Result result) {
        result.r1 = poll();
        later = poll();
    }

    @Arbiter
    public void judge(III_Result result) {
        result.r2 = later + poll();
    }
}
