package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;

/**
 * A listening socket. No call waits.
 *
 * @param <C> the channels of peers: {@link Channel} of TCP, {@link MessageChannel} of SCTP
 */
public interface Acceptor<C> {
    /** For a queue of the system that is as long as the system allows (net.core.somaxconn on Linux). */
    int LONGEST_QUEUE = 65_535;

    /**
     * Accepts the next peer.
     *
     * @return a connected channel, or {@code null} if no peer waits or the peer has left again
     * @throws org.panamaverbs.ResourceException if the process has no file descriptor left
     */
    C accept();

    /**
     * The local address.
     *
     * @return the address with the actual port
     */
    InetSocketAddress address();

    /**
     * Stops listening; further calls do nothing. The multiplexer forgets the acceptor. The port is free when this returns. Once the acceptor
     * has a handler, only the thread that selects calls this.
     */
    void close();
}
