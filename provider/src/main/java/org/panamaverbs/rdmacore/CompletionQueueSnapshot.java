package org.panamaverbs.rdmacore;

import java.util.OptionalLong;
import org.panamaverbs.statistics.CompletionQueueStatistics;

/** The counts of a completion queue. */
record CompletionQueueSnapshot(OptionalLong completionsPolled, OptionalLong overruns) implements CompletionQueueStatistics {
    @Override
    public String toString() {
        return describe();
    }
}
