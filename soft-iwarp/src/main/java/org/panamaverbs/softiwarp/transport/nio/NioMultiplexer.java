package org.panamaverbs.softiwarp.transport.nio;

import java.io.Closeable;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.SocketOption;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.softiwarp.transport.TcpOptions;
import org.panamaverbs.spi.AllAddresses;
import org.panamaverbs.spi.support.Rollback;

/**
 * TCP and UDP on any system that runs Java, by NIO's selector and channels. {@link NioSource} makes their events edge-triggered.
 *
 * <p>It differs from the epoll transport because NIO offers less: waits are rounded up to whole milliseconds; the JDK tells neither the TCP segment size nor the acknowledged bytes, so there is no user time-out; the text of an
 * exception tells the kind of a failure. {@link #select} may return 0 before its time; on an interrupted thread it returns at once.
 */
public final class NioMultiplexer implements Multiplexer {
    private static final int READS = SelectionKey.OP_READ | SelectionKey.OP_ACCEPT | SelectionKey.OP_CONNECT;
    private static final int WRITES = SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT;

    private final Selector selector;
    private final Consumer<SelectionKey> dispatcher = this::dispatch;
    private final TcpOptions options;
    private volatile Thread selecting;
    private int called;

    /** Opens a selector, and leaves the options of sockets to the system. */
    public NioMultiplexer() {
        this(TcpOptions.OF_SYSTEM);
    }

