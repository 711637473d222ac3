package org.panamaverbs.softiwarp.progress;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** The next leader sees all that the last one wrote to the loop's fields, which are not volatile. */
@JCStressTest
@Outcome(id = "16, 1", expect = Expect.ACCEPTABLE, desc = "each leads 8 times, and knows it")
@Outcome(expect = Expect.FORBIDDEN, desc = "a turn is lost, or a leader does not know itself")
@State
public class LeadershipOrder {
    private static final int TURNS = 8;

    private final Leadership leadership = new Leadership(null);
    private int turns;
    private boolean known = true;

    private void lead() {
        for (int i = 0; i < TURNS; i++) {
            while (!leadership.tryLeadForAll()) {
                Thread.onSpinWait();
            }
            turns++;
            known &= leadership.isLeader();
            leadership.cede();
        }
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
