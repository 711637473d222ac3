package org.panamaverbs;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.panamaverbs.device.DeviceAttributes;
import org.panamaverbs.statistics.QueuePairStatistics;

/**
 * The two work queues of a reliable connection ({@code ibv_qp}, RC). {@link org.panamaverbs.cm.Connector} and
 * {@link org.panamaverbs.cm.ConnectionRequest} make it and connect it; an {@link AddressedQueuePair} connects without them.
 *
 * <p><b>Posting.</b> A program describes a request in a {@link SendRequest} and posts it. That never waits and allocates nothing.
 * {@link #tryPost} returns {@code false} if the queue is full: then the program polls completions and posts the same request again.
 * {@link #post} throws {@link QueueFullException} instead, so that a request cannot be lost by a result that is ignored. With
 * {@link SendRequest#more()} a request waits for the next one without it, or for {@link #ringDoorbell()}: several requests go out with one
 * doorbell.
 *
 * <p><b>Memory</b> of a request belongs to the provider until the request completes. The program must not change memory of a Send or Write
 * until then: the peer could get a mix, and over soft-iwarp with CRCs the connection can end, because the checksum is older than the bytes.
 * With {@link SendRequest#inline()} the bytes are copied when the request is posted. This does not concern memory that a peer Reads or
 * Writes by rights of its own: it may change at any time, and no connection ends (docs/memory.md says what a Read sees then).
 *
 * <p><b>Order.</b> Send requests start in the order posted and complete in that order. A Read may overtake neither; the bytes that a Read
 * fetched are there when it completes, and a later request that needs them is {@link SendRequest#fenced()}. A Send or Write completes when
 * its memory may be used again, which says nothing about the peer. A request that is not {@link SendRequest#signaled()} and succeeds completes
 * silently; one that fails always completes visibly. Its place in the queue is free again once it, and all before it, are done.
 *
 * <p><b>Errors.</b> The checks are the same for every provider, and nothing is posted if one fails. All methods that post throw
 * {@link IndexOutOfBoundsException} for memory outside its region or outside the peer's memory; {@link IllegalArgumentException} for a
 * region of another domain, a region without the right that the request needs, a flag or a part that the request cannot have, a part that it
 * needs and does not have, too many elements, or a message longer than {@link DeviceAttributes#maximumMessageSize()};
 * {@link UnsupportedVerbException} without the {@link Capability} that the request needs; {@link IllegalStateException} for a region that is
 * closed, for Reads and atomics of a connection with an ORD of 0, or a queue pair that is not connected yet (receives excepted); and
 * {@link ClosedException} for a queue pair that is closed.
 */
// Tested by PostingContract, QueryContract.
public non-sealed interface QueuePair extends ReceiveQueue, AsynchronousEvent.Source, AutoCloseable {
    /** {@return the domain it belongs to; never changes} */
    ProtectionDomain domain();

    /** {@return the number that completions repeat; unique on its device} */
    int number();

    /** {@return its attributes; with the depths and lengths that it really has, which may be greater than those asked for} */
    QueuePairAttributes attributes();

    /** {@return its state; as of now} */
    QueuePairState state();

    /**
     * How many requests the send queue has room for. A request leaves the queue once it is done; one that is not signaled may stay until a
     * later one completes, and on devices until that completion is polled.
     *
     * @return 0 to {@link QueuePairAttributes#sendDepth()}; a thread that alone posts can post at least so many
     */
    int sendRoom();

    /**
     * Posts a request to the send queue.
     *
     * @param request the request; it may describe another one as soon as this returns
     * @return {@code false} if the send queue is full: nothing was posted
     */
    boolean tryPost(SendRequest request);

    /**
     * Posts a request to the send queue, for a program that knows the queue has room.
     *
     * @param request the request; it may describe another one as soon as this returns
     * @throws QueueFullException if the send queue is full: nothing was posted
     */
    default void post(SendRequest request) {
        if (!tryPost(request)) {
            throw QueueFullException.ofSends(this);
        }
    }

    /**
     * Its statistics: the requests that it has had, and the traffic that it has carried. It can be asked for after it has closed, too.
     *
     * @return a snapshot, whose counts are empty if the provider does not have them
     */
    default QueuePairStatistics statistics() {
        return new QueuePairStatistics() {
        };
    }

    /**
     * Asks the device for its attributes ({@code ibv_query_qp}), which costs a system call on devices.
     *
     * @return as of now; an attribute that the provider or the device does not answer is empty
     * @throws ClosedException if the queue pair is closed
     * @throws SystemException if the device refuses to answer
     */
    default QueriedAttributes query() {
        return new QueriedAttributes() {
        };
    }

    /**
     * Changes, while it is connected, how long the peer waits before it sends a message again for which this side has no receive (RNR timer).
     * The device rounds it up as {@link org.panamaverbs.device.PathAttributes#receiverNotReadyDelay()} says.
     *
     * @param delay more than 0, up to 655.36 ms
     * @throws UnsupportedVerbException without {@link Capability#RECEIVER_NOT_READY}
     * @throws IllegalArgumentException for any other duration
     * @throws IllegalStateException    if it is not connected
     * @throws ClosedException          if it is closed
     * @throws SystemException          if the device refuses
     */
    default void modifyReceiverNotReadyDelay(Duration delay) {
        throw Capability.RECEIVER_NOT_READY.missingOn(domain().device());
    }

    /**
     * Changes, while it is connected, the rights that the peer's requests can have at all, whatever the rights of regions. Without any the
     * peer can only send messages: a request of the peer that needs a missing right ends the connection. Requests that are under way may
     * still be served by the former rights.
     *
     * @param rights some of {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ} and {@link Access#REMOTE_ATOMIC}
     * @throws UnsupportedVerbException without {@link Capability#MODIFY_RIGHTS}, or for a right that the device does not have
     * @throws IllegalArgumentException for another right
     * @throws IllegalStateException    if it is not connected
     * @throws ClosedException          if it is closed
     * @throws SystemException          if the device refuses
     */
    default void modifyRights(Set<Access> rights) {
        throw Capability.MODIFY_RIGHTS.missingOn(domain().device());
    }

    /**
     * Limits, while it is connected, the rate at which it sends ({@code ibv_modify_qp_rate_limit}). The device takes a rate near it.
     *
     * @param kilobits of 1000 bits a second, within what the device can do, which the exception names; 0 for no limit
     * @throws UnsupportedVerbException without {@link Capability#RATE_LIMIT}
     * @throws IllegalArgumentException for a rate that the device cannot do
     * @throws IllegalStateException    if it is not connected
     * @throws ClosedException          if it is closed
     * @throws SystemException          if the device refuses
     */
    default void modifyRateLimit(long kilobits) {
        throw Capability.RATE_LIMIT.missingOn(domain().device());
    }

    /**
     * A further interface of the queue pair, as {@link org.panamaverbs.cm.Connection}.
     *
     * @param type the interface
     * @param <T>  its type
     * @return empty if the queue pair does not have it, or not yet
     */
    default <T> Optional<T> extension(Class<T> type) {
        return Optional.empty();
    }

    /**
     * Ends its connection at once, flushes what is outstanding to the completion queues, and closes it. To send what was posted, use
     * {@link org.panamaverbs.cm.Connection#disconnect()} and wait for the end first.
     */
    @Override
    void close();
}
