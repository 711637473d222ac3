package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;

/** A listening socket for associations. No call waits. */
public interface MessageAcceptor {
    /**
     * Accepts the next association.
     *
     * @return a connected channel, or {@code null} if no peer waits or the peer has left again
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    MessageChannel accept();

    /**
     * The local address.
     *
     * @return the address with the actual port
     */
    InetSocketAddress address();

    /** Stops listening; further calls do nothing. The multiplexer forgets the acceptor. */
    void close();
}
