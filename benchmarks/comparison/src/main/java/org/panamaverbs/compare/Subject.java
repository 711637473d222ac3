package org.panamaverbs.compare;

/** One thing to run, and to compare with another. */
interface Subject {
    /** Its name, in a few words; no two have the same. */
    String name();

    /** The software that it belongs to. */
    Peer peer();

    /**
     * Runs it once, and leaves no process behind.
     *
     * @throws ProgramException if a process of it could not be started, failed, died or took too long
     */
    Reading measure(Pace pace) throws ProgramException, InterruptedException;
}
