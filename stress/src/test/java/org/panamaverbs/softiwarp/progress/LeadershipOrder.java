package org.panamaverbs.softiwarp.progress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** What a leader leaves in the loop's fields, which are not volatile, the next one finds there. */
@JCStressTest
@Outcome(id = "2, 1", expect = Expect.ACCEPTABLE, desc = "each leads once, and knows it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a turn is lost, or a leader does not know itself")
@State
public class LeadershipOrder {
    private final Leadership leadership = new Leadership(null);
    private int turns;
    private boolean known = true;

    private void lead() {
        while (!leadership.tryLeadForAll()) {
            Thread.onSpinWait();
        }
        turns++;
        known &= leadership.isLeader();
        leadership.cede();
    }

    @Actor
    public void one() {
        lead();
    }

    @Actor
    public void other() {
        lead();
    }

    @Arbiter
    public void judge(II_Result result) {
        result.r1 = turns;
        result.r2 = known ? 1 : 0;
    }
}
