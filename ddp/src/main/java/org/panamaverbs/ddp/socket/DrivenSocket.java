package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.softiwarp.progress.Driver;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.WriteGate;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Waits;

/**
 * A socket over a channel or a port that the loop watches. The loop's leader receives in turns; the thread that sends a message hands it to
 * the system itself, and waits while the system takes nothing. A failure of this side while it receives ends the socket.
 */
abstract class DrivenSocket extends AbstractSocket implements Driver {
    private static final Complaints COMPLAINTS = new Complaints(DrivenSocket.class);

    private final SendTurn turn;
    private final WriteGate gate = new WriteGate();

    // Only the leader uses these.
    private boolean readable;
    private boolean queued;
    private boolean released;
    /** No thread sends any more. */
    private boolean silent;

    /** Why nothing can be sent any more, or {@code null}. */
    private volatile VerbsException broken;

    DrivenSocket(SoftDdpGroup group, DdpTransport transport, DdpOptions options, EventLoop loop, Client.Protocol protocol, Arena memory) {
        super(group, transport, options, loop, protocol, memory);
        this.turn = new SendTurn(this, options.sendTimeout());
    }

    // Receiving, by the leader.

    /** Whether received bytes are of use now. */
    abstract boolean receives();

    /** Receives for one turn, and says by {@link #readable} whether there may be more. */
    abstract void receive();

    /** The socket has ended with an error. Nothing is received any more. */
    abstract void onEnd();

    /** Closes what the system has of the socket. Called once. */
    abstract void onRelease();

    @Override
    final void onStart() {
        loop().execute(this::onResume);
    }

    @Override
    final void onResume() {
        onReady(Multiplexer.READABLE);
    }

    @Override
    public final void onReady(int events) {
        if ((events & Multiplexer.READABLE) != 0) {
            readable = true;
            if (!queued && receives()) {
                queued = true;
                loop().addReady(this);
            }
        }
        if ((events & Multiplexer.WRITABLE) != 0) {
            gate.open();
            turn.signal();
        }
    }

    /** Whether the system may have more to receive. */
    final boolean isReadable() {
        return readable;
    }

    /** Says whether the system may have more to receive. */
    final void readable(boolean more) {
        readable = more;
    }

    @Override
    public final boolean onTurn() {
        try {
            receive();
        } catch (RuntimeException | Error e) {
            // The wall: whatever fails on this side while a message is received.
            COMPLAINTS.error("receiving failed; closing {}", describe(), e);
            end(new SystemException(describe() + ": soft-iwarp itself failed while it received: " + e + "; the log has more", e));
        }
        announce();
        queued = readable && receives();
        return queued;
    }

    /** The socket is over, with an error. */
    final void end(VerbsException reason) {
        breakOutput(reason);
        indications().end(reason, remoteAddress().orElseGet(this::localAddress));
        wakeReceivers();
        turn.signal();
        onEnd();
    }

    // Sending, by the thread that has the turn.

    final SendTurn turn() {
        return turn;
    }

    final WriteGate gate() {
        return gate;
    }

    /** Nothing can be sent any more; the first reason counts. */
    final void breakOutput(VerbsException reason) {
        if (broken == null) {
            broken = reason;
        }
    }

    final boolean isBroken() {
        return broken != null;
    }

    @Override
    public boolean isReadyToSend() {
        return !gate.isShut() || broken != null || isClosed();
    }

    /** Throws if nothing can be sent any more. */
    void checkSending() {
        checkOpen();
        VerbsException reason = broken;
        if (reason != null) {
            throw Waits.failed(reason);
        }
    }

    // The end.

    final boolean isReleased() {
        return released;
    }

    final void release() {
        if (!released) {
            released = true;
            loop().remove(this);
            onRelease();
        }
        if (silent) {
            releaseMemory();
        }
    }

    /** No thread sends any more. */
    final void onSilent() {
        silent = true;
        if (released) {
            releaseMemory();
        }
    }

    @Override
    public final void closeNow() {
        release();
    }
}
