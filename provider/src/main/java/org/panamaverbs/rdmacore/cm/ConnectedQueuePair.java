package org.panamaverbs.rdmacore.cm;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.QueuePair;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionEnd;

/** A queue pair, as the connection sees it that the queue pair is made for. */
public interface ConnectedQueuePair extends QueuePair {
    /** Connects by a call that the queue pair survives. */
    void connect(Runnable call);

    /**
     * Accepts by a call that the queue pair survives, and after which the device sends. Another thread may post meanwhile: its request waits
     * until the call returns.
     */
    void accept(Runnable call);

    /** How long the peer waits before it sends a message again for which there is no receive. The queue pair is ready to send. */
    void delayUnreceived(Duration delay);

    /**
     * The connection is there; by the event reader. Receives that have completed before are delivered now.
     *
     * @param initiator whether this side asked for it
     */
    void onEstablished(Connection connection, boolean initiator);

    /** The connection is over; by the event reader. */
    void onDisconnected(int status);

    void disconnect();

    /** Disconnects because of a failure. */
    void fail(VerbsException reason);

    boolean isConnected();

    boolean awaitDisconnected(Duration timeout);

    /** How the connection ended. */
    Optional<ConnectionEnd> connectionEnd();

    /** Completes with how the connection ended, by a thread that may block. */
    CompletionStage<ConnectionEnd> whenEnded();
}
