package org.panamaverbs.netty;

import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import org.panamaverbs.SystemException;

/** The exceptions of connects that fail. Programs know failures by the class that NIO throws for an error number. */
// Tested by ConnectFailuresTest.
final class ConnectFailures {
    private static final int NO_RIGHT = 13;
    private static final int ADDRESS_IN_USE = 98;
    private static final int NO_SUCH_ADDRESS = 99;
    private static final int NO_ROUTE_TO_HOST = 113;
    private static final int TIMED_OUT = 110;
    private static final int REFUSED = 111;

    private ConnectFailures() {
    }

    /** An exception with the message of a failure and the class that NIO has for it; without an error number, a refusal. */
    static IOException of(IOException failure) {
        String message = failure.getMessage();
        IOException named = switch (errorNumber(failure)) {
            case 0, REFUSED, TIMED_OUT -> new ConnectException(message);
            case NO_ROUTE_TO_HOST -> new NoRouteToHostException(message);
            case ADDRESS_IN_USE, NO_SUCH_ADDRESS, NO_RIGHT -> new BindException(message);
            default -> new SocketException(message);
        };
        named.initCause(failure);
        return named;
    }

    private static int errorNumber(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SystemException system) {
                return system.errorNumber();
            }
        }
        return 0;
    }
}
