package org.panamaverbs.rdmacore.post;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.panamaverbs.rdmacore.queue.PolledQueue;
import org.panamaverbs.rdmacore.queue.WorkCompletionHandler;
import org.panamaverbs.rdmacore.queue.WrIdTable;
import org.panamaverbs.spi.CompletionBuffer;

/** Reports that the device has given away, and that are not handled. */
class ReportReaderTest {
    private static final int REPORTS = 3;
    private static final int FAILURE = -5;

    private final WrIdTable handlers = new WrIdTable();
    private final CompletionBuffer into = new CompletionBuffer(8);
    private final Queue queue = new Queue();
    private final ReportReader reports = new ReportReader(queue, handlers, this::onFailure);
    private String how;
    private Throwable cause;
    private int failures;

    /** Gives some reports at once, or fails. */
    private final class Queue implements PolledQueue {
        private long tag;
        private int polls;
        private boolean fails;

        @Override
        public MemorySegment address() {
            return MemorySegment.NULL;
        }

        @Override
        public int poll(CompletionBuffer polled, int first, int most) {
            polls++;
            for (int i = 0; i < REPORTS; i++) {
                polled.memory().set(ValueLayout.JAVA_LONG, (first + i) * CompletionBuffer.SIZE + CompletionBuffer.ID, tag | i);
            }
            return fails ? FAILURE : REPORTS;
        }

        @Override
        public String failure(int result) {
            return "result " + result;
        }

        @Override
        public boolean knowsTime() {
            return false;
        }
    }

    /** Throws when the report comes that has this number. */
    private record Handler(long tag, int thrower, Throwable thrown) implements WorkCompletionHandler {
        @Override
        public boolean onReport(long request, long completion, CompletionBuffer polled, int index) {
            if ((int) request == thrower) {
                switch (thrown) {
                    case RuntimeException exception -> throw exception;
                    case Error error -> throw error;
                    default -> throw new AssertionError(thrown);
                }
            }
            return true;
        }

        @Override
        public Object attachment(long completion) {
            return null;
        }
    }

    private void onFailure(String text, Throwable thrown) {
        failures++;
        how = text;
        cause = thrown;
    }

    @BeforeEach
    void reserve() {
        into.makeNative();
        queue.tag = handlers.reserve();
    }

    private void assertPolledNoMore(int polls) {
        assertTrue(reports.hasFailed());
        assertEquals(1, failures);
        assertEquals(0, reports.poll(into));
        reports.drain();
        assertEquals(polls, queue.polls);
        assertEquals(1, failures);
    }

    /** The completions before it reach the program. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2 })
    void shouldFailIfAReportCannotBeHandled(int thrower) {
        // An OutOfMemoryError would end the whole run if this fails.
        Error thrown = new NoClassDefFoundError("as a test wants");
        handlers.publish(new Handler(queue.tag, thrower, thrown));
        assertEquals(thrower, reports.poll(into));
        assertEquals("its reports could not be handled", how);
        assertSame(thrown, cause);
        assertPolledNoMore(1);
    }

    @Test
    void shouldFailIfAReportCannotBeHandledThatNoProgramPolls() {
        IllegalStateException thrown = new IllegalStateException("as a test wants");
        handlers.publish(new Handler(queue.tag, 1, thrown));
        reports.drain();
        assertSame(thrown, cause);
        assertEquals(1, reports.late().size(), "what came before");
        assertPolledNoMore(1);
    }

    @Test
    void shouldFailIfThePollFails() {
        queue.fails = true;
        assertFalse(reports.hasFailed());
        assertEquals(0, reports.poll(into));
        assertEquals("result " + FAILURE, how);
        assertNull(cause);
        assertPolledNoMore(1);
    }
}
