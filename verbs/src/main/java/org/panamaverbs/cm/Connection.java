package org.panamaverbs.cm;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.Capability;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;
import org.panamaverbs.QueuePair;
import org.panamaverbs.RequestFailedException;
import org.panamaverbs.VerbsException;

/**
 * A connected queue pair. {@link QueuePair#statistics()} counts what the connection has carried: a queue pair connects once, so that a
 * connection has no counts of its own.
 */
// Tested by ConnectionContract, EndContract, DisconnectContract.
public interface Connection extends AutoCloseable {
    /**
     * The connection of a queue pair. It is there before {@code connect} or {@code accept} returns, and before any receive of the queue pair
     * completes: a thread that takes the completion of a peer's first message finds it, and may post. So the thread that takes completions
     * needs nothing from the one that connects.
     *
     * @param queuePair one that a {@link Connector} or {@link ConnectionRequest} has made
     * @return empty before it is connected, and if it was closed before that
     */
    static Optional<Connection> of(QueuePair queuePair) {
        return queuePair.extension(Connection.class);
    }

    /** {@return its queue pair; never changes} */
    QueuePair queuePair();

    /**
     * Whether both ends can do something. It may be less than {@link org.panamaverbs.Device#supports} says, since the peer decides too.
     *
     * @param capability the capability that is needed
     * @return {@code false} if requests that need it are refused on this connection
     */
    default boolean supports(Capability capability) {
        return queuePair().domain().device().supports(capability);
    }

    /** {@return this end; with the real port} */
    InetSocketAddress localAddress();

    /** {@return the other end; with the real port} */
    InetSocketAddress remoteAddress();

    /**
     * What the bytes of this connection go through, in words for people: {@code TCP} or {@code shared memory} of soft-iwarp, and of a device
     * its transport, for example {@code InfiniBand}.
     *
     * @return never changes
     */
    default String path() {
        return queuePair().domain().device().attributes().transport().toString();
    }

    /**
     * The private data that the peer's program sent when it connected or accepted. InfiniBand and RoCE fill it up with zeros to a length of
     * their own: a program that sends data of varying length also says where the data ends.
     *
     * @return a copy; empty if there was none
     */
    byte[] privateData();

    /** {@return the IRD in force: how many Reads of the peer may be outstanding; 0 or more} */
    int inboundReads();

    /** {@return the ORD in force: how many Reads of ours may be outstanding; further ones wait in the send queue; 0 or more} */
    int outboundReads();

    /**
     * The IRD that the peer named when it connected or accepted (RFC 6581, 9.1). A program that needs more can connect again with other depths.
     *
     * @return 0 or more; empty if the peer named none, or the provider does not report it
     */
    default OptionalInt remoteInboundReads() {
        return OptionalInt.empty();
    }

    /**
     * {@return the ORD that the peer named when it connected or accepted (RFC 6581, 9.1); 0 or more; empty if the peer named none, or the
     * provider does not report it}
     */
    default OptionalInt remoteOutboundReads() {
        return OptionalInt.empty();
    }

    /**
     * Whether both ends can still talk.
     *
     * @return {@code false} once it was disconnected by either end, or failed
     */
    boolean isConnected();

    /**
     * Waits until it is no longer connected.
     *
     * @param timeout how long at most
     * @return {@code false} if the time was up and it still is connected
     */
    boolean awaitDisconnected(Duration timeout);

    /**
     * How it ended.
     *
     * @return empty until {@link #awaitDisconnected} would return {@code true}
     */
    Optional<ConnectionEnd> end();

    /**
     * The asynchronous twin of {@link #awaitDisconnected}: completes with {@link #end()}. Its dependents may block. A server that keeps no
     * list of its connections has each of them close itself:
     *
     * {@snippet :
     * connection.ended().thenRun(connection::close);
     * }
     *
     * @return never completes exceptionally
     */
    CompletionStage<ConnectionEnd> ended();

    /** {@return the failure by which it ended; empty while connected, and if either end disconnected in good order} */
    default Optional<VerbsException> failure() {
        return end().flatMap(ConnectionEnd::failure);
    }

    /**
     * Insists on the success of a request of this connection, as {@link Completion#orThrow} does. If the request was flushed, the exception
     * names the end of the connection: a program that sees a flushed request also sees that end.
     *
     * @param completion of a request of this connection
     * @return the completion
     * @throws RequestFailedException if the request failed; its cause is {@link #failure()} if the request was flushed
     */
    default Completion orThrow(Completion completion) {
        if (completion.status() != CompletionStatus.FLUSHED) {
            return completion.orThrow();
        }
        VerbsException failure = failure().orElse(null);
        throw new RequestFailedException(
                (completion.isReceive() ? "receive " : "request ") + completion.id() + " of queue pair " + completion.queuePairNumber()
                        + " was flushed: "
                        + (failure == null ? "the connection ended in good order before the request was done" : failure.getMessage()),
                CompletionStatus.FLUSHED, failure);
    }

    /**
     * As {@link #orThrow(Completion)}, for the completion that a cursor is on: it copies the completion only if the request failed.
     *
     * @param cursor its {@link Completions#next()} has returned {@code true}
     * @throws RequestFailedException if the request failed; its cause is {@link #failure()} if the request was flushed
     */
    default void orThrow(Completions cursor) {
        if (!cursor.isSuccess()) {
            orThrow(Completion.of(cursor));
        }
    }

    /**
     * Disconnects in good order, and does not wait. Requests that were posted before, and whose doorbell was rung, still go out on
     * soft-iwarp, as long as the peer takes them; a device sends those that it has begun. All others are flushed, later ones too. The queue
     * pair stays, so that its last completions can be polled.
     */
    void disconnect();

    /**
     * Disconnects in good order, as {@link #disconnect()} does.
     *
     * @return completes when it has ended
     */
    default CompletionStage<ConnectionEnd> disconnectAsync() {
        disconnect();
        return ended();
    }

    /** Closes the queue pair, which ends the connection at once: requests that are outstanding are flushed. */
    @Override
    void close();
}
