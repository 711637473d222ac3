package org.panamaverbs.softiwarp.cm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.StartupTerminate;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Registration;

/**
 * An established connection.
 *
 * @param loop      the loop that the channel belongs to
 * @param channel   connected; the next byte of each direction belongs to full operation
 * @param events    the channel's events, which the taker directs to a handler of its own
 * @param agreement the terms that both sides agreed on
 * @param initiator whether this side sent the Request
 * @param onClosed  the new owner calls it, in the leader's thread, once it has closed the channel; further calls do nothing
 */
public record Established(EventLoop loop, Channel channel, Registration events, Agreement agreement, boolean initiator,
        Runnable onClosed) {
    /** For {@link #onClosed}, if no listener counts the connection. */
    static final Runnable UNCOUNTED = () -> {
        // There is no count to correct.
    };

    /**
     * Closes the channel because this side cannot use the connection. An initiator sends a Terminate first (RFC 6581, 9.3); a responder may
     * not, since it has no FPDU of the initiator yet (RFC 5044, 7.1.2). Must be called before full operation has moved a byte.
     */
    public void refuse() {
        try {
            if (initiator && agreement.enhanced()) {
                terminate();
            }
        } catch (OutOfMemoryError e) {
            // The peer sees an end without a reason.
        } finally {
            try {
                channel.close();
            } finally {
                onClosed.run();
            }
        }
    }

    private void terminate() {
        MemorySegment frame = StartupTerminate.ofLocalError(Arena.ofAuto(), agreement);
        IoVector out = new IoVector(1);
        out.add(frame, 0, frame.byteSize());
        // A channel that has carried a Request has room for some more bytes. If it has none, the peer sees an end without a reason.
        channel.write(out);
        channel.shutdownOutput();
    }

    /**
     * Gives the connection to its taker, which must close the channel from then on. If the taker throws, this method closes the channel and
     * passes the cause to {@code failed}.
     */
    void handOver(Consumer<Established> taker, Consumer<VerbsException> failed) {
        try {
            taker.accept(this);
        } catch (RuntimeException | Error e) {
            try {
                refuse();
            } finally {
                failed.accept(e instanceof VerbsException reason ? reason
                        : new ResourceException(
                                "could not set up the connection with " + channel.remoteAddress() + " on this side: "
                                        + Shortage.describe(e),
                                e));
            }
        }
    }
}
