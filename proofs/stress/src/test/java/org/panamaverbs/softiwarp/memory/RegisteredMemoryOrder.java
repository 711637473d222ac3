package org.panamaverbs.softiwarp.memory;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Memory that is retired holds all that other threads wrote to it, and does not change any more. */
@JCStressTest
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "a thread was inside before")
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "no thread came in")
@Outcome(expect = Expect.FORBIDDEN, desc = "the memory changes after it was retired")
@State
public class RegisteredMemoryOrder {
    private static final MemorySegment SEGMENT = MemorySegment.ofArray(new byte[8]);

    private final RegisteredMemory memory = new RegisteredMemory(SEGMENT, SEGMENT, 0);
    /** Stands for the memory. */
    private int content;

    @Actor
    public void use(II_Result result) {
        if (memory.enter()) {
            content = 1;
            memory.exit();
            result.r1 = 1;
        }
    }

    @Actor
    public void retire(II_Result result) {
        memory.retire();
        result.r2 = content;
    }
}
