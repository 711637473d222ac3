package org.panamaverbs.softiwarp.mpa;

/**
 * The ready-to-receive indication of the peer-to-peer model (RFC 6581, 9.2): the initiator's first message, which says that the initiator
 * has the Reply. After it the responder may send.
 */
public enum ReadyIndication {
    /** There is none: the client-server model, in which the initiator's program sends first. */
    NONE,
    /** This side, the initiator, sends a Write of no bytes. */
    WRITE,
    /** This side, the initiator, sends a Read of no bytes. */
    READ,
    /** This side, the initiator, sends a Send of no bytes. */
    SEND,
    /** This side, the responder, takes an empty Write or an empty Read for an indication if it is the first message. */
    AWAITED,
    /** As {@link #AWAITED}; this side also takes an empty Send for an indication if it is the first message. */
    AWAITED_SEND
}
