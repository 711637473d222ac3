package org.panamaverbs.softiwarp.progress;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import org.panamaverbs.PeerException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.memory.Fields;
import org.panamaverbs.softiwarp.qp.Stream;
import org.panamaverbs.softiwarp.wire.TerminateCode;
import org.slf4j.LoggerFactory;

/**
 * How the connection of a stream ends: the reason, and the announcement of it. {@link StreamDriver} and {@link StreamSender} share it, each
 * with a thread of its own: the first of them that notices a reason keeps it.
 */
final class StreamEnd {
    /** One limit for all connections: if memory runs out, all of them may fail. */
    private static final Complaints COMPLAINTS = new Complaints(LoggerFactory.getLogger(StreamDriver.class));
    /** How many times the end is announced if the listener fails. */
    private static final int MOST_ANNOUNCEMENTS = 10;
    private static final VarHandle ANNOUNCED = Fields.of(MethodHandles.lookup(), "announced", boolean.class);

    private final Stream stream;
    private final InetSocketAddress peer;
    private final StreamDriver.Listener listener;

    /** Whether soft-iwarp failed. */
    private volatile boolean defective;
    /** How many announcements failed. The owner of transmission writes it. */
    private int unannounced;
    /** Why the channel broke; written before the stream is told. */
    private volatile VerbsException broken;
    /** Whether the drain after a disconnect was given up. The leader writes it. */
    private volatile boolean gaveUp;
    /** Whether the channel is closed. The leader writes it. */
    private volatile boolean closed;
    /** Whether the listener was told of the end. */
    @SuppressWarnings("unused") // by the handle
    private volatile boolean announced;

    StreamEnd(Stream stream, InetSocketAddress peer, StreamDriver.Listener listener) {
        this.stream = stream;
        this.peer = peer;
        this.listener = listener;
    }

    /** Whether the channel broke, or soft-iwarp failed. */
    boolean isBroken() {
        return broken != null;
    }

    /** Keeps the reason why the channel broke, if there is none yet. */
    void onBroken(VerbsException reason) {
        if (broken == null) {
            broken = reason;
        }
    }

    /** Logs a defect of soft-iwarp, and keeps it as the reason for the end, if there is none yet. */
    void onDefect(String doing, Throwable defect) {
        defective = true;
        onBroken(new SystemException("connection to " + peer + ": soft-iwarp itself failed while it " + doing + ": " + defect
                + "; the log has more. Unless memory ran out, please report it", defect));
        COMPLAINTS.error("soft-iwarp failed while it " + doing + "; closing the connection to {}", peer, defect);
    }

    /** The failure of a close that was tried again and again. */
    SystemException unclosed(Throwable cause) {
        return new SystemException("connection to " + peer + ": cannot be closed: " + cause
                + "; its memory may still be in use, do not free it. The log has more", cause);
    }

    /** Logs that the connection could not be ended after a defect. */
    void onSecondDefect(Throwable failure) {
        COMPLAINTS.error("soft-iwarp failed while it ended the connection to {}; it tries again", peer, failure);
    }

    /** Logs that the time of a turn was not recorded. The connection goes on. */
    void onUnrecorded(Throwable failure) {
        COMPLAINTS.error("the time of a turn was not recorded; the connection to {} goes on", peer, failure);
    }

    boolean hasGivenUp() {
        return gaveUp;
    }

    void giveUp() {
        gaveUp = true;
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }

    /**
     * Called before anything is flushed: a thread that sees a flushed request also sees that the connection has ended, and why. If the
     * listener fails, a later call tells it again, some times: memory that ran out may be there again. Only the owner of transmission calls it.
     */
    void announce() {
        if (!ANNOUNCED.compareAndSet(this, false, true)) {
            return;
        }
        try {
            listener.onDisconnected(failure());
        } catch (RuntimeException | Error e) {
            announced = ++unannounced >= MOST_ANNOUNCEMENTS;
            throw e;
        }
    }

    /** The cause, or {@code null} if the stream ended in good order. */
    private VerbsException failure() {
        int code = stream.errorCode();
        if (code == TerminateCode.NONE) {
            return null;
        }
        String connection = "connection to " + peer;
        if (gaveUp) {
            return new PeerException(
                    connection
                            + ": nothing was sent for 2 s after the disconnect: the peer took no data, or did not answer a Read in full; "
                            + "outstanding requests are flushed");
        }
        if (stream.isErrorFromPeer()) {
            return new PeerException(connection + ": the peer terminated it: " + TerminateCode.describe(code));
        }
        if (code == TerminateCode.MPA_CLOSED) {
            if (broken != null) {
                return broken;
            }
            return defective
                    ? new SystemException(connection + ": soft-iwarp itself failed, and could not keep the reason; the log may have more",
                            null)
                    : new PeerException(connection + ": the peer closed it in the middle of a message");
        }
        return new PeerException(connection + ": terminated by this side: " + TerminateCode.describe(code));
    }
}
