package org.panamaverbs.spi;

import org.panamaverbs.AddressHandle;
import org.panamaverbs.DatagramQueuePair;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ScatterGatherList;

/** A queue pair for datagrams whose requests are checked before the provider sees them, as those of {@link AbstractQueuePair} are. */
public abstract class AbstractDatagramQueuePair extends AbstractReceives implements DatagramQueuePair {
    private final ProtectionDomain domain;
    private final QueuePairAttributes attributes;

    /**
     * Makes the checks for a queue pair.
     *
     * @param domain     the domain that the queue pair belongs to
     * @param attributes with the depths and lengths that the queue pair really has
     * @param longest    the longest datagram, in bytes
     */
    protected AbstractDatagramQueuePair(ProtectionDomain domain, QueuePairAttributes attributes, long longest) {
        super(new RequestChecks(domain, attributes.sendElements(), attributes.receiveElements(), attributes.inlineLength(),
                longest), attributes.sharedReceiveQueue());
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
     * Posts a datagram that is checked and whose memory is one part.
     *
     * @param operation {@link SendOperation#SEND} or {@link SendOperation#SEND_WITH_IMMEDIATE}
     * @param id        the number that the completion repeats
     * @param region    a valid region of the domain
     * @param offset    the start of the message; within the region
     * @param length    the length of the message
     * @param to        an address handle of the domain
     * @param receiver  the receiver's queue pair number
     * @param key       the receiver's Q_Key
     * @param immediate the immediate data, or 0
     * @param flags     flags that the operation can have
     * @return {@code false} if the send queue is full; then the requests that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue pair or the address handle has been closed meanwhile
     * @throws IllegalStateException if a region has been closed meanwhile
     */
    protected abstract boolean submit(SendOperation operation, long id, MemoryRegion region, long offset, long length, AddressHandle to,
            int receiver, int key, int immediate, int flags);

    /**
     * Posts a datagram that is checked and whose memory is a list.
     *
     * @param operation {@link SendOperation#SEND} or {@link SendOperation#SEND_WITH_IMMEDIATE}
     * @param id        the number that the completion repeats
     * @param list      parts as above, no more than the queue pair takes
     * @param to        an address handle of the domain
     * @param receiver  the receiver's queue pair number
     * @param key       the receiver's Q_Key
     * @param immediate the immediate data, or 0
     * @param flags     flags that the operation can have
     * @return {@code false} if the send queue is full; then the requests that wait for a doorbell start
     * @throws org.panamaverbs.ClosedException if the queue pair or the address handle has been closed meanwhile
     * @throws IllegalStateException if a region has been closed meanwhile
     */
    protected abstract boolean submit(SendOperation operation, long id, ScatterGatherList list, AddressHandle to, int receiver, int key,
            int immediate, int flags);

    @Override
    public final boolean tryPostSend(long id, MemoryRegion region, long offset, long length, AddressHandle to, int receiver, int key,
            int flags) {
        checks.send(SendOperation.SEND, region, offset, length, flags);
        checkHandle(to);
        return submit(SendOperation.SEND, id, region, offset, length, to, receiver, key, 0, flags);
    }

    @Override
    public final boolean tryPostSend(long id, ScatterGatherList list, AddressHandle to, int receiver, int key, int flags) {
        checks.send(SendOperation.SEND, list, flags);
        checkHandle(to);
        return submit(SendOperation.SEND, id, list, to, receiver, key, 0, flags);
    }

    @Override
    public final boolean tryPostSendImmediate(long id, MemoryRegion region, long offset, long length, AddressHandle to, int receiver,
            int key, int immediate, int flags) {
        checks.send(SendOperation.SEND_WITH_IMMEDIATE, region, offset, length, flags);
        checkHandle(to);
        return submit(SendOperation.SEND_WITH_IMMEDIATE, id, region, offset, length, to, receiver, key, immediate, flags);
    }

    @Override
    public final boolean tryPostSendImmediate(long id, ScatterGatherList list, AddressHandle to, int receiver, int key, int immediate,
            int flags) {
        checks.send(SendOperation.SEND_WITH_IMMEDIATE, list, flags);
        checkHandle(to);
        return submit(SendOperation.SEND_WITH_IMMEDIATE, id, list, to, receiver, key, immediate, flags);
    }

    private void checkHandle(AddressHandle to) {
        if (to.domain() != domain) {
            throw new IllegalArgumentException("the address handle is not one of the queue pair's protection domain");
        }
    }
}
