package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread arms the ring and then looks, another one adds and then looks whether it is armed: one of the two sees the other. */
@JCStressTest
@Outcome(id = { "0, 1", "1, 0", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "the completion is seen, or told")
@Outcome(expect = Expect.FORBIDDEN, desc = "a thread waits for what is there")
@State
public class CompletionRingOrder {
    private final Completed completed = new Completed(1);

    @Actor
    public void add() {
        completed.add(1, false);
    }

    @Actor
    public void armAndLook(II_Result result) {
        completed.ring.arm(false);
        result.r2 = completed.ring.isEmpty() ? 0 : 1;
    }

    @Arbiter
    public void judge(II_Result result) {
        result.r1 = completed.told.get();
    }
}
