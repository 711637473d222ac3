package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;

/** The active side of a connection in the making. */
public interface Connector extends AutoCloseable {
    /** {@return the device that the route to the peer leads over; never changes} */
    Device device();

    /** {@return the address to connect to; the peer's address} */
    InetSocketAddress remoteAddress();

    /**
     * Makes the queue pair of the connection; once.
     *
     * @param domain     a domain of {@link #device()}
     * @param attributes its queues, depths and lengths
     * @return in state INIT: receives may be posted
     * @throws IllegalArgumentException for a domain or completion queue of another device, or numbers beyond the device's limits
     * @throws IllegalStateException    if it has one already
     * @throws ResourceException        if a limit is reached, or a completion queue
     *                                  {@linkplain org.panamaverbs.CompletionQueueAttributes#withAdmission with admission} has no room
     */
    QueuePair createQueuePair(ProtectionDomain domain, QueuePairAttributes attributes);

    /**
     * Connects. If it fails, the queue pair is closed and so is this.
     *
     * @param parameters private data and depths of Reads
     * @param timeout    how long at most
     * @return closed by the caller
     * @throws RejectedException                        if the peer's program refused, with its private data
     * @throws org.panamaverbs.PeerException            if the peer does not speak the protocol or went away
     * @throws org.panamaverbs.SystemException          if the address could not be reached
     * @throws org.panamaverbs.VerbsTimeoutException    if it took too long
     * @throws org.panamaverbs.ClosedException          if it was closed meanwhile
     * @throws org.panamaverbs.UnsupportedVerbException if the parameters have something that the device lacks; this stays as it was
     * @throws IllegalStateException                    without a queue pair, or the second time
     */
    Connection connect(ConnectionParameters parameters, Duration timeout);

    /**
     * Connects; the asynchronous twin of {@link #connect}. Closing the connector ends the attempt.
     *
     * @param parameters private data and depths of Reads
     * @param timeout    how long at most
     * @return completes with the connection, or with an exception of {@link #connect}
     */
    default CompletionStage<Connection> connectAsync(ConnectionParameters parameters, Duration timeout) {
        return Twins.of(() -> connect(parameters, timeout));
    }

    /** Gives up, if it has not connected: the queue pair is closed too. A connection that was made stays. */
    @Override
    void close();
}
