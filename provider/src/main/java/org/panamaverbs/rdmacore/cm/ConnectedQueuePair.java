package org.panamaverbs.rdmacore.cm;

import java.time.Duration;
import java.util.Optional;
import org.panamaverbs.QueuePair;
import org.panamaverbs.VerbsException;

/** A queue pair, as the connection sees it that the queue pair is made for. */
public interface ConnectedQueuePair extends QueuePair {
    /** Connects or accepts, by a call that the queue pair survives. */
    void start(Runnable call);

    /** The connection is there; by the event reader. */
    void onEstablished();

    /** The number of Reads of ours that the peer serves. */
    void agreedOn(int reads);

    /** The connection is over; by the event reader. */
    void onDisconnected(int status);

    void disconnect();

    boolean isConnected();

    boolean awaitDisconnected(Duration timeout);

    /** Why the connection ended, if it failed. */
    Optional<VerbsException> failure();
}
