package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A thread polls, arms the ring again, looks and waits. Another producer may then still tell of a completion that is polled already. */
@JCStressTest
@Outcome(id = { "0, 1", "1, 0", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "the ring tells of the next one, or the thread sees one")
@Outcome(expect = Expect.FORBIDDEN, desc = "a thread waits though there is a completion")
@State
public class CompletionRingAgainOrder {
    private final Completed completed = new Completed(4);

    public CompletionRingAgainOrder() {
        completed.ring.arm(false);
    }

    @Actor
    public void addPollAndArm(II_Result result) {
        completed.add(1, false);
        completed.poll(4);
        int before = completed.told.get();
        completed.ring.arm(false);
        result.r2 = completed.ring.isEmpty() ? 0 : 1;
        result.r1 = -before;
    }

    @Actor
    public void add() {
        completed.add(2, false);
    }

    @Arbiter
    public void judge(II_Result result) {
        completed.add(3, false);
        result.r1 = Math.min(1, result.r1 + completed.told.get());
    }
}
