package org.panamaverbs.sockets;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.sockets.StreamState.Event;

/** The state of a stream, and the reason of its end. The holder of the stream's lock writes it, and any thread reads it. */
final class StreamLife {
    /** The reason if the program does not want the stream any more. */
    static final IOException CLOSED = new IOException("the stream was closed");

    private volatile StreamState state = StreamState.CONNECTING;
    /** Written before the state that it explains; {@code null} if both sides wanted the end. */
    private @Nullable IOException reason;

    StreamState state() {
        return state;
    }

    /** The queue pair is connected. */
    void connect() {
        state = state.after(Event.CONNECT);
    }

    /** {@return whether the program closes it for the first time} */
    boolean close() {
        if (state.isClosed()) {
            return false;
        }
        state = state.after(Event.CLOSE);
        return true;
    }

    /** {@return whether it ends by that} The first reason counts. */
    boolean end(@Nullable IOException why) {
        if (state.hasEnded()) {
            return false;
        }
        reason = why;
        state = state.after(Event.END);
        return true;
    }

    /** {@return the reason why it has failed; {@code null} if it has not ended, or both sides wanted the end} */
    @Nullable
    IOException failure() {
        return state.hasEnded() ? reason : null;
    }

    /** Throws if the program has closed it. */
    void checkOpen() throws IOException {
        if (state.isClosed()) {
            throw new IOException("the stream is closed");
        }
    }

    /** Throws if it has ended. */
    void checkEnd() throws IOException {
        if (state.hasEnded()) {
            IOException why = reason;
            throw why == null ? new IOException("the stream has ended") : new IOException(why.getMessage(), why);
        }
    }
}
