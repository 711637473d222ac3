package org.panamaverbs.softiwarp.transport.shared;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Frames that go round the end of the ring twice: the reader gets all their bytes in order, and takes no old byte for a length. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "all bytes, in order")
@Outcome(expect = Expect.FORBIDDEN, desc = "other bytes")
@State
public class RingOrder {
    private static final int TOTAL = 96;
    private static final int TURNS = 8;

    private final SmallRing ring = new SmallRing();
    private final MemorySegment source = SmallRing.heap(TOTAL);
    private final MemorySegment target = SmallRing.heap(TOTAL);
    private long sent;
    private long received;
    private boolean broken;

    public RingOrder() {
        for (int i = 0; i < TOTAL; i++) {
            source.set(ValueLayout.JAVA_BYTE, i, (byte) (i + 1));
        }
    }

    private void send(long length) {
        long count = ring.writer.write(SmallRing.vector(source, sent, Math.min(length, TOTAL - sent)));
        broken |= count < 0;
        sent += Math.max(0, count);
    }

    private boolean receive(long length) {
        long count = ring.reader.read(SmallRing.vector(target, received, Math.min(length, TOTAL - received)));
        received += Math.max(0, count);
        return count >= 0;
    }

    @Actor
    public void write() {
        for (int i = 0; i < TURNS; i++) {
            send(5 + 3 * i);
        }
    }

    @Actor
    public void read(I_Result result) {
        for (int i = 0; i < TURNS; i++) {
            if (!receive(7 + 2 * i)) {
                result.r1 = -1;
            }
        }
    }

    @Arbiter
    public void judge(I_Result result) {
        for (int i = 0; i < TOTAL && received < TOTAL; i++) {
            send(TOTAL);
            broken |= !receive(TOTAL);
        }
        if (!broken && result.r1 == 0 && received == TOTAL && source.mismatch(target) < 0) {
            result.r1 = 1;
        }
    }
}
