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
    private static final Duration LIMIT = Duration.ofSeconds(20);
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
        channel.between = () -> loop.follow(() -> post(driver));
        loop.lead(driver::start);
        loop.run();
        assertInstanceOf(PeerException.class, failure.get());
        assertTrue(failure.get().getMessage().contains("the peer terminated it"), () -> failure.get().getMessage());
    }

    /** As if memory ran out, or a class could not be loaded: the thread that transmits cannot end the connection. Another thread must. */
    @Test
    void shouldCloseAfterASenderThatCouldNotEndTheConnection() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), failure::set);
        loop.lead(driver::start);
        channel.failures = 2;
        loop.follow(() -> post(driver));
        assertEquals(0, channel.failures, "the sender did not fail twice");
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertInstanceOf(SystemException.class, failure.get());
        assertTrue(failure.get().getMessage().contains("soft-iwarp itself failed while it transmitted"), () -> failure.get().getMessage());
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    @Test
    void shouldSayThatAConnectionCannotBeClosed() {
        QuietLoop loop = new QuietLoop();
        StreamDriver driver = new StreamDriver(loop, new FailingChannel(), rig.stream(), failure::set);
        loop.lead(driver::start);
        loop.failing = true;
        SystemException thrown = assertTimeoutPreemptively(LIMIT,
                () -> assertThrows(SystemException.class, () -> loop.follow(driver::close)));
        assertTrue(thrown.getMessage().contains("do not free it"), thrown.getMessage());
        assertInstanceOf(NoClassDefFoundError.class, thrown.getCause());
    }

    /** As above, and the JVM throws the same object twice, as it does with an OutOfMemoryError that it made ahead. */
    @Test
    void shouldCloseAfterAFailureOfTheSenderThatComesTwice() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        channel.failure = new NoClassDefFoundError("of the test, again and again");
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), failure::set);
        loop.lead(driver::start);
        channel.failures = 2;
        loop.follow(() -> post(driver));
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    /** The sender fails, cannot end the connection, and cannot have the leader do it. The next kick of any thread must. */
    @Test
    void shouldFlushARequestThoughTheLoopHearsNothingOfTheFailure() {
        QuietLoop loop = new QuietLoop();
        FailingChannel channel = new FailingChannel();
        StreamDriver driver = new StreamDriver(loop, channel, rig.stream(), failure::set);
        loop.lead(driver::start);
        loop.run();
        channel.failures = 2;
        loop.deaf = true;
        loop.follow(() -> {
            rig.send(1, memory);
            assertThrows(NoClassDefFoundError.class, driver::kick);
        });
        loop.deaf = false;
        loop.follow(driver::kick);
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
        assertInstanceOf(SystemException.class, failure.get());
    }

    @Test
    void shouldTellTheEndAgainToAListenerThatFailed() {
        QuietLoop loop = new QuietLoop();
        int[] calls = new int[1];
        StreamDriver driver = new StreamDriver(loop, new QuietChannel(), rig.stream(), reason -> {
            if (calls[0]++ == 0) {
                throw new NoClassDefFoundError("of the test");
            }
        });
        loop.lead(driver::start);
        loop.follow(() -> post(driver));
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertEquals(2, calls[0]);
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
    }

    /** A listener that always fails must not have the leader and the sender call each other for ever. */
    @Test
    void shouldEndThoughTheListenerAlwaysFails() {
        QuietLoop loop = new QuietLoop();
        StreamDriver driver = new StreamDriver(loop, new QuietChannel(), rig.stream(), reason -> {
            throw new NoClassDefFoundError("of the test");
        });
        loop.lead(driver::start);
        loop.follow(() -> post(driver));
        assertTimeoutPreemptively(LIMIT, () -> loop.follow(driver::close));
        assertEquals(CompletionStatus.FLUSHED, rig.completions().getFirst().status());
        loop.run();
        assertTrue(loop.isIdle(), "the leader and the sender still call each other");
    }

    /** The first flush of the receives fails: for example, no descriptor is left to load a class of the event that it raises. */
    @Test
    void shouldFlushReceivesThoughTheFirstFlushFails() {
        QuietLoop loop = new QuietLoop();
        StreamDriver driver = new StreamDriver(loop, new QuietChannel(), rig.stream(), failure::set);
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
        }, rig.stream(), failure::set);
        driver.whenClosed(() -> calls.add("place"));
        loop.lead(driver::start);
        loop.removals = 1;
        loop.lead(() -> assertThrows(NoClassDefFoundError.class, driver::closeNow));
        assertEquals(List.of("channel", "place"), calls);
    }

    private void post(StreamDriver driver) {
        rig.send(1, memory);
        driver.kick();
    }

    /** Has no clock: time-outs never come. */
    private static final class QuietLoop extends SingleThreadLoop {
        /** Whether each step of a close fails. */
        private boolean failing;
        /** Whether it takes no task. */
        private boolean deaf;
        /** How many removals of the driver fail. */
        private int removals;

        QuietLoop() {
            super(Arena.ofAuto().allocate(4096));
        }

        @Override
        public long now() {
            if (failing) {
                throw new NoClassDefFoundError("of the test");
            }
            return 1;
        }

        boolean isIdle() {
            return tasks.isEmpty() && ready.isEmpty();
        }

        @Override
        public void execute(Runnable task) {
            if (deaf) {
                throw new NoClassDefFoundError("of the test");
            }
            super.execute(task);
        }

        @Override
        public void remove(Driver driver) {
            if (removals-- > 0) {
                throw new NoClassDefFoundError("of the test");
            }
        }

        /** As the event loop does it: the failure of a task stays here. */
        @Override
        public void call(Runnable task) {
            try {
                super.call(task);
            } catch (NoClassDefFoundError e) {
                // A test looks at the consequences.
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

    /** Fails a number of times in what a sender calls. */
    private static final class FailingChannel extends QuietChannel {
        private int failures;
        /** The failure; {@code null} for a new one each time. */
        private Error failure;

        @Override
        public long write(IoVector from) {
            failIfDue();
            return 0;
        }

        @Override
        public long recall() {
            failIfDue();
            return 0;
        }

        private void failIfDue() {
            if (failures > 0) {
                failures--;
                throw failure != null ? failure : new NoClassDefFoundError("of the test");
            }
        }
    }
}
