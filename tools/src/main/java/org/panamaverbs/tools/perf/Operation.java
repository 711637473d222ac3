package org.panamaverbs.tools.perf;

/** What is measured. */
public enum Operation {
    WRITE, READ, SEND;

    @Override
    public String toString() {
        return name().toLowerCase(java.util.Locale.ROOT);
    }
}
