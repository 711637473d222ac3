package org.panamaverbs.softiwarp.mpa;

/** Counts what {@link FpduReader} receives. Only the receiving thread calls it. */
public interface ReceiveCounters {
    /** A call has received bytes. */
    void onCall();

    /** The system received payload straight into its place. */
    void onPlaced(int bytes);

    /** Payload was copied from the stage to its place. */
    void onStaged(int bytes);

    /** A whole FPDU with a right CRC has come. */
    void onFpdu();
}
