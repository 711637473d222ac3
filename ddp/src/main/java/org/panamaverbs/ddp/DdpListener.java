package org.panamaverbs.ddp;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.WaitInterruptedException;

/** Accepts streams of one transport at an address. */
public interface DdpListener extends AutoCloseable {
    /**
     * The local address.
     *
     * @return with the actual port
     */
    InetSocketAddress address();

    /**
     * Waits for a peer whose stream is established, preamble or start-up included. A peer that does not finish its start-up in 10 s is
     * closed and logged, and does not concern the caller.
     *
     * @param timeout how long to wait at most
     * @return a socket of the listener's group; a {@link DdpStreamSocket} if the transport is RFC 5041's. Nothing is received on it before
     *         its first registration, post or receive
     * @throws VerbsTimeoutException    if none came in time
     * @throws WaitInterruptedException if the thread was interrupted
     * @throws ClosedException          if the listener is closed, also while waiting
     */
    DdpSocket accept(Duration timeout);

    /** Stops listening. Streams that were accepted stay; established ones that no thread has accepted are closed. */
    @Override
    void close();
}
