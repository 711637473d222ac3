package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsTimeoutException;

/**
 * Failures to connect, in the classes and words of the JDK's sockets: programs tell by these what has failed. Errors of TCP are those of
 * Linux.
 */
public final class ConnectFailures {
    private static final int TIMED_OUT = 110;

    /** An error of Linux that TCP meets as well as iWARP, which has TCP's routes, addresses and ports. */
    private record OfTcp(String text, Function<String, SocketException> exception) {
    }

    private static final Map<Integer, OfTcp> ERRORS = Map.ofEntries(
            Map.entry(1, new OfTcp("Operation not permitted", SocketException::new)),
            Map.entry(13, new OfTcp("Permission denied", BindException::new)),
            Map.entry(22, new OfTcp("Invalid argument", SocketException::new)),
            Map.entry(97, new OfTcp("Address family not supported by protocol", SocketException::new)),
            Map.entry(98, new OfTcp("Address already in use", BindException::new)),
            Map.entry(99, new OfTcp("Cannot assign requested address", BindException::new)),
            Map.entry(100, new OfTcp("Network is down", SocketException::new)),
            Map.entry(101, new OfTcp("Network is unreachable", SocketException::new)),
            Map.entry(TIMED_OUT, new OfTcp("Connection timed out", ConnectException::new)),
            Map.entry(111, new OfTcp("Connection refused", ConnectException::new)),
            Map.entry(112, new OfTcp("Host is down", SocketException::new)),
            Map.entry(113, new OfTcp("No route to host", NoRouteToHostException::new)));

    private ConnectFailures() {
    }

    private static @Nullable OfTcp find(IOException failure) {
        return failure.getCause() instanceof SystemException cause ? ERRORS.get(cause.errorNumber()) : null;
    }

    /**
     * Says whether TCP fails as well, to the same port. A peer that takes the connection and does not speak MPA, a peer that does not answer
     * in time, and a device that fails leave TCP a chance.
     *
     * @param failure of a stream over iWARP, which has the routes, addresses and ports of TCP
     * @return whether another attempt over TCP is useless
     */
    public static boolean concernsTcp(IOException failure) {
        return find(failure) != null;
    }

    /**
     * Translates a failure of {@link ByteStream#failure()}.
     *
     * @param failure why a stream was never connected
     * @return a {@link NoRouteToHostException}, {@link BindException}, {@link ConnectException} or {@link SocketException}, as the JDK's
     *         channels throw it for the same error of TCP; a {@code ConnectException} for other reasons. The message begins with the text of
     *         the system
     */
    public static SocketException asOfJdk(IOException failure) {
        OfTcp error = failure.getCause() instanceof VerbsTimeoutException ? ERRORS.get(TIMED_OUT) : find(failure);
        SocketException exception = error == null ? new ConnectException(failure.getMessage())
                : error.exception.apply(error.text + ": " + failure.getMessage());
        exception.initCause(failure);
        return exception;
    }
}
