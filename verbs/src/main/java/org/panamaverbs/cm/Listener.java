package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;

/** Takes connection requests at an address. */
public interface Listener extends AutoCloseable {
    /**
     * Where it listens.
     *
     * @return with the real port
     */
    InetSocketAddress address();

    /**
     * Waits for the next connection request. Peers that connect but do not speak the protocol never show here: they are cut off and
     * logged.
     *
     * @param timeout how long at most
     * @return to be accepted, rejected or closed
     * @throws org.panamaverbs.VerbsTimeoutException where none came in time
     * @throws org.panamaverbs.ClosedException       where the listener is closed, also while waiting
     */
    ConnectionRequest awaitRequest(Duration timeout);

    /** Stops listening; requests not yet taken are dropped, connections stay. */
    @Override
    void close();
}
