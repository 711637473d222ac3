package org.panamaverbs.benchmarks;

import org.openjdk.jmh.annotations.Benchmark;

/** The least allocation that the test must notice: the smallest object, in every operation. */
public class Allocating extends Measured {
    private Object last;

    /** Allocates it, and lets it escape. */
    @Benchmark
    public Object object() {
        last = new Object();
        return last;
    }
}
