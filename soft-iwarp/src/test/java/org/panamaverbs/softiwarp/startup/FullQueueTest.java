package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.cm.ActiveOpen;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;

/** The queue of a peer's Unix socket is full, for which the kernel returns EAGAIN: the connecting side waits, and its loop does not. */
class FullQueueTest {
    private static final Terms TERMS = new Terms(2, true, 16, 16, new byte[0]);
    private static final Duration SHORT = Duration.ofMillis(100);
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final InetSocketAddress NOBODY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);

    private final AtomicInteger asked = new AtomicInteger();

    private EventLoop loop(int fullFor, int otherwise) {
        return new EventLoop(SurvivingLoopTest.faulty((method, arguments) -> {
            if (method.getName().equals("connect")) {
                if (asked.incrementAndGet() <= fullFor) {
                    throw new SystemException("connect: EAGAIN", Errno.EAGAIN);
                } else if (otherwise != 0) {
                    throw new SystemException("connect: " + Errno.name(otherwise), otherwise);
                }
            }
        }), "full", 0);
    }

    private static ActiveOpen<Void> open(EventLoop loop, InetSocketAddress address) {
        ActiveOpen<Void> open = new ActiveOpen<>(loop, path -> TERMS, (opened, agreement) -> {
            throw new AssertionError("the peer has accepted");
        });
        open.connect(Route.to(address));
        return open;
    }

    private void awaitSecondAttempt() {
        while (asked.get() < 2) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldConnectOnceThereIsRoom() throws IOException {
        try (EventLoop loop = loop(3, 0); ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setSoTimeout((int) LONG.toMillis());
            ActiveOpen<Void> open = open(loop, (InetSocketAddress) server.getLocalSocketAddress());
            try (Socket peer = server.accept()) {
                assertEquals("MPA ID Req Frame", new String(peer.getInputStream().readNBytes(16)));
            }
            assertEquals(4, asked.get());
            open.abort();
        }
    }

    @Test
    void shouldEndWithTheTimeOfItsCaller() {
        try (EventLoop loop = loop(Integer.MAX_VALUE, 0)) {
            ActiveOpen<Void> open = open(loop, NOBODY);
            awaitSecondAttempt();
            String message = assertThrows(VerbsTimeoutException.class, () -> open.await(SHORT)).getMessage();
            assertTrue(message.contains("the queue of the process there is full"), message);
        }
    }

    @Test
    void shouldBeRefusedIfTheListenerIsClosedMeanwhile() {
        try (EventLoop loop = loop(2, Errno.ECONNREFUSED)) {
            ActiveOpen<Void> open = open(loop, NOBODY);
            SystemException refused = assertThrows(SystemException.class, () -> open.await(LONG));
            assertEquals(Errno.ECONNREFUSED, refused.errorNumber());
            assertEquals(3, asked.get());
        }
    }

    @Test
    void shouldEndWithItsLoop() {
        EventLoop loop = loop(Integer.MAX_VALUE, 0);
        ActiveOpen<Void> open = open(loop, NOBODY);
        awaitSecondAttempt();
        loop.close();
        assertThrows(ClosedException.class, () -> open.await(LONG));
    }
}
