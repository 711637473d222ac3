package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.panamaverbs.softiwarp.memory.Fields;

/** A thread writes a request by a release, as the send queue writes its doorbell, and kicks. The owner sees it without a further fence. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE, desc = "all three are sent")
@Outcome(expect = Expect.FORBIDDEN, desc = "a kick is lost: nobody transmits")
@State
public class OwnershipOrder {
    private static final VarHandle ONES = Fields.of(MethodHandles.lookup(), "ones", int.class);
    private static final VarHandle OTHERS = Fields.of(MethodHandles.lookup(), "others", int.class);

    private final Ownership ownership = new Ownership();
    /** How many requests each of two threads has posted. */
    @SuppressWarnings("unused") // by the handles
    private int ones;
    @SuppressWarnings("unused") // by the handles
    private int others;
    private int sent;

    /** As the driver of a stream does. */
    private void kick() {
        if (!ownership.kick()) {
            return;
        }
        sent = posted();
        while (!ownership.release()) {
            ownership.begin();
            sent = posted();
        }
    }

    private int posted() {
        return (int) ONES.getAcquire(this) + (int) OTHERS.getAcquire(this);
    }

    @Actor
    public void postOne() {
        ONES.setRelease(this, 1);
        kick();
    }

    @Actor
    public void postTwo() {
        OTHERS.setRelease(this, 1);
        kick();
        OTHERS.setRelease(this, 2);
        kick();
    }

    @Arbiter
    public void judge(I_Result result) {
        result.r1 = sent;
    }
}
