package org.panamaverbs.sockets.protocol;

import java.io.IOException;

/** The peer broke the protocol of streams; its message names the rule and the value. */
public final class StreamProtocolException extends IOException {
    private static final long serialVersionUID = 1;

    /** Makes one. */
    public StreamProtocolException(String message) {
        super("the peer broke the protocol of streams: " + message);
    }
}
