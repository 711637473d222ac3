package org.panamaverbs.softiwarp.mpa;

/**
 * The ready-to-receive indication of the peer-to-peer model (RFC 6581, 9.2): the first message, by which the initiator says that it has
 * the Reply, so that the responder may send.
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
    /** This side, the responder, takes a Write of no bytes or a Read of no bytes as one if that is the first message. */
    AWAITED,
    /** As {@link #AWAITED}; this side takes a Send of no bytes as one if that is the first message. */
    AWAITED_SEND
}
