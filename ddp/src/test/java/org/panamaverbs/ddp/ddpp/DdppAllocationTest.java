package org.panamaverbs.ddp.ddpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.panamaverbs.softiwarp.ddp.UpperLayer;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.memory.SgeCursor;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.panamaverbs.testing.Proofs;

/** Nothing is allocated per message, neither for those that are placed nor for those that are dropped. */
// Needs the compiler that avoids allocations.
@Tag(Proofs.TAG)
class DdppAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int MESSAGES = 500;
    private static final int STAG = 5;
    private static final int LENGTH = 10_000;

    private final Arena arena = Arena.ofAuto();
    private final RegisteredMemory buffer = new RegisteredMemory(arena.allocate(LENGTH), this, 0, 0, null);
    private final RegisteredMemory source = new RegisteredMemory(arena.allocate(LENGTH), this, 0, 0, null);
    private final Counts counts = new Counts();

    private static final class Counts implements ReceptionCounters {
        private long messages;
        private long drops;

        @Override
        public void onMessage(int payload) {
            messages++;
        }

        @Override
        public void onDropped(Drop reason) {
            drops++;
        }
    }

    /** One buffer, and receives without end. */
    private final class Client implements UpperLayer {
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
            if (stag != STAG) {
                return TerminateCode.TAGGED_INVALID_STAG;
            }
            target.wrap(buffer, offset, length);
            return TerminateCode.NONE;
        }

        @Override
        public int onUntagged(int queue, int ulp, SgeCursor target) {
            target.wrap(buffer, 0, LENGTH);
            return TerminateCode.NONE;
        }

        @Override
        public int onChanged(int ulp) {
            return TerminateCode.NONE;
        }

        @Override
        public void onTooLong(int queue) {
            // It is counted.
        }

        @Override
        public int deliverTagged(int ulp, boolean last, int length) {
            return TerminateCode.NONE;
        }

        @Override
        public int deliverUntagged(int queue, int ulp, int word, long length) {
            return TerminateCode.NONE;
        }

        @Override
        public int onBadTaggedMemory(int ulp) {
            return TerminateCode.NONE;
        }

        @Override
        public int onBadUntaggedMemory(int queue) {
            return TerminateCode.NONE;
        }
    }

    private static void assertNothingAllocated(Runnable round) {
        long self = Thread.currentThread().threadId();
        long allocated = Long.MAX_VALUE;
        // Until code is compiled, the memory API makes objects.
        for (int window = 0; window < 2000 && allocated > 0; window++) {
            long before = THREADS.getThreadAllocatedBytes(self);
            round.run();
            allocated = THREADS.getThreadAllocatedBytes(self) - before;
        }
        assertEquals(0, allocated, "bytes allocated in " + MESSAGES + " messages");
    }

    @Test
    void shouldAllocateNothingPerDatagram() {
        DdppTransmitter transmitter = new DdppTransmitter(1000, 1000, true);
        DatagramReceiver receiver = new DatagramReceiver(new Client(), counts, new SourceTable(64, 1));
        MemorySegment message = arena.allocate(2000);
        MemorySegment address = arena.allocate(28);
        assertNothingAllocated(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                address.set(ValueLayout.JAVA_INT, 8, i);
                if (i % 2 == 0) {
                    transmitter.beginDecorated(2500, i % 8 == 0 ? STAG + 1 : STAG, 0, true, i, false);
                } else {
                    transmitter.beginUndecorated(i);
                }
                while (transmitter.isUnderWay()) {
                    int payload = transmitter.nextPart(message, 0);
                    receiver.onMessage(message, 0, transmitter.headerSize() + payload, address, 0, 28);
                }
            }
        });
        assertTrue(counts.messages > 0 && counts.drops > 0);
    }

    @Test
    void shouldAllocateNothingPerMessageOfAStream() {
        StreamWriter writer = new StreamWriter(arena, 6000);
        StreamReader reader = new StreamReader(new Client(), counts, arena);
        IoVector into = new IoVector(16);
        assertNothingAllocated(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                int length = i % 3 == 0 ? LENGTH : 1 + i % 100;
                if (i % 2 == 0) {
                    writer.beginDecorated(length, i % 8 == 0 ? STAG + 1 : STAG, 0, true, i, false);
                } else {
                    writer.beginUndecorated(length);
                }
                writer.source().wrap(source, 0, length);
                while (writer.poll().size() > 0) {
                    reader.targets(into);
                    long count = writer.poll().copyTo(into);
                    writer.onSent(count);
                    assertTrue(reader.onReceived(count) == StreamError.NONE);
                }
            }
        });
        assertTrue(reader.isAtBoundary() && counts.messages > 0 && counts.drops > 0);
    }

    @Test
    void shouldAllocateNothingPerMessageInMemory() {
        ShuffledMessages transport = new ShuffledMessages(() -> 0x55555555, 16, 1024);
        assertNothingAllocated(() -> {
            for (int i = 0; i < MESSAGES; i++) {
                transport.add(transport.claim(), 100);
                transport.release(transport.draw());
            }
        });
        assertEquals(0, transport.waiting());
    }
}
