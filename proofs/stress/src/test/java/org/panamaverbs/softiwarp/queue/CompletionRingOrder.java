package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread arms the ring, then looks for a completion. Another one adds it, then looks whether the ring is armed. One sees the other. */
@JCStressTest
@Outcome(id = { "0, 1", "1, 0", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "the thread sees the completion, or is told")
@Outcome(expect = Expect.FORBIDDEN, desc = "a thread waits though there is a completion")
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
