package org.panamaverbs.spi;

import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.SendRequest;

/**
 * A queue pair whose requests are checked before the provider sees them. A provider extends this class and implements {@link #submit}: flags,
 * capability, parts, memory, rights, bounds and lengths are right by then. The provider itself checks for changes by other threads: that the
 * queue pair is open and connected, and that a region is still valid when its memory is used.
 */
// Tested by AtomicContract, PostingContract, RegionScopeContract.
public abstract class AbstractQueuePair extends AbstractReceives implements QueuePair {
    private final ProtectionDomain domain;
    private final QueuePairAttributes attributes;

    /**
     * Makes the checks for a queue pair.
     *
     * @param domain     the domain that the queue pair belongs to
     * @param attributes with the depths and lengths that the queue pair really has
     */
    protected AbstractQueuePair(ProtectionDomain domain, QueuePairAttributes attributes) {
        this(domain, attributes, RequestChecks.ofConnection(domain, attributes));
    }

    /**
     * Makes the checks for a queue pair that sends datagrams; {@link #outboundReads()} is not asked.
     *
     * @param domain     the domain that the queue pair belongs to
     * @param attributes with the depths and lengths that the queue pair really has
     * @param longest    the longest datagram, in bytes
     */
    protected AbstractQueuePair(ProtectionDomain domain, QueuePairAttributes attributes, long longest) {
        this(domain, attributes, RequestChecks.ofDatagrams(domain, attributes, longest));
    }

    private AbstractQueuePair(ProtectionDomain domain, QueuePairAttributes attributes, RequestChecks checks) {
        super(checks, attributes.sharedReceiveQueue());
        this.domain = domain;
        this.attributes = attributes;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public final QueuePairAttributes attributes() {
        return attributes;
    }

    /**
     * {@return the ORD in force; 0 if the connection has no Reads; any other number before the queue pair is connected, and for datagrams}
     */
    protected abstract int outboundReads();

    /**
     * Posts a request that is checked. The provider keeps no reference to it.
     *
     * @param request the request; each region was valid, had the rights that the operation needs, and contains its element
     * @return {@code false} if the send queue is full; then the requests that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue pair, the window or the address handle is closed
     * @throws IllegalStateException if the queue pair is not connected, or a region has been closed meanwhile
     */
    protected abstract boolean submit(SendWorkRequest request);

    @Override
    public final boolean tryPost(SendRequest request) {
        SendWorkRequest work = Described.of(request);
        checks.send(work, this, outboundReads());
        return submit(work);
    }
}
