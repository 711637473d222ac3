package org.panamaverbs.softiwarp.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.fixtures.QuietChannel;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.ReadyIndication;

/** A connection that its taker cannot take. */
class EstablishedTest {
    private final List<String> calls = new ArrayList<>();
    private final List<VerbsException> failures = new ArrayList<>();

    /** Cannot write. */
    private final class Broken extends QuietChannel {
        private final Error defect;

        Broken(Error defect) {
            this.defect = defect;
        }

        @Override
        public long write(IoVector from) {
            calls.add("write");
            throw defect;
        }

        @Override
        public void shutdownOutput() {
            calls.add("shutdownOutput");
        }

        @Override
        public void close() {
            calls.add("close");
        }
    }

    private Established established(Error defect) {
        Agreement agreement = new Agreement(true, false, 1, 1, true, 1, 1, ReadyIndication.NONE, new byte[0]);
        return new Established(null, new Broken(defect), null, agreement, true, () -> calls.add("closed"));
    }

    private void handOver(Error ofTheChannel, Throwable ofTheTaker) {
        established(ofTheChannel).handOver(taken -> {
            if (ofTheTaker instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) ofTheTaker;
        }, failures::add);
    }

    @Test
    void shouldCloseTheChannelThoughMemoryRunsOutTwice() {
        Error first = new OutOfMemoryError("the first of the test");
        try {
            handOver(new OutOfMemoryError("the second of the test"), first);
        } catch (OutOfMemoryError e) {
            // JUnit would end the process.
            throw new AssertionError("the second one came out", e);
        }
        assertEquals(List.of("write", "close", "closed"), calls);
        assertEquals(1, failures.size());
        assertSame(first, assertInstanceOf(ResourceException.class, failures.getFirst()).getCause());
    }

    /** A defect is the business of the loop, too, which logs it. */
    @Test
    void shouldCloseTheChannelThoughItHasADefect() {
        Error defect = new AssertionError("of the test");
        VerbsException first = new ResourceException("the first of the test", null);
        assertSame(defect, assertThrows(AssertionError.class, () -> handOver(defect, first)));
        assertEquals(List.of("write", "close", "closed"), calls);
        assertEquals(List.of(first), failures);
    }
}
