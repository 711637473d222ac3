package org.panamaverbs.compare;

/**
 * A run that is repeated, each time twice as long, until it allocates no more than it may, or has had its time. Code that C2 has not
 * compiled yet allocates, and the moment of its compilation depends on the machine; allocations of the code itself show however long it
 * runs.
 *
 * @param subject that runs
 * @param most    bytes per message
 */
record Compiled(Subject subject, double most) implements Subject {
    /** Seconds. Long, since the calls of a thread that sleeps are some hundred a second, and allocate until C2 has compiled them. */
    private static final double LONGEST_WARM_UP = 40;

    @Override
    public String name() {
        return subject.name() + ", once compiled";
    }

    @Override
    public Peer peer() {
        return subject.peer();
    }

    @Override
    public Reading measure(Pace pace) throws ProgramException, InterruptedException {
        for (Pace longer = pace.withWarmUp(Math.max(2, pace.shortest()));; longer = longer.twice()) {
            Reading reading = subject.measure(longer);
            if (reading.get(Metric.ALLOCATED_PER_MESSAGE) <= most || longer.warmUp() >= LONGEST_WARM_UP) {
                return reading;
            }
        }
    }
}
