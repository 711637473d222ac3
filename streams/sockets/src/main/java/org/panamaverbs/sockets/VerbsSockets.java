package org.panamaverbs.sockets;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.panamaverbs.ClosedException;
import org.panamaverbs.Device;
import org.panamaverbs.Incubating;
import org.panamaverbs.Verbs;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.ConnectionManager;
import org.panamaverbs.cm.Connector;
import org.panamaverbs.cm.Listener;
import org.panamaverbs.cm.Route;
import org.panamaverbs.spi.support.Workers;

/**
 * Sockets over verbs whose methods wait, or give a stage ({@link VerbsSocket} has the rules). They speak rsocket: librdmacm's
 * {@code rstream}, or a program under {@code librspreload.so}, can be the peer.
 *
 * {@snippet :
 * try (Verbs verbs = Verbs.open(Configuration.load());
 *         VerbsSockets sockets = VerbsSockets.open(verbs);
 *         VerbsSocket socket = sockets.connect(new InetSocketAddress("server", 7471), Duration.ofSeconds(5))) {
 *     socket.outputStream().write("hello".getBytes(UTF_8));
 *     socket.shutdownOutput();
 *     byte[] answer = socket.inputStream().readAllBytes();
 * }
 * }
 *
 * <p>Any thread may use them, virtual ones too. A program with event loops of its own takes a {@link StreamLoop}.
 */
// Tested by VerbsSocketTest, ConnectStagesTest.
public final class VerbsSockets implements AutoCloseable {
    private final Verbs verbs;
    private final Map<Device, SocketLoop> loops = new HashMap<>();
    private boolean closed;

    private VerbsSockets(Verbs verbs) {
        this.verbs = verbs;
    }

    /**
     * Opens one; it starts a thread for each device that its sockets use.
     *
     * @param verbs open verbs, which stay open until this is closed
     * @return closed by the caller
     */
    public static VerbsSockets open(Verbs verbs) {
        return new VerbsSockets(verbs);
    }

    synchronized SocketLoop loop(Device device) {
        if (closed) {
            throw new ClosedException("the sockets are closed");
        }
        return loops.computeIfAbsent(device, SocketLoop::open);
    }

    /**
     * Connects with the usual options.
     *
     * @param remote  the peer's address
     * @param timeout how long that may take at most
     * @return closed by the caller
     * @throws java.net.SocketTimeoutException if the time is up
     * @throws IOException                     if the peer cannot be reached, refuses, or does not speak rsocket; the class is that of
     *                                         {@link ConnectFailures#asOfJdk}, and the message names the reason
     */
    public VerbsSocket connect(InetSocketAddress remote, Duration timeout) throws IOException {
        return connect(Route.to(remote), timeout, StreamOptions.defaults());
    }

    /**
     * Connects.
     *
     * @param route   the peer's address, and how to get there
     * @param timeout how long that may take at most
     * @param options how the stream behaves
     * @return closed by the caller
     * @throws java.net.SocketTimeoutException if the time is up
     * @throws IOException                     if the peer cannot be reached, refuses, or does not speak rsocket; the class is that of
     *                                         {@link ConnectFailures#asOfJdk}, and the message names the reason
     */
    public VerbsSocket connect(Route route, Duration timeout, StreamOptions options) throws IOException {
        VerbsSocket socket;
        try {
            Connector connector = ConnectionManager.of(verbs).connector(route, timeout);
            try {
                SocketLoop loop = loop(connector.device());
                SocketStages stages = new SocketStages(loop);
                socket = new VerbsSocket(loop, loop.streams().connect(connector, timeout, options, stages), stages);
            } catch (VerbsException e) {
                connector.close();
                throw e;
            }
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
        socket.awaitConnected(timeout);
        return socket;
    }

    /**
     * Connects with the usual options; the twin of {@link #connect(InetSocketAddress, Duration)} that waits without a thread, as
     * {@link VerbsSocket} says of all stages.
     *
     * @param remote the peer's address
     * @return as of {@link #connectAsync(Route, StreamOptions)}
     */
    @Incubating("how a stage is withdrawn, and what holds for stages that wait beside each other")
    public CompletionStage<VerbsSocket> connectAsync(InetSocketAddress remote) {
        return connectAsync(Route.to(remote), StreamOptions.defaults());
    }

    /**
     * Connects; the twin of {@link #connect(Route, Duration, StreamOptions)} that waits without a thread, as {@link VerbsSocket} says of all
     * stages. It has no limit but those of the network: {@code orTimeout} sets one. A stage that is withdrawn ends the attempt. (Devices of
     * rdma-core connect by calls that wait: a worker waits for each.)
     *
     * @param route   the peer's address, and how to get there
     * @param options how the stream behaves
     * @return completes with the socket, closed by the caller, or with an {@link IOException} as of {@code connect};
     *         {@link java.nio.channels.AsynchronousCloseException} if the sockets are closed meanwhile
     */
    @Incubating("how a stage is withdrawn, and what holds for stages that wait beside each other")
    public CompletionStage<VerbsSocket> connectAsync(Route route, StreamOptions options) {
        PendingConnect stage = new PendingConnect(Objects.requireNonNull(options));
        Objects.requireNonNull(route);
        try {
            Workers.execute(() -> stage.begin(() -> ConnectionManager.of(verbs).connector(route, Verbs.FOREVER), this::loop));
            return stage;
        } catch (VerbsException e) {
            return CompletableFuture.failedFuture(new IOException(e.getMessage(), e));
        }
    }

    /**
     * Listens with the usual options.
     *
     * @param local   the address to listen on; port 0 picks a free one, which {@link VerbsServerSocket#address()} tells
     * @param backlog how many peers may wait to be accepted, 1 or more; further ones wait until there is a place
     * @return closed by the caller
     * @throws IOException              if the address is in use, or is not one of this machine's
     * @throws IllegalArgumentException for a backlog below 1
     */
    public VerbsServerSocket listen(InetSocketAddress local, int backlog) throws IOException {
        return listen(local, backlog, StreamOptions.defaults());
    }

    /**
     * Listens.
     *
     * @param local   the address to listen on; port 0 picks a free one, which {@link VerbsServerSocket#address()} tells
     * @param backlog how many peers may wait to be accepted, 1 or more; further ones wait until there is a place
     * @param options how the streams behave
     * @return closed by the caller
     * @throws IOException              if the address is in use, or is not one of this machine's
     * @throws IllegalArgumentException for a backlog below 1
     */
    public VerbsServerSocket listen(InetSocketAddress local, int backlog, StreamOptions options) throws IOException {
        try {
            Listener listener = ConnectionManager.of(verbs).listen(local, backlog);
            try {
                return new VerbsServerSocket(this, listener, backlog, options);
            } catch (VerbsException | OutOfMemoryError e) {
                listener.close();
                throw e;
            }
        } catch (VerbsException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    /** Cuts all sockets. */
    @Override
    public void close() {
        Map<Device, SocketLoop> last;
        synchronized (this) {
            closed = true;
            last = Map.copyOf(loops);
            loops.clear();
        }
        last.values().forEach(SocketLoop::close);
    }
}
