package org.panamaverbs.softiwarp.progress;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.fixtures.Forge;
import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.fixtures.Rig;
import org.panamaverbs.softiwarp.fixtures.SingleThreadLoop;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;

/** Moments between two threads of one connection, each forced by a channel that lets the other thread act within a call. */
class StreamDriverTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final byte[] TERMINATE = Forge
            .fpdu(Forge.untagged(Forge.LAST_UNTAGGED, Forge.TERMINATE, 0, 2, 1, 0, new byte[] { 0x11, 0x01, 0, 0 }), true);

    private final Rig rig = new Rig(Rig.Options.of(true), Rig.room(64));
    private final RegisteredMemory memory = rig.region(64);
    private final AtomicReference<VerbsException> failure = new AtomicReference<>();
    private final StreamDriver.Listener listener = reason -> failure.set(reason.failure("the connection"));

    /**
     * The leader reads nothing. Then the peer's Terminate arrives, and its reset, which a Write on another thread meets. The leader must still
     * read the Terminate.
     */
    @Test
    void shouldReadTheTerminateThatCameAfterAReadOfNothing() {
        QuietLoop loop = new QuietLoop();
        ResetChannel channel = new ResetChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), listener);
        channel.between = () -> loop.follow(() -> post(driver));
        loop.lead(driver::start);
        loop.run();
        assertInstanceOf(PeerException.class, failure.get());
        assertTrue(failure.get().getMessage().contains("the peer terminated it"), () -> failure.get().getMessage());
    }

    /** As if memory ran out, or a class could not be loaded, while a thread transmits. */
    @Test
    void shouldEndTheConnectionIfAStepOfTheSenderFails() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), listener);
        loop.lead(driver::start);
        channel.failures = 1;
        loop.follow(() -> post(driver));
        assertInstanceOf(SystemException.class, failure.get());
        assertTrue(failure.get().getMessage().contains("soft-iwarp itself failed"), () -> failure.get().getMessage());
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
        loop.run();
        assertTrue(channel.closed, "the leader heard nothing of the end");
    }

    /** The same while the leader receives. */
    @Test
    void shouldEndTheConnectionIfAStepOfTheLeaderFails() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), listener);
        rig.receive(1, memory);
        loop.lead(driver::start);
        channel.readFailures = 1;
        loop.run();
        assertInstanceOf(SystemException.class, failure.get());
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
        assertTrue(channel.closed);
    }

    /** The sender fails, and ending the connection fails, too: the memory may be in use until a later close succeeds. */
    @Test
    void shouldSayThatAConnectionCannotBeClosedAndCloseItTheNextTime() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), reason -> {
            channel.failIfDue();
            listener.onEnded(reason);
        });
        loop.lead(driver::start);
        channel.failures = Integer.MAX_VALUE;
        loop.follow(() -> post(driver));
        SystemException thrown = assertTimeoutPreemptively(LIMIT,
                () -> assertThrows(SystemException.class, () -> loop.follow(driver::close)));
        assertTrue(thrown.getMessage().contains("do not free it"), thrown.getMessage());
        assertInstanceOf(NoClassDefFoundError.class, thrown.getCause());
        assertTrue(rig.completions().isEmpty(), "a request is flushed, and close says that its memory is in use");
        channel.failures = 0;
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    /** A listener that always fails must not have the leader and the sender call each other for ever. */
    @Test
    void shouldNotCloseWhileTheListenerFails() {
        QuietLoop loop = new QuietLoop();
        boolean[] fails = { true };
        StreamDriver driver = new StreamDriver(loop, new QuietChannel(), rig.stream(), reason -> {
            if (fails[0]) {
                throw new NoClassDefFoundError("of the test");
            }
        });
        loop.lead(driver::start);
        loop.follow(() -> post(driver));
        assertThrows(SystemException.class, () -> loop.follow(driver::close));
        loop.run();
        assertTrue(loop.isIdle(), "the leader and the sender still call each other");
        fails[0] = false;
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    /** The first flush of the receives fails: for example, no descriptor is left to load a class of the event that it raises. */
    @Test
    void shouldFlushReceivesThoughTheFirstFlushFails() {
        QuietLoop loop = new QuietLoop();
        StreamDriver driver = new StreamDriver(loop, new QuietChannel(), rig.stream(), listener);
        loop.lead(driver::start);
        rig.receive(1, memory);
        rig.receive(2, memory);
        boolean[] failed = new boolean[1];
        rig.arm(() -> {
            failed[0] = true;
            throw new NoClassDefFoundError("of the test");
        });
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertTrue(failed[0]);
        assertEquals(List.of(1L, 2L), rig.completions().stream().map(Rig.Done::id).toList());
    }

    @Test
    void shouldCloseTheChannelThoughTheLoopFailsToForgetIt() {
        QuietLoop loop = new QuietLoop();
        List<String> calls = new ArrayList<>();
        StreamDriver driver = new StreamDriver(loop, new QuietChannel() {
            @Override
            public void close() {
                calls.add("channel");
            }
        }, rig.stream(), listener);
        driver.whenClosed(() -> calls.add("place"));
        loop.lead(driver::start);
        loop.removals = 1;
        loop.lead(driver::closeNow);
        assertEquals(List.of("channel", "place"), calls);
    }

    private void post(StreamDriver driver) {
        rig.send(1, memory);
        driver.kick();
    }

    /** Has no clock: time-outs never come. */
    private static final class QuietLoop extends SingleThreadLoop {
        /** How many removals of the driver fail. */
        private int removals;

        QuietLoop() {
            super(Arena.ofAuto().allocate(4096));
        }

        @Override
        public long now() {
            return 1;
        }

        boolean isIdle() {
            return tasks.isEmpty() && ready.isEmpty();
        }

        @Override
        public void remove(Driver driver) {
            if (removals-- > 0) {
                throw new NoClassDefFoundError("of the test");
            }
        }
    }

    /** The first read brings nothing, and what happens then happens before it returns. The second brings a Terminate. */
    private static final class ResetChannel extends QuietChannel {
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
    }

    /** Fails a number of times in what a sender calls, or in a read. */
    private static final class FailingChannel extends QuietChannel {
        private int failures;
        private int readFailures;
        private boolean closed;

        @Override
        public long read(IoVector into) {
            if (readFailures-- > 0) {
                throw new NoClassDefFoundError("of the test");
            }
            return super.read(into);
        }

        @Override
        public long write(IoVector from) {
            failIfDue();
            return 0;
        }

        @Override
        public void close() {
            closed = true;
        }

        private void failIfDue() {
            if (failures > 0) {
                failures--;
                throw new NoClassDefFoundError("of the test");
            }
        }
    }
}
