package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.shared.SharedState.Event;

/** The state of a channel, and the rule that the peer broke, if it broke one. Any thread may call any method. */
final class SharedLife {
    private volatile SharedState state = SharedState.GREETING;
    /** Written once, before the state that it explains; {@code null} if the peer has kept to the rules. */
    private String fault;

    SharedState state() {
        return state;
    }

    /**
     * Changes the state. It allocates nothing.
     *
     * @param words the rule that the peer broke; {@code null} for another event
     * @return {@code false} if the event changes nothing
     */
    synchronized boolean change(Event event, String words) {
        SharedState next = state.after(event);
        if (next == state) {
            return false;
        }
        if (words != null) {
            fault = words;
        }
        state = next;
        return true;
    }

    /** {@return a new exception that says why no byte moves} */
    VerbsException failure(String connection) {
        SharedState current = state;
        if (fault != null) {
            return new PeerException(connection + ": the peer broke the rules of shared memory: " + fault);
        } else if (current == SharedState.CLOSED) {
            return new ClosedException(connection + " was closed here");
        } else if (current == SharedState.RESET) {
            return Failures.of(connection, "read", Errno.ECONNRESET, "Connection reset by peer");
        }
        return Failures.of(connection, "write", Errno.EPIPE, "Broken pipe");
    }
}
