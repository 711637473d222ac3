package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.SingleThreadLoop;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.transport.Channel;

/** Moments between two threads of one connection, each forced by a channel that lets the other thread act within a call. */
class StreamDriverTest {
    private static final InetSocketAddress ADDRESS = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
    private static final byte[] TERMINATE = Forge.fpdu(
            Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x11, 0x01, 0, 0 }), true);

    private final Rig rig = new Rig(Rig.Options.of(true), Rig.room(64));
    private final RegisteredMemory memory = rig.region(64);
    private final AtomicReference<VerbsException> failure = new AtomicReference<>();

    /**
     * The leader reads nothing. Then the peer's Terminate arrives, and its reset, which a Write on another thread meets. The leader must still
     * read the Terminate.
     */
    @Test
    void shouldReadTheTerminateThatCameAfterAReadOfNothing() {
        QuietLoop loop = new QuietLoop();
        ResetChannel channel = new ResetChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), failure::set);
        channel.between = () -> loop.follow(() -> {
            rig.send(1, memory);
            driver.kick();
        });
        loop.lead(driver::start);
        loop.run();
        assertInstanceOf(PeerException.class, failure.get());
        assertTrue(failure.get().getMessage().contains("the peer terminated it"), () -> failure.get().getMessage());
    }

    /** Has no clock: time-outs never come. */
    private static final class QuietLoop extends SingleThreadLoop {
        QuietLoop() {
            super(Arena.ofAuto().allocate(4096));
        }

        void run() {
            for (int steps = 0; steps < 1000 && !(tasks.isEmpty() && ready.isEmpty()); steps++) {
                if (tasks.isEmpty()) {
                    lead(this::takeTurn);
                } else {
                    lead(tasks.poll());
                }
            }
        }

        @Override
        public long now() {
            return 1;
        }
    }

    /** The first read brings nothing, and what happens then happens before it returns. The second brings a Terminate. */
    private static final class ResetChannel implements Channel {
        private Runnable between;
        private int reads;

        @Override
        public long read(IoVector into) {
            reads++;
            if (reads == 1) {
                between.run();
                return 0;
            }
            if (reads == 2) {
                MemorySegment.copy(MemorySegment.ofArray(TERMINATE), 0, into.segment(0), into.offset(0), TERMINATE.length);
                return TERMINATE.length;
            }
            return BROKEN;
        }

        @Override
        public long write(IoVector from) {
            return BROKEN;
        }

        @Override
        public VerbsException failure() {
            return new SystemException("the connection was reset", 104);
        }

        @Override
        public int finishConnect() {
            return 1;
        }

        @Override
        public long recall() {
            return 0;
        }

        @Override
        public InetSocketAddress localAddress() {
            return ADDRESS;
        }

        @Override
        public InetSocketAddress remoteAddress() {
            return ADDRESS;
        }

        @Override
        public int segmentSize() {
            return 1460;
        }

        @Override
        public void shutdownOutput() {
            // The peer is gone.
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
