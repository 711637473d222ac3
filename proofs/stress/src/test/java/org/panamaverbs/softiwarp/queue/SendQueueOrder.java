package org.panamaverbs.softiwarp.queue;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.panamaverbs.CompletionStatus;

/** Two threads are done with one request each. One of them completes both requests, or each completes its own. */
@JCStressTest
@Outcome(id = "100, 101", expect = Expect.ACCEPTABLE, desc = "both complete in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "a request does not complete, or not in order")
@State
public class SendQueueOrder {
    private final Completed completed = new Completed(2);
    private final SendQueue queue = new SendQueue(2, 1, 0, null, true, completed.ring, Origin.of(7));

    public SendQueueOrder() {
        post(100);
        post(101);
    }

    private void post(long id) {
        long sequence = queue.claim(id);
        queue.describe(sequence, SendQueue.Operation.SEND, 0, 0, 0, 0);
        queue.publish(sequence);
    }

    private void complete(long sequence) {
        queue.done(sequence, CompletionStatus.SUCCESS, 0);
        queue.retireDone();
    }

    @Actor
    public void completeFirst() {
        complete(0);
    }

    @Actor
    public void completeSecond() {
        complete(1);
    }

    @Arbiter
    public void judge(II_Result result) {
        long[] ids = completed.poll(2);
        result.r1 = ids.length > 0 ? (int) ids[0] : 0;
        result.r2 = ids.length > 1 ? (int) ids[1] : 0;
    }
}
