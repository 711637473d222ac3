package org.panamaverbs.softiwarp.lifecycle;

/** Says what to do when memory has run out. */
public final class Shortage {
    private Shortage() {
    }

    /** Describes a failure; if memory has run out, with what helps. */
    public static String describe(Throwable failure) {
        return failure instanceof OutOfMemoryError
                ? failure + ": allow more memory (-XX:MaxDirectMemorySize for that outside of the heap, -Xmx for the heap), or fewer connections "
                        + "(panamaverbs.softiwarp.connections)"
                : failure.toString();
    }
}
