package org.panamaverbs;

/** What some devices can do and others cannot; ask {@link Device#supports(Capability)}. */
public enum Capability {
    /** Send with Invalidate: {@link QueuePair#postSendInvalidate}. */
    SEND_WITH_INVALIDATE,
    /** Reads scattered into more than one element of a list; iWARP takes one. */
    READ_SCATTER,
    /** Reads into regions without {@link Access#REMOTE_WRITE}; iWARP hardware needs that right at the sink of a Read. */
    READ_WITHOUT_REMOTE_WRITE,
    /** Waiting for a receive that the peer has yet to post; iWARP ends the connection instead. */
    RECEIVER_NOT_READY,
    /**
     * Telling a connection that the peer ended because of an error from one that it ended in good order. Without it the failure of such a
     * connection may be empty: drivers of devices tell nobody of a Terminate that they receive, nor of every refusal that they send.
     */
    PEER_FAILURE,
    /** {@link QueuePair#statistics()}: counters of bytes placed directly and staged. */
    PLACEMENT_STATISTICS
}
