package org.panamaverbs.documents;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.panamaverbs.Completion;
import org.panamaverbs.CompletionQueue;
import org.panamaverbs.Device;
import org.panamaverbs.MemoryRegion;
import org.panamaverbs.ProtectionDomain;
import org.panamaverbs.QueuePair;
import org.panamaverbs.QueuePairAttributes;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Connection;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.ConnectionParameters;
import org.panamaverbs.cm.ConnectionRequest;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.spi.Described;

/** The other end of what a fragment does. It accepts whoever connects, and takes every message. Closing its device ends it. */
public final class Peer {
    private static final int RECEIVES = 64;
    private static final long HELLO = 6;

    private final ConnectionManager manager;
    private final ProtectionDomain domain;
    private final MemorySegment memory;
    private final MemoryRegion region;
    private final MemoryRegion messages;
    private final Listener listener;
    private final InetSocketAddress fragment;
    private final CompletableFuture<Connection> first = new CompletableFuture<>();

    Peer(Device device, Arena arena, InetSocketAddress fragment) {
        manager = ConnectionManager.of(device);
        domain = device.allocateProtectionDomain();
        memory = arena.allocate(Surroundings.SIZE, 4096);
        region = domain.register(memory, Surroundings.RIGHTS);
        MemorySegment segment = arena.allocate(Surroundings.SIZE, 4096);
        segment.setString(0, "hello");
        messages = domain.register(segment, Surroundings.RIGHTS);
        listener = manager.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
        this.fragment = fragment;
        Thread.startVirtualThread(this::accept);
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** The memory that {@code remote} names. */
    public MemorySegment memory() {
        return memory;
    }

    /** How the connection of the fragment's queue pair ended here. */
    Optional<VerbsException> failure() throws Exception {
        Connection connection = first.get();
        assertTrue(connection.awaitDisconnected(Surroundings.TIMEOUT));
        return connection.failure();
    }

    /** Connects to the fragment's listener, and sends "hello" when it is connected. */
    public void connects() {
        Thread.startVirtualThread(() -> {
            Connector connector = manager.connector(fragment, Surroundings.TIMEOUT);
            CompletionQueue queue = domain.device().createCompletionQueue(1024);
            QueuePair pair = connector.createQueuePair(domain, QueuePairAttributes.of(queue));
            postReceives(pair);
            connector.connect(ConnectionParameters.defaults().withPrivateData(region.remote().encode()), Surroundings.TIMEOUT);
            send(pair, HELLO);
            take(pair, queue);
        });
    }

    /** The queue pair, but for each receive that is posted there, this peer sends a message. */
    QueuePair answering(QueuePair pair) {
        return (QueuePair) Proxy.newProxyInstance(Peer.class.getClassLoader(), new Class<?>[] { QueuePair.class },
                (proxy, method, arguments) -> invoke(pair, method, arguments));
    }

    private Object invoke(QueuePair pair, Method method, Object[] arguments) throws Throwable {
        Object result;
        try {
            result = method.invoke(pair, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (arguments != null && arguments[0] instanceof ReceiveRequest request && !Boolean.FALSE.equals(result)) {
            send(first.get().queuePair(), Math.min(HELLO, Described.of(request).totalLength()));
        }
        return result;
    }

    private void send(QueuePair pair, long length) {
        pair.post(new SendRequest().send(0).local(messages, 0, length));
    }

    private void accept() {
        try {
            while (true) {
                ConnectionRequest request = listener.awaitRequest(Verbs.FOREVER);
                CompletionQueue queue = domain.device().createCompletionQueue(1024);
                QueuePair pair = request.createQueuePair(domain, QueuePairAttributes.of(queue));
                postReceives(pair);
                Connection connection = request.accept(ConnectionParameters.defaults().withPrivateData(region.remote().encode()),
                        Surroundings.TIMEOUT);
                first.complete(connection);
                Thread.startVirtualThread(() -> take(pair, queue));
            }
        } catch (VerbsException e) {
            first.completeExceptionally(e);
        }
    }

    private void postReceives(QueuePair pair) {
        for (int i = 0; i < RECEIVES; i++) {
            pair.post(new ReceiveRequest().receive(i).local(messages, 4096, Surroundings.SIZE - 4096));
        }
    }

    private void take(QueuePair pair, CompletionQueue queue) {
        try {
            while (true) {
                Completion completion = queue.take(Verbs.FOREVER);
                if (!completion.isSuccess()) {
                    return;
                }
                if (completion.isReceive()) {
                    pair.post(new ReceiveRequest().receive(completion.id()).local(messages, 4096, Surroundings.SIZE - 4096));
                }
            }
        } catch (VerbsException | IllegalStateException e) {
            // The fragment ended this connection.
        }
    }
}
