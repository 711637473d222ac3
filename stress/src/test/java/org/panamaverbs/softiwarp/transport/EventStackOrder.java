package org.panamaverbs.softiwarp.transport;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A handler that is told of an event sees what led to it, also where the event joins one that was not told yet. */
@JCStressTest
@Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the last call sees all")
@Outcome(expect = Expect.FORBIDDEN, desc = "an event is lost")
@State
public class EventStackOrder {
    private final EventStack stack = new EventStack();
    private final Registration registration = new Registration(events -> look());
    private int came;
    private int seen;

    private void look() {
        seen = came;
    }

    @Actor
    public void pushTwice() {
        came = 1;
        stack.push(registration, Multiplexer.READABLE);
        came = 2;
        stack.push(registration, Multiplexer.READABLE);
    }

    @Actor
    public void dispatch() {
        stack.dispatchAll();
    }

    @Arbiter
    public void judge(I_Result result) {
        stack.dispatchAll();
        result.r1 = seen;
    }
}
