package org.panamaverbs.tools.perf;

/** How both ends wait for completions. */
public enum Waiting {
    /** Polling again and again: a core each, and no thread is switched. */
    SPIN,
    /** Parked until there is one. */
    BLOCK,
    /** Parked until a completion channel tells of one, as programs of {@code ibv_get_cq_event} wait. */
    CHANNEL;

    private static final int SPINS_PER_YIELD = 1 << 10;

    /** What a thread does after each poll in vain, which is pause enough: now and then it lets others run, for whom there is no other core. */
    static void pause(int spins) {
        if (spins % SPINS_PER_YIELD == 0) {
            Thread.yield();
        }
    }

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
