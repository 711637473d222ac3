package org.panamaverbs.softiwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import jdk.jfr.Recording;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.panamaverbs.Access;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Configuration;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.ActiveOpen;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;

/** Memory runs out while an event of a connection is recorded: here, when the recorder asks the channel for an address. */
class UnrecordedConnectionTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int SIZE = 16;

    private final Arena arena = Arena.ofShared();
    private Verbs verbs;
    private SoftDevice device;
    private ProtectionDomain domain;
    private CompletionQueue queue;
    private SoftQueuePair pair;
    private EventLoop loop;
    private ConnectionRequest request;
    /** The thread whose next question for an address fails. */
    private final AtomicReference<Thread> victim = new AtomicReference<>();

    @BeforeEach
    void open() {
        Configuration.Builder configuration = Configuration.builder();
        SoftIwarp.settings("nio").forEach(configuration::set);
        verbs = Verbs.open(configuration.build());
        device = (SoftDevice) verbs.device();
        domain = device.allocateProtectionDomain();
        queue = device.createCompletionQueue(16);
        loop = new EventLoop(failing(new NioMultiplexer()), "unrecorded", 0);
        ((SoftCompletionQueue) queue).use(loop);
        pair = SoftConnectionManager.createQueuePair(device, domain, QueuePairAttributes.of(queue));
    }

    @AfterEach
    void close() {
        verbs.close();
        loop.close();
        arena.close();
    }

    /** Connects the queue pair with a passive side, which has receives posted in a region. */
    private <T> T connect(MemoryRegion sink, BiFunction<Opening<T>, Agreement, T> taker) {
        try (Listener listener = ConnectionManager.of(device).listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1)) {
            ActiveOpen<T> open = new ActiveOpen<>(loop, path -> SoftConnectionManager.terms(device, ConnectionParameters.defaults(), path),
                    taker);
            open.connect(Route.to(listener.address()));
            request = listener.awaitRequest(LIMIT);
            QueuePair passive = request.createQueuePair(domain, QueuePairAttributes.of(device.createCompletionQueue(16)));
            for (int i = 0; i < 4; i++) {
                passive.post(new ReceiveRequest().receive(i).local(sink, 0, SIZE));
            }
            request.accept(ConnectionParameters.defaults(), LIMIT);
            return open.await(LIMIT);
        }
    }

    /** Its one channel fails. */
    private Multiplexer failing(Multiplexer real) {
        Channel[] made = new Channel[2];
        return proxy(Multiplexer.class, (method, values) -> {
            if (method.getName().equals("connect")) {
                made[0] = (Channel) method.invoke(real, values);
                made[1] = failing(made[0]);
                return made[1];
            }
            if (values != null && values[0] == made[1]) {
                values[0] = made[0];
            }
            return method.invoke(real, values);
        });
    }

    private Channel failing(Channel channel) {
        return proxy(Channel.class, (method, values) -> {
            if (method.getName().endsWith("Address") && victim.compareAndSet(Thread.currentThread(), null)) {
                throw new OutOfMemoryError("of the test");
            }
            return method.invoke(channel, values);
        });
    }

    /** A call of a proxy. */
    private interface Call {
        Object carryOut(Method method, Object[] values) throws ReflectiveOperationException;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, (proxy, method, values) -> {
            try {
                return call.carryOut(method, values);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }));
    }

    private MemoryRegion region() {
        return domain.register(arena.allocate(SIZE), Access.LOCAL_WRITE);
    }

    private static void recordTimes(Recording recording) {
        recording.enable("panamaverbs.SlowOperation").with("longerThan", "1 ns");
        recording.start();
    }

    /** Runs something that may hang, in a thread of its own. */
    private static <T> T guarded(Callable<T> action) throws Exception {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                result.complete(action.call());
            } catch (Exception | Error e) {
                result.completeExceptionally(e);
            }
        });
        return result.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    private void asLeader(Consumer<Thread> action) {
        loop.call(() -> action.accept(Thread.currentThread()));
    }

    /** A failure of a step of our own, even of a recording, ends the connection, and no other. */
    @Test
    void shouldEndTheConnectionOfATurnThatIsNotRecorded() throws Exception {
        SoftConnection connection = connect(region(), (opened, agreement) -> SoftConnection.connect(pair, opened, agreement));
        try (Recording recording = new Recording()) {
            recordTimes(recording);
            asLeader(leader -> {
                victim.set(leader);
                connection.driver().onTurn();
            });
        }
        assertNull(victim.get(), "the turn was recorded");
        assertEquals(ConnectionEnd.Cause.LOCAL_ERROR, connection.end().orElseThrow().cause());
        assertInstanceOf(OutOfMemoryError.class, connection.failure().orElseThrow().getCause());
    }

    @Test
    void shouldPostAfterARequestThatCouldNotBeTimed() throws Exception {
        MemoryRegion region = region();
        connect(region, (opened, agreement) -> SoftConnection.connect(pair, opened, agreement));
        try (Recording recording = new Recording()) {
            recordTimes(recording);
            guarded(() -> {
                victim.set(Thread.currentThread());
                assertThrows(OutOfMemoryError.class, () -> pair.post(new SendRequest().send(1).local(region, 0, SIZE).signaled()));
                assertNull(victim.get(), "the request was timed");
                pair.post(new SendRequest().send(2).local(region, 0, SIZE).signaled());
                return null;
            });
            assertEquals(2, queue.take(LIMIT).orThrow().id());
            guarded(() -> {
                pair.close();
                return null;
            });
        }
    }
}
