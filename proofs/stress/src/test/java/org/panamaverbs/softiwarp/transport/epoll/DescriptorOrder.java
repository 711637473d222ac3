package org.panamaverbs.softiwarp.transport.epoll;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The thread that closes a descriptor sees all its uses. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "it is used, then closed")
@Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "it is closed unused")
@Outcome(expect = Expect.FORBIDDEN, desc = "it is not closed once, or while it is used")
@State
public class DescriptorOrder {
    private final Counted descriptor = new Counted();

    /** A descriptor that stands for no file, and counts how often it is closed. */
    private static final class Counted extends Descriptor {
        private int closes;
        private int uses;
        private int seen;

        Counted() {
            super(-1);
        }

        @Override
        protected void closeNow() {
            closes++;
            seen = uses;
        }
    }

    @Actor
    public void use(III_Result result) {
        if (descriptor.acquire()) {
            descriptor.uses++;
            descriptor.release();
            result.r2 = 1;
        }
    }

    @Actor
    public void close() {
        descriptor.close();
    }

    @Arbiter
    public void judge(III_Result result) {
        result.r1 = descriptor.closes;
        result.r3 = descriptor.seen;
    }
}
