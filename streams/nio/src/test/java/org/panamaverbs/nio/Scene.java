package org.panamaverbs.nio;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The objects of one line of a {@link Transcript}: a channel in some state, its peer, and what an operation gives. */
final class Scene implements AutoCloseable {
    private static final long HANG_SECONDS = 60;
    /** A server for each provider and each thread, to which the channels of its scenes connect, one at a time. */
    private static final ThreadLocal<Map<SelectorProvider, ServerSocketChannel>> SHARED = ThreadLocal.withInitial(HashMap::new);

    /** Brings a scene into a state. */
    @FunctionalInterface
    interface State {
        void prepare(Scene scene) throws Exception;
    }

    /** An operation of a program. */
    @FunctionalInterface
    interface Operation {
        Object run(Scene scene) throws Exception;
    }

    final SelectorProvider provider;
    private final long patienceMillis;
    ServerSocketChannel server;
    SocketChannel channel;
    SocketChannel peer;
    /** The channel that is registered, if not {@link #channel}. */
    SelectableChannel other;
    Pipe pipe;
    Selector selector;
    SelectionKey key;
    private final List<Closeable> more = new ArrayList<>();
    private int localPort;
    private int serverPort;

    /** @param patienceMillis how long it looks whether something happens */
    Scene(SelectorProvider provider, long patienceMillis) {
        this.provider = provider;
        this.patienceMillis = patienceMillis;
    }

    <T extends Closeable> T closedAtTheEnd(T object) {
        more.add(object);
        return object;
    }

    void serve() throws IOException {
        server = closedAtTheEnd(provider.openServerSocketChannel()).bind(Providers.anyPort());
        serverPort = ((InetSocketAddress) server.getLocalAddress()).getPort();
    }

    void open() throws IOException {
        channel = closedAtTheEnd(provider.openSocketChannel());
    }

    /** A server of another kind takes the place of this scene's. */
    void serverPort(int port) {
        serverPort = port;
    }

    InetSocketAddress address() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort);
    }

    /** Connects a channel, and accepts its peer. */
    void connect() throws IOException {
        ServerSocketChannel shared = sharedServer(provider);
        open();
        channel.connect(shared.getLocalAddress());
        peer = closedAtTheEnd(shared.accept());
        serverPort = channel.socket().getPort();
        localPort = channel.socket().getLocalPort();
    }

    private static ServerSocketChannel sharedServer(SelectorProvider provider) throws IOException {
        ServerSocketChannel shared = SHARED.get().get(provider);
        if (shared == null) {
            shared = provider.openServerSocketChannel().bind(Providers.anyPort());
            SHARED.get().put(provider, shared);
        }
        return shared;
    }

    /** Waits until the channel can read. */
    void awaitReadable() {
        if (channel instanceof VerbsSocketChannel ours && ours.carrier() instanceof StreamCarrier stream) {
            await(stream::canRead);
        } else {
            LockSupport.parkNanos(5_000_000);
        }
    }

    static void await(java.util.function.BooleanSupplier condition) {
        for (long begin = System.nanoTime(); !condition.getAsBoolean();) {
            LockSupport.parkNanos(100_000);
            if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(HANG_SECONDS)) {
                throw new IllegalStateException("the scene did not get into its state");
            }
        }
    }

    /** The buffers of the system between the channel and its peer become small, and keep their size. */
    void narrow() throws IOException {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, 64 << 10);
        peer.setOption(StandardSocketOptions.SO_RCVBUF, 64 << 10);
    }

    /** The peer's buffers and the channel's are full. */
    void fill() throws IOException {
        narrow();
        boolean blocking = channel.isBlocking();
        channel.configureBlocking(false);
        ByteBuffer piece = ByteBuffer.allocate(64 << 10);
        for (int empty = 0; empty < 10;) {
            empty = channel.write(piece.clear()) == 0 ? empty + 1 : 0;
            if (empty > 0) {
                LockSupport.parkNanos(Math.min(patienceMillis / 10, 100) * 1_000_000);
            }
        }
        channel.configureBlocking(blocking);
    }

    /** The channel is closed first: a thread that waits in it must not race with the end of its peer. */
    @Override
    public void close() throws IOException {
        if (channel != null) {
            channel.close();
        }
        for (Closeable each : more) {
            each.close();
        }
    }

    // Results.

    /**
     * Runs an operation on a thread of its own, and then closes the scene.
     *
     * @param millis after so long it waits
     * @return how it ended, and what it left behind
     */
    String run(Operation operation, long millis) throws Exception {
        String[] result = new String[1];
        CountDownLatch done = new CountDownLatch(1);
        Thread thread = Thread.ofPlatform().daemon().start(() -> {
            try {
                result[0] = text(operation.run(this));
            } catch (Throwable e) {
                result[0] = text(e);
            }
            if (Thread.interrupted()) {
                result[0] += " interrupted";
            }
            done.countDown();
        });
        if (done.await(millis, TimeUnit.MILLISECONDS)) {
            return result[0] + " | " + after();
        }
        close();
        return "waits, and at the close " + (done.await(HANG_SECONDS, TimeUnit.SECONDS) ? result[0] : "waits on as " + thread.getState());
    }

    private String after() {
        StringBuilder text = new StringBuilder();
        if (channel != null) {
            text.append(channel.isOpen() ? "open" : "closed").append(channel.isConnected() ? " connected" : "")
                    .append(channel.isConnectionPending() ? " pending" : "").append(channel.isBlocking() ? "" : " nonblocking")
                    .append(channel.isRegistered() ? " registered" : "");
        } else if (server != null) {
            text.append(server.isOpen() ? "open" : "closed").append(server.isBlocking() ? "" : " nonblocking");
        }
        if (key != null) {
            text.append(key.isValid() ? " valid" : " invalid");
        }
        return text.toString();
    }

    /** {@return a result in words that are the same each time} */
    String text(Object value) {
        return switch (value) {
            case null -> "null";
            case Throwable failure -> failure.getClass().getSimpleName() + message(failure);
            case Boolean is -> is.toString();
            case Number number -> number.toString();
            case Object[] list -> texts(Arrays.asList(list));
            case List<?> list -> texts(list);
            case Set<?> set -> new TreeSet<>(set.stream().map(this::text).toList()).toString();
            case ByteBuffer buffer -> "at " + buffer.position() + " of " + buffer.limit();
            case SelectionKey same when same == key -> "the key";
            case SelectionKey _ -> "a key";
            case Selector _ -> "the selector";
            default -> objectText(value);
        };
    }

    private String texts(List<?> list) {
        return String.join(", ", list.stream().map(this::text).toList());
    }

    private String objectText(Object value) {
        if (value == channel) {
            return "the channel";
        } else if (value == server) {
            return "the server";
        } else if (value == peer) {
            return "the peer";
        } else if (value == other) {
            return "the other";
        }
        return value instanceof Closeable object ? closedAtTheEnd(object) == null ? "" : "an object" : ports(value.toString());
    }

    /** Programs tell these apart by their message alone. */
    private String message(Throwable failure) {
        String name = failure.getClass().getName();
        return name.equals("java.net.SocketException") || name.equals("java.io.IOException") ? " " + ports(failure.getMessage()) : "";
    }

    private String ports(String text) {
        return named(named(text, serverPort, "SERVER"), localPort, "LOCAL")
                .replaceAll("(?<=:)[1-9][0-9]{3,4}\\b|(?<=port=)[1-9][0-9]{3,4}\\b", "OTHER");
    }

    private static String named(String text, int port, String name) {
        return port == 0 ? text : text.replace(":" + port, ":" + name).replace("port=" + port, "port=" + name);
    }
}
