package org.panamaverbs.ddp.ddpp;

/** Counts the messages that come, one call for each. Only the receiving thread calls it. */
public interface ReceptionCounters {
    /**
     * A message was placed, and delivered if it asks for that.
     *
     * @param payload bytes
     */
    void onMessage(int payload);

    /** A message was dropped, for a reason other than {@link Drop#NONE}. */
    void onDropped(Drop reason);
}
