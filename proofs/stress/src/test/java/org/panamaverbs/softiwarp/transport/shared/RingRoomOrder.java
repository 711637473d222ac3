package org.panamaverbs.softiwarp.transport.shared;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A writer waits for room while the reader takes all: the writer sees the room, or the reader wakes it, though it seldom says what it read. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "the writer waits, and nobody wakes it")
@Outcome(id = { "0, 0", "0, 1", "1, 1" }, expect = Expect.ACCEPTABLE, desc = "the writer has room")
@State
public class RingRoomOrder {
    private static final int MUCH = 64;

    private final SmallRing ring = new SmallRing();
    private final IoVector all = SmallRing.vector(SmallRing.heap(MUCH), 0, MUCH);

    public RingRoomOrder() {
        ring.writer.write(all);
    }

    @Actor
    public void await(II_Result result) {
        result.r1 = ring.writer.awaitRoom() ? 1 : 0;
    }

    @Actor
    public void read() {
        ring.reader.read(all);
    }

    @Arbiter
    public void judge(II_Result result) {
        result.r2 = ring.wakesOfWriter;
    }
}
