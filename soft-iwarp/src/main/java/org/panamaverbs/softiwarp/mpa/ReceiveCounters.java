package org.panamaverbs.softiwarp.mpa;

/** What {@link FpduReader} counts; by the thread that receives. */
public interface ReceiveCounters {
    /** Bytes were received. */
    void onCall();

    /** The system put payload in its place. */
    void onPlaced(int bytes);

    /** Payload was copied from the stage to its place. */
    void onStaged(int bytes);

    /** An FPDU came whole and sound. */
    void onFpdu();
}
