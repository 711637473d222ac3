package org.panamaverbs.softiwarp.startup;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.panamaverbs.ResourceException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.AcceptQueue;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.fixtures.RawPeer;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.kind.Transports;

/** An error of one connection, or of one call of the system, does not stop the loop, on which all others depend. */
class SurvivingLoopTest {
    private static final int SECONDS = 60;

    /** The action of a multiplexer instead of a call, now and then. */
    interface Fault {
        /** Throws, or does nothing. */
        void before(Method method, Object[] arguments);
    }

    /** A multiplexer of NIO with faults. */
    static Multiplexer faulty(Fault fault) {
        Multiplexer real = Transports.open("nio");
        return (Multiplexer) Proxy.newProxyInstance(SurvivingLoopTest.class.getClassLoader(), new Class<?>[] { Multiplexer.class },
                (proxy, method, arguments) -> {
                    fault.before(method, arguments);
                    try {
                        return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private static void assertRuns(EventLoop loop) throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        loop.execute(ran::countDown);
        assertTrue(ran.await(SECONDS, TimeUnit.SECONDS), "the loop runs no more tasks");
    }

    @Test
    void shouldGoOnAfterASelectThatFailed() throws Exception {
        AtomicInteger selects = new AtomicInteger();
        try (EventLoop loop = new EventLoop(faulty((method, arguments) -> {
            if (method.getName().equals("select") && selects.incrementAndGet() == 3) {
                throw new IllegalStateException("a select that fails once");
            }
        }), "faulty", 0)) {
            while (selects.get() < 3) {
                assertRuns(loop);
            }
            assertRuns(loop);
        }
    }

    @Test
    void shouldGoOnAfterAnErrorOfASelect() throws Exception {
        AtomicInteger selects = new AtomicInteger();
        try (EventLoop loop = new EventLoop(faulty((method, arguments) -> {
            if (method.getName().equals("select") && selects.incrementAndGet() == 1) {
                throw new OutOfMemoryError("a select that finds no memory, once");
            }
        }), "faulty", 0)) {
            while (selects.get() < 1) {
                assertRuns(loop);
            }
            assertRuns(loop);
        }
    }

    /** A connection's handler runs within select. */
    @Test
    void shouldGoOnAfterAHandlerThatFailed() throws Exception {
        CountDownLatch called = new CountDownLatch(1);
        try (EventLoop loop = new EventLoop(Transports.open("nio"), "faulty", 0)) {
            Acceptor<Channel> acceptor = loop.multiplexer().listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 5);
            loop.multiplexer().add(acceptor, events -> {
                Channel channel = acceptor.accept();
                if (channel != null) {
                    channel.close();
                    called.countDown();
                    throw new IllegalStateException("a handler that fails");
                }
            });
            try (Socket peer = new Socket(acceptor.address().getAddress(), acceptor.address().getPort())) {
                assertTrue(called.await(SECONDS, TimeUnit.SECONDS), () -> "no event for " + peer);
            }
            assertRuns(loop);
            acceptor.close();
        }
    }

    /** The system may have no room to watch one more descriptor: the peer that was accepted is let go. */
    @Test
    void shouldCloseAPeerThatCannotBeWatched() throws Exception {
        AtomicInteger peers = new AtomicInteger();
        try (EventLoop loop = new EventLoop(faulty((method, arguments) -> {
            if (method.getName().equals("add") && arguments[0] instanceof Channel && peers.incrementAndGet() == 1) {
                throw new ResourceException("ENOSPC (28) by epoll_ctl, once");
            }
        }), "faulty", 0)) {
            ListeningPort<Channel> port = ListeningPort.open(loop, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    new AcceptQueue<>("peer", 5), Route.USUAL_SERVICE, TimeUnit.MINUTES.toNanos(1), open -> {
                    });
            try (RawPeer refused = new RawPeer(port.address(), true)) {
                assertTrue(refused.endsWithin(Duration.ofSeconds(SECONDS)), "the peer that cannot be watched sees no end");
            }
            port.close();
        }
    }
}
