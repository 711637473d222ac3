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

    /** The pause of a thread after each empty poll: now and then it lets threads run for which there is no other core. That is enough. */
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
