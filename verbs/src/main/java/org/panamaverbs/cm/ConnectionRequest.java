package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.Device;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ResourceException;

/** The passive side of a connection in the making: a peer asks. */
public interface ConnectionRequest extends AutoCloseable {
    /** {@return the device that the request came over; never changes} */
    Device device();

    /** {@return the address of this side that the peer connects to; with the port of the listener} */
    InetSocketAddress localAddress();

    /** {@return the address of the peer that asks; with the peer's port} */
    InetSocketAddress remoteAddress();

    /** {@return the private data that the peer sent; a copy; empty if there was none} */
    byte[] privateData();

    /** {@return how many Reads of ours the peer serves at a time (its IRD): the most that our ORD can be; 0 to 16,383} */
    int remoteInboundReads();

    /** {@return how many Reads of its own the peer wants outstanding (its ORD); 0 to 16,383} */
    int remoteOutboundReads();

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
     * Accepts. If it fails, the queue pair is closed and so is this.
     *
     * @param parameters private data and depths of Reads
     * @param timeout    how long at most
     * @return closed by the caller
     * @throws org.panamaverbs.PeerException            if the peer went away
     * @throws org.panamaverbs.VerbsTimeoutException    if it took too long
     * @throws org.panamaverbs.ClosedException          if it was closed meanwhile
     * @throws org.panamaverbs.UnsupportedVerbException if the parameters have something that the device lacks; this stays as it was
     * @throws IllegalStateException                    without a queue pair, or if it was accepted or rejected before
     */
    Connection accept(ConnectionParameters parameters, Duration timeout);

    /**
     * Accepts; the asynchronous twin of {@link #accept}. Closing the request ends the attempt.
     *
     * @param parameters private data and depths of Reads
     * @param timeout    how long at most
     * @return completes with the connection, or with an exception of {@link #accept}
     */
    default CompletionStage<Connection> acceptAsync(ConnectionParameters parameters, Duration timeout) {
        return Twins.of(() -> accept(parameters, timeout));
    }

    /**
     * Refuses.
     *
     * @param privateData the data that the peer gets; may be empty
     * @throws IllegalArgumentException if that is too long
     * @throws IllegalStateException    if it was accepted or rejected before
     */
    default void reject(byte[] privateData) {
        reject(ConnectionParameters.defaults().withPrivateData(privateData));
    }

    /**
     * Refuses, and tells the peer the depths of Reads that this side would accept with (RFC 6581, 9.1): a side that needs more Reads than the
     * peer serves names its ORD here. Only iWARP with MPA revision 2 carries depths, and librdmacm takes none for a reject: the peer
     * sees them if this side is soft-iwarp. The rest of the parameters is checked, and has no effect.
     *
     * @param parameters private data and depths of Reads
     * @throws IllegalArgumentException                 if they exceed a limit of the device
     * @throws org.panamaverbs.UnsupportedVerbException if they have something that the device lacks
     * @throws IllegalStateException                    if the request was accepted or rejected before
     */
    void reject(ConnectionParameters parameters);

    /** Drops the request, if it was neither accepted nor rejected. */
    @Override
    void close();
}
