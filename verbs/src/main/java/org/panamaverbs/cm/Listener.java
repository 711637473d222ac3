package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Takes connection requests at an address. */
public interface Listener extends AutoCloseable {
    /** {@return the address that it listens on; with the real port} */
    InetSocketAddress address();

    /**
     * Waits for the next connection request. Peers that connect but do not speak the protocol never show here: they are cut off and
     * logged.
     *
     * @param timeout how long at most
     * @return to be accepted, rejected or closed
     * @throws org.panamaverbs.VerbsTimeoutException if none came in time
     * @throws org.panamaverbs.ClosedException       if the listener is closed, also while waiting
     */
    ConnectionRequest awaitRequest(Duration timeout);

    /**
     * The asynchronous twin of {@link #awaitRequest}.
     *
     * @param timeout how long at most
     * @return completes with the next connection request, or with an exception of {@link #awaitRequest}
     */
    default CompletionStage<ConnectionRequest> awaitRequestAsync(Duration timeout) {
        return Twins.of(() -> awaitRequest(timeout));
    }

    /** Stops listening; requests not yet taken are dropped, connections stay. */
    @Override
    void close();
}
