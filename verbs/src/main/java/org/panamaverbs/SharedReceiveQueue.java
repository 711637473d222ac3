package org.panamaverbs;

/**
 * Receives that several queue pairs take from ({@code ibv_srq}): each message of any of them takes the oldest. Memory for receives is
 * needed for the messages that arrive at a time, not for each connection.
 *
 * <p>A receive completes in the receive queue of the queue pair whose message took it, with that queue pair's number. Receives that
 * nobody took when it is closed are lost without a completion, as they are on hardware: no queue pair had them.
 *
 * <p>A peer that sends much can take all receives, so that other peers find none. On soft-iwarp the setting {@code
 * panamaverbs.softiwarp.shared-receive-share} limits the receives that one queue pair may hold (RFC 5042, 6.4.3.1).
 */
public non-sealed interface SharedReceiveQueue extends ReceiveQueue, AsynchronousEvent.Source, AutoCloseable {
    /** {@return the domain it belongs to; that of the queue pairs that use it; never changes} */
    ProtectionDomain domain();

    /** {@return how many receives it holds; the number that was asked for, or more} */
    int depth();

    /** {@return the most elements of a list to receive into; the number that was asked for, or more} */
    int elements();

    /**
     * Asks for one event {@link AsynchronousEvent.Type#SHARED_RECEIVE_QUEUE_LIMIT_REACHED} when fewer receives than this are left
     * ({@code ibv_modify_srq} with {@code IBV_SRQ_LIMIT}): the time to post more.
     *
     * @param receives 1 to {@link #depth()}; 0 asks for none
     */
    void armLimit(int receives);

    /** Closes the queue pairs that use it, then the queue. */
    @Override
    void close();
}
