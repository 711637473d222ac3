package org.panamaverbs.softiwarp.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.NoRouteToHostException;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.SocketCalls;

class FailuresTest {
    @Test
    void shouldSayWhatWasTriedTheCallTheErrorAndTheCure() {
        VerbsException failure = Failures.of("listen on 10.0.0.1:4791", "bind", Errno.EADDRINUSE, "Address already in use");
        assertEquals(Errno.EADDRINUSE, assertInstanceOf(SystemException.class, failure).errorNumber());
        assertEquals("listen on 10.0.0.1:4791: bind: EADDRINUSE (98), Address already in use; another socket has this address and port: "
                + "close it, or choose another port (0 picks a free one)", failure.getMessage());
    }

    @Test
    void shouldSayWhatFailedInTheWordsOfTheSystem() {
        assumeTrue(SocketCalls.unavailable() == null, SocketCalls::unavailable);
        VerbsException failure = Failures.of("listen on 10.0.0.1:4791", "bind", Errno.EADDRINUSE);
        String start = "listen on 10.0.0.1:4791: bind: EADDRINUSE (98), Address already in use; ";
        assertTrue(failure.getMessage().startsWith(start), failure.getMessage());
    }

    @Test
    void shouldSpeakOfLocalPortsToThoseWhoConnectAlone() {
        String text = "Cannot assign requested address";
        String reason = "no network interface of this machine has this address";
        String cure = ": \"ip address\" lists those it has";
        assertTrue(Failures.of("listen on 192.0.2.77:1", "bind", Errno.EADDRNOTAVAIL, text).getMessage().endsWith(reason + cure));
        assertTrue(Failures.of("connect to 192.0.2.77:1", "connect", Errno.EADDRNOTAVAIL, text).getMessage()
                .endsWith(reason + ", or no local port is free" + cure));
    }

    @Test
    void shouldNameTheLimitOnDescriptors() {
        VerbsException failure = Failures.of("accept on 10.0.0.1:4791", "accept4", Errno.EMFILE, "Too many open files");
        assertInstanceOf(ResourceException.class, failure);
        assertTrue(failure.getMessage().contains("EMFILE (24)") && failure.getMessage().contains("ulimit -n"), failure.getMessage());
    }

    @Test
    void shouldReadTheKindOfAFailureFromNiosWords() {
        IOException cause = new IOException("Too many open files");
        VerbsException failure = Failures.of("accept on 10.0.0.1:4791", "accept", cause);
        assertInstanceOf(ResourceException.class, failure);
        assertSame(cause, failure.getCause());
        assertTrue(Failures.of("x", "bind", new BindException("Address already in use")).getMessage().contains("another socket"));
        assertTrue(Failures.of("x", "bind", new BindException("Cannot assign requested address")).getMessage().contains("no network"));
        assertTrue(Failures.of("x", "connect", new NoRouteToHostException("No route to host")).getMessage().contains("no route"));
    }
}
