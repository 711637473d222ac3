package org.panamaverbs;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.panamaverbs.device.AddressVector;

/**
 * The attributes of a queue pair as its device has them ({@code ibv_query_qp}); {@link QueuePair#query()} asks for them. A device may have
 * more room than {@link QueuePair#attributes()} grants.
 *
 * <p>Each attribute is empty if the device does not have it, does not have it yet, or answers a value that verbs rule out. The attributes of
 * a path are there from RTR on, those of sending from RTS on, and none of them is there once the queue pair is in error.
 */
// Tested by QueryContract, QueryFaultsTest.
public interface QueriedAttributes {
    /** The states of verbs ({@code ibv_qp_state}); {@link QueuePairState} has those that a program acts on. */
    enum State {
        /** Created. */
        RESET,
        /** Takes receives. */
        INIT,
        /** Takes the peer's requests (RTR). */
        READY_TO_RECEIVE,
        /** Takes requests of both sides (RTS). */
        READY_TO_SEND,
        /** Starts no request that is posted from now on (SQD). */
        SEND_QUEUE_DRAINED,
        /** A request of a queue pair without a connection failed (SQE). */
        SEND_QUEUE_ERROR,
        /** Flushes every request. */
        ERROR
    }

    /** {@return its state; drivers that do not say leave it to this library} */
    default Optional<State> state() {
        return Optional.empty();
    }

    /** {@return how many requests the device's send queue holds, 0 or more} */
    default OptionalInt sendDepth() {
        return OptionalInt.empty();
    }

    /** {@return how many receives the device's receive queue holds, 0 or more; 0 with a shared queue on most devices} */
    default OptionalInt receiveDepth() {
        return OptionalInt.empty();
    }

    /** {@return the most elements of a list to send, 0 or more} */
    default OptionalInt sendElements() {
        return OptionalInt.empty();
    }

    /** {@return the most elements of a list to receive into, 0 or more} */
    default OptionalInt receiveElements() {
        return OptionalInt.empty();
    }

    /** {@return the most bytes of a request with {@link SendRequest#inline()}, 0 or more} */
    default OptionalInt inlineLength() {
        return OptionalInt.empty();
    }

    /** {@return IRD: how many Reads and atomics of the peer may be outstanding ({@code max_dest_rd_atomic}), 0 or more} */
    default OptionalInt inboundReads() {
        return OptionalInt.empty();
    }

    /** {@return ORD: how many Reads and atomics of ours may be outstanding ({@code max_rd_atomic}), 0 or more} */
    default OptionalInt outboundReads() {
        return OptionalInt.empty();
    }

    /** {@return the longest packet in bytes: 256, 512, 1024, 2048 or 4096; on InfiniBand and RoCE} */
    default OptionalInt pathMtu() {
        return OptionalInt.empty();
    }

    /** {@return how often a request is sent again that the peer does not acknowledge, 0 to 7; on InfiniBand and RoCE} */
    default OptionalInt retries() {
        return OptionalInt.empty();
    }

    /** {@return how often a message is sent again for which the peer has no receive, 0 to 7, of which 7 is for ever; on InfiniBand and RoCE} */
    default OptionalInt receiverNotReadyRetries() {
        return OptionalInt.empty();
    }

    /** {@return how long the peer waits before it sends a message again for which this side has no receive, 10 µs to 655.36 ms; on InfiniBand and RoCE} */
    default Optional<Duration> receiverNotReadyDelay() {
        return Optional.empty();
    }

    /** {@return how long this side waits for an acknowledgement before it sends a request again, 8.192 µs to 8,796 s, or {@link Verbs#FOREVER}; on InfiniBand and RoCE} */
    default Optional<Duration> acknowledgementTimeout() {
        return Optional.empty();
    }

    /** {@return the number of the peer's queue pair, 24 bits; on InfiniBand and RoCE} */
    default OptionalInt remoteNumber() {
        return OptionalInt.empty();
    }

    /** {@return the route to the peer; on InfiniBand and RoCE. Its flow label is the one that packets carry, also if the kernel chose it} */
    default Optional<AddressVector> route() {
        return Optional.empty();
    }

    /** {@return the rights that the peer's requests can have at all: some of {@link Access#REMOTE_WRITE}, {@link Access#REMOTE_READ} and {@link Access#REMOTE_ATOMIC}; on InfiniBand and RoCE} */
    default Optional<Set<Access>> rights() {
        return Optional.empty();
    }
}