    /** Opens a selector whose TCP sockets are kept alive as these options say; the JDK has neither of the other options. */
    public NioMultiplexer(TcpOptions options) {
        this.options = options;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw Failures.of("open a selector", "open", e);
        }
    }

    Selector selector() {
        return selector;
    }

    @Override
    public Channel connect(Route route) {
        InetSocketAddress remote = route.remote();
        String action = "connect to " + route.describe();
        String call = "connect";
        try (Rollback undo = new Rollback()) {
            SocketChannel socket = SocketChannel.open(family(remote));
            undo.add(() -> closeQuietly(socket));
            socket.configureBlocking(false);
            setOptions(socket, route.typeOfService(), options);
            if (route.local().isPresent()) {
                call = "bind";
                socket.bind(route.local().get());
                call = "connect";
            }
            NioChannel channel = new NioChannel(socket, remote, socket.connect(remote));
            undo.commit();
            return channel;
        } catch (IOException e) {
            throw Failures.of(action, call, e);
        } catch (UnsupportedOperationException e) {
            throw new SystemException(action + ": this machine has no IPv6: use an IPv4 address", e);
        }
    }

    @Override
    public Acceptor<Channel> listen(InetSocketAddress local, int backlog, int typeOfService) {
        Failures.requireResolved(local);
        String action = "listen on " + Route.text(local);
        try (Rollback undo = new Rollback()) {
            InetSocketAddress covered = AllAddresses.covering(local);
            ServerSocketChannel socket = ServerSocketChannel.open(family(covered));
            undo.add(() -> closeQuietly(socket));
            socket.configureBlocking(false);
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.bind(covered, backlog);
            NioAcceptor acceptor = new NioAcceptor(socket, (InetSocketAddress) socket.getLocalAddress(), typeOfService, options);
            undo.commit();
            return acceptor;
        } catch (IOException e) {
            throw Failures.of(action, "bind", e);
        } catch (UnsupportedOperationException e) {
            throw new SystemException(action + ": this machine has no IPv6: use an IPv4 address", e);
        }
    }

    /** Sets the options of a connection's socket. */
    static void setOptions(SocketChannel socket, int typeOfService, TcpOptions options) throws IOException {
        socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        if (typeOfService != Route.USUAL_SERVICE) {
            socket.setOption(StandardSocketOptions.IP_TOS, typeOfService);
        }
        if (options.keepsAlive()) {
            TcpOptions.KeepAlive keepAlive = options.keepAlive();
            socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
            setIfSupported(socket, "TCP_KEEPIDLE", keepAlive.idle());
            setIfSupported(socket, "TCP_KEEPINTERVAL", keepAlive.interval());
            setIfSupported(socket, "TCP_KEEPCOUNT", keepAlive.probes());
        }
    }

    /** Looked up by name: a run-time image may lack jdk.net, the module of these options. A system without them uses its own times. */
    private static void setIfSupported(SocketChannel socket, String name, int value) throws IOException {
        for (SocketOption<?> option : socket.supportedOptions()) {
            if (option.name().equals(name) && option.type() == Integer.class) {
                @SuppressWarnings("unchecked")
                SocketOption<Integer> number = (SocketOption<Integer>) option;
                socket.setOption(number, value);
            }
        }
    }

    static ProtocolFamily family(InetSocketAddress address) {
        return address.getAddress() instanceof Inet6Address ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET;
    }

    static void closeQuietly(Closeable socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // The caller reports another failure.
            }
        }
    }

    @Override
    public Registration add(Channel channel, Handler handler) {
        return ((NioChannel) channel).register(this, handler);
    }

    @Override
    public void remove(Channel channel) {
        ((NioChannel) channel).unregister();
    }

    @Override
    public void add(Acceptor<Channel> acceptor, Handler handler) {
        ((NioAcceptor) acceptor).register(this, handler);
    }

    @Override
    public DatagramPort bind(DatagramBinding binding) {
        return NioDatagramPort.open(binding);
    }

    @Override
    public void add(DatagramPort port, Handler handler) {
        ((NioDatagramPort) port).register(this, handler);
    }

    /** Makes the selector apply a change of interest: it reads changes only at the start of a selection. */
    void interestChanged() {
        if (Thread.currentThread() != selecting) {
            selector.wakeup();
        }
    }

    /** Frees the file descriptors of closed sockets, in the thread that selects. A handler need not: its selection ends with that. */
    void freeClosed() {
        if (selecting != null || !selector.isOpen()) {
            return;
        }
        try {
            // Events stay armed, so the next selection reports them.
            selector.selectNow(key -> {
            });
        } catch (ClosedSelectorException e) {
            return; // it has freed them
        } catch (IOException e) {
            throw Failures.of("free closed sockets", "select", e);
        }
        // selectNow used up the wake-ups that came before it.
        selector.wakeup();
    }

    @Override
    public int select(long timeoutNanos) {
        called = 0;
        selecting = Thread.currentThread();
        try {
            if (timeoutNanos == 0) {
                selector.selectNow(dispatcher);
            } else if (timeoutNanos < 0) {
                selector.select(dispatcher);
            } else {
                selector.select(dispatcher, milliseconds(timeoutNanos));
            }
        } catch (ClosedSelectorException e) {
            throw new ClosedException("the selector is closed", e);
        } catch (IOException e) {
            throw Failures.of("wait for events", "select", e);
        } finally {
            selecting = null;
        }
        return called;
    }

    private static long milliseconds(long nanos) {
        long whole = TimeUnit.NANOSECONDS.toMillis(nanos);
        return TimeUnit.MILLISECONDS.toNanos(whole) < nanos ? whole + 1 : whole;
    }

    private void dispatch(SelectionKey key) {
        int ready;
        try {
            ready = key.readyOps();
            // Disarms before it calls the handler: see NioSource.
            key.interestOpsAnd(~ready);
        } catch (CancelledKeyException e) {
            return; // a handler of this selection, or another thread, has closed the channel
        }
        int events = ((ready & READS) != 0 ? READABLE : 0) | ((ready & WRITES) != 0 ? WRITABLE : 0);
        called += ((Registration) key.attachment()).dispatch(events);
    }

    @Override
    public void wakeUp() {
        selector.wakeup();
    }

    @Override
    public void close() {
        closeQuietly(selector);
    }
}
