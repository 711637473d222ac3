package org.panamaverbs.tools.perf;

/** How both ends wait for completions. */
public enum Waiting {
    /** Polling again and again: a core each, and no thread is switched. */
    SPIN,
    /** Parked until there is one. */
    BLOCK;

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
