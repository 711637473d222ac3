package org.panamaverbs.statistics;

import java.util.OptionalLong;
import org.panamaverbs.Incubating;

/** Counts of a completion queue since it was created. An empty count is one that the provider does not have. */
@Incubating("which counts there are: providers still gain some")
public interface CompletionQueueStatistics {
    /** {@return the number of completions that polls and waits have taken} */
    default OptionalLong completionsPolled() {
        return OptionalLong.empty();
    }

    /**
     * The most completions that waited at once: {@link org.panamaverbs.CompletionQueue#capacity()} is the number at which one more would
     * overrun the queue.
     *
     * @return 0 or more
     */
    default OptionalLong mostWaiting() {
        return OptionalLong.empty();
    }

    /** {@return 1 if a completion found the queue full, which broke the queue, and 0 if none did} */
    default OptionalLong overruns() {
        return OptionalLong.empty();
    }

    /** {@return all counts with their names, on one line, and the names of those that the provider does not have} */
    default String describe() {
        return new CountText().add("completions polled", completionsPolled()).add("most waiting at once", mostWaiting())
                .add("overruns", overruns()).toString();
    }
}
