package org.panamaverbs.softiwarp.ddp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.conformance.Requirement;

/** RFC 5041, 4.3 and 5.3: the MSN counts messages modulo 2^32, so 0 follows 0xFFFFFFFF. */
class MessageSequenceTest {
    private static final int FIRST = -2;
    private static final int MESSAGES = 5;

    private final MemorySegment headers = Arena.ofAuto().allocate(Ddp.UNTAGGED_SIZE);
    private final List<Integer> sent = new ArrayList<>();
    private final List<Integer> delivered = new ArrayList<>();

    /** Takes each segment as soon as it is whole. */
    private final class Wire implements LowerLayer {
        private final DdpReceiver receiver = new DdpReceiver(new Program(), 1, FIRST);

        @Override
        public int mulpdu() {
            return 128;
        }

        @Override
        public long beginSegment(int headerSize, int payload, SgeCursor source, boolean stable) {
            return 0;
        }

        @Override
        public MemorySegment headers() {
            return headers;
        }

        @Override
        public boolean endSegment(SgeCursor source) {
            sent.add(Ddp.messageSequence(headers, 0));
            assertEquals(TerminateCode.NONE, receiver.onHeader(headers, 0, 0));
            assertEquals(TerminateCode.NONE, receiver.onVerified());
            return true;
        }
    }

    private final class Program implements UpperLayer {
        @Override
        public boolean hasLocalPlace(int ulp) {
            return false;
        }

        @Override
        public boolean ownsBuffers(int queue) {
            return true;
        }

        @Override
        public int onTagged(int ulp, boolean last, int stag, long offset, int length, SgeCursor target) {
            throw new AssertionError("nothing is tagged");
        }

        @Override
        public int onUntagged(int queue, int ulp, SgeCursor target) {
            return TerminateCode.NONE;
        }

        @Override
        public int onChanged(int ulp) {
            throw new AssertionError("no message has two segments");
        }

        @Override
        public void onTooLong(int queue) {
            throw new AssertionError("no message has bytes");
        }

        @Override
        public int deliverTagged(int ulp, boolean last, int length) {
            throw new AssertionError("nothing is tagged");
        }

        @Override
        public int deliverUntagged(int queue, int ulp, int word, long length) {
            delivered.add(word);
            return TerminateCode.NONE;
        }

        @Override
        public int onBadTaggedMemory(int ulp) {
            throw new AssertionError("no message has memory");
        }

        @Override
        public int onBadUntaggedMemory(int queue) {
            throw new AssertionError("no message has memory");
        }
    }

    @Test
    @Requirement("RFC5041-4.3-h,j")
    void shouldCountOnBeyondTheLargestNumber() {
        DdpTransmitter transmitter = new DdpTransmitter(new Wire(), 1, FIRST);
        for (int i = 0; i < MESSAGES; i++) {
            transmitter.message().untagged(0x43, i, 0);
            transmitter.begin();
            assertEquals(DdpTransmitter.Outcome.LAST, transmitter.sendSegment());
        }
        assertEquals(List.of(-2, -1, 0, 1, 2), sent);
        assertEquals(List.of(0, 1, 2, 3, 4), delivered);
    }
}
