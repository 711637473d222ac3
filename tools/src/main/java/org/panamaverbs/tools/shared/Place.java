package org.panamaverbs.tools.shared;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.panamaverbs.cm.PeerNetwork;

/**
 * One client's place in a {@link Service}. The thread that serves the client says when the client is to act and when it has; in between the
 * client is silent, and may lose the place to a new client.
 */
public final class Place {
    private final PeerNetwork peer;
    private final AtomicBoolean held = new AtomicBoolean(true);
    private volatile boolean silent;
    /** Written before {@link #silent}. */
    private volatile long since;

    Place(PeerNetwork peer) {
        this.peer = peer;
    }

    PeerNetwork peer() {
        return peer;
    }

    /** The client is to act from now on. */
    public void waiting() {
        since = System.nanoTime();
        silent = true;
    }

    /** The client has acted. */
    public void heard() {
        silent = false;
    }

    /** How long the client has been silent at a {@link System#nanoTime}; zero while it is not its turn. */
    Duration silence(long nanoTime) {
        return silent ? Duration.ofNanos(nanoTime - since) : Duration.ZERO;
    }

    /** Whether the client has not lost it. */
    public boolean isHeld() {
        return held.get();
    }

    /**
     * Gives it up, as the client leaves or a new one comes.
     *
     * @return whether it was held until now: only then another client may have it
     */
    boolean giveUp() {
        return held.compareAndSet(true, false);
    }
}
