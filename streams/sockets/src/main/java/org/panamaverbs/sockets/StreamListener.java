package org.panamaverbs.sockets;

/** Learns that a stream has changed. */
@FunctionalInterface
public interface StreamListener {
    /**
     * A stream was connected or failed to; bytes have arrived, or left; or it has ended. The program looks at the stream to see which.
     *
     * <p>Called by the thread that turns the loop, at most once in each turn. It must not wait.
     *
     * @param stream the stream
     */
    void changed(ByteStream stream);
}
