package org.panamaverbs.nio;

import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.NotYetConnectedException;
import java.nio.channels.UnresolvedAddressException;
import java.nio.channels.UnsupportedAddressTypeException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The failures of channels as their sockets throw them, with the words of the JDK's sockets. */
// Tested by TranscriptTest.
final class SocketFailures {
    private static final Map<Class<?>, String> WORDS = Map.of(ClosedChannelException.class, "Socket is closed",
            NotYetConnectedException.class, "Socket is not connected", AlreadyBoundException.class, "Already bound",
            AlreadyConnectedException.class, "Already connected", NotYetBoundException.class, "Socket is not bound yet",
            UnsupportedAddressTypeException.class, "Unsupported address type", UnresolvedAddressException.class, "Unresolved address");

    private SocketFailures() {
    }

    /** A call of a channel. */
    @FunctionalInterface
    interface Call<T> {
        T run() throws IOException;
    }

    /** Makes a call; an {@link IOException} of it stays as it is. */
    static <T> T translated(Call<T> call) throws IOException {
        try {
            return call.run();
        } catch (RuntimeException e) {
            throw translation(e);
        }
    }

    /** Makes a call for a method that throws {@link SocketException} alone. */
    static <T> T ofOption(Call<T> call) throws SocketException {
        try {
            return call.run();
        } catch (SocketException e) {
            throw e;
        } catch (ClosedChannelException e) {
            throw of("Socket is closed", e);
        } catch (IOException e) {
            throw of(e.getMessage(), e);
        }
    }

    private static SocketException translation(RuntimeException e) throws SocketException {
        String words = WORDS.get(e.getClass());
        if (words == null) {
            throw e;
        }
        return of(words, e);
    }

    private static SocketException of(@Nullable String words, Exception cause) {
        SocketException exception = new SocketException(words);
        exception.initCause(cause);
        return exception;
    }
}
