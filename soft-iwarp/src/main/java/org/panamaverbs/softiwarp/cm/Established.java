package org.panamaverbs.softiwarp.cm;

import java.util.function.Consumer;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * A connection that is made.
 *
 * @param loop      what the channel belongs to
 * @param channel   connected; every byte that follows is full operation
 * @param handler   gets the handler that takes the channel's events over
 * @param agreement what was agreed
 * @param initiator whether this side asked
 */
public record Established(EventLoop loop, Channel channel, DelegatingHandler handler, Agreement agreement, boolean initiator) {
    /** Gives the connection to its taker, who closes the channel from then on. If the taker throws, this closes it and tells the cause. */
    void handOver(Consumer<Established> taker, Consumer<VerbsException> failed) {
        try {
            taker.accept(this);
        } catch (RuntimeException | Error e) {
            channel.close();
            failed.accept(e instanceof VerbsException reason ? reason
                    : new ResourceException("could not set up the connection with " + channel.remoteAddress() + " on this side: " + e, e));
        }
    }
}
