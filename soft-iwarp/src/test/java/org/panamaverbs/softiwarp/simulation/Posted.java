package org.panamaverbs.softiwarp.simulation;

import org.panamaverbs.CompletionStatus;

/** A receive, as the model has it. */
final class Posted {
    final long id;
    final long offset;
    final long capacity;
    CompletionStatus status;
    long length;

    Posted(long id, long offset, long capacity) {
        this.id = id;
        this.offset = offset;
        this.capacity = capacity;
    }
}
