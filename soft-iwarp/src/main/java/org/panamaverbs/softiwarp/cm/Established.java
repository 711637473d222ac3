package org.panamaverbs.softiwarp.cm;

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
}
