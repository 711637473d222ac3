package org.panamaverbs.softiwarp.transport;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A handler sees all that was written before the push of its event, even if that event joins one that waits already. */
@JCStressTest
@Outcome(id = "8", expect = Expect.ACCEPTABLE, desc = "the last call sees all")
@Outcome(expect = Expect.FORBIDDEN, desc = "an event is lost")
@State
public class EventStackOrder {
    private static final int EVENTS = 8;

    private final EventStack stack = new EventStack();
    private final Registration registration = new Registration(events -> look());
    private int came;
    private int seen;

    private void look() {
        seen = came;
    }

    @Actor
    public void push() {
        for (int i = 1; i <= EVENTS; i++) {
            came = i;
            stack.push(registration, Multiplexer.READABLE);
        }
    }

    @Actor
    public void dispatch() {
        for (int i = 0; i < EVENTS; i++) {
            stack.dispatchAll();
        }
    }

    @Arbiter
    public void judge(I_Result result) {
        stack.dispatchAll();
        result.r1 = seen;
    }
}
