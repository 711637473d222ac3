package org.panamaverbs.softiwarp.transport.memory;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.panamaverbs.softiwarp.memory.IoVector;

/** A writer takes its offer back while a reader takes it. Then the writer writes to its memory. */
@JCStressTest
@Outcome(id = "1, 1, 1", expect = Expect.ACCEPTABLE, desc = "the reader was first, and has the old byte")
@Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "the writer was first")
@Outcome(expect = Expect.FORBIDDEN, desc = "the reader touches memory that is the writer's own, or the two disagree")
@State
public class RendezvousOrder {
    private static final byte OLD = 1;
    private static final byte WRITERS_OWN = 2;

    private final Rendezvous rendezvous = new Rendezvous();
    private final byte[] source = { OLD };
    private final byte[] sink = new byte[1];

    public RendezvousOrder() {
        rendezvous.offer(vector(source));
    }

    private static IoVector vector(byte[] memory) {
        IoVector vector = new IoVector(1);
        vector.add(MemorySegment.ofArray(memory), 0, 1);
        return vector;
    }

    @Actor
    public void takeBack(III_Result result) {
        result.r1 = (int) rendezvous.revoke();
        source[0] = WRITERS_OWN;
    }

    @Actor
    public void take(III_Result result) {
        result.r2 = (int) rendezvous.take(vector(sink));
        result.r3 = sink[0];
    }
}
