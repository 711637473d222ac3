package org.panamaverbs.softiwarp.transport.shared;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A reader goes to sleep while a frame comes: it sees the frame, or the writer wakes it. */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.FORBIDDEN, desc = "the reader sleeps, and nobody wakes it")
@Outcome(id = { "0, 1", "1, 0", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "the reader has the frame")
@State
public class RingSleeperOrder {
    private final SmallRing ring = new SmallRing();
    private final IoVector frame = SmallRing.vector(SmallRing.heap(Long.BYTES), 0, Long.BYTES);

    @Actor
    public void write() {
        ring.writer.write(frame);
    }

    @Actor
    public void sleep(II_Result result) {
        ring.reader.sleep();
        result.r2 = ring.reader.hasBytes() ? 1 : 0;
    }

    @Arbiter
    public void judge(II_Result result) {
        result.r1 = ring.wakesOfReader;
    }
}
