package org.panamaverbs.softiwarp.transport;

import java.net.InetSocketAddress;

/** A listening socket, which never waits. */
public interface Acceptor {
    /**
     * Takes the next peer that has connected.
     *
     * @return a connected channel, or {@code null} where nobody waits (or where the peer was gone again)
     * @throws org.panamaverbs.ResourceException where the process has no file descriptor left for it
     */
    Channel accept();

    /**
     * Where it listens.
     *
     * @return with the real port
     */
    InetSocketAddress address();

    /** Stops listening; more calls do nothing. Its multiplexer forgets it. */
    void close();
}
