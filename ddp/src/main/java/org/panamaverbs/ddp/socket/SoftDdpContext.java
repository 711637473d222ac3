package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.panamaverbs.Configuration;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Buffers;
import org.panamaverbs.ddp.ddpp.SourceTable;
import org.panamaverbs.softiwarp.Settings;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.DatagramBinding;
import org.panamaverbs.softiwarp.transport.DatagramPort;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.spi.support.Children;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;

/** A context: its event loops, and the ways to open sockets. */
// Tested by MemorySocketTest, DatagramSocketTest, TcpSocketTest.
final class SoftDdpContext implements DdpContext {
    /** The most streams that may send from large buffers at the same time; the other streams need more write calls. */
    private static final int LARGE_BUFFERS = 64;

    private final long busyPollNanos;
    private final long quarantineNanos;
    private final Children children = new Children("the context");
    private final List<EventLoop> loops = new ArrayList<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final SecureRandom random = new SecureRandom();
    private final Arena memory = Arena.ofShared();
    private final BufferPool pool = new BufferPool(memory, FpduWriter.LARGE_BUFFER, LARGE_BUFFERS);
    private final MpaStreams mpa = new MpaStreams(this);
    private final TcpStreams tcp = new TcpStreams(this);
    private final MemoryStreams inMemory = new MemoryStreams(this);
    private final SctpStreams sctp = new SctpStreams(this);

    /** Opens a context. */
    SoftDdpContext(Configuration configuration) {
        Settings settings = Settings.of(configuration);
        busyPollNanos = settings.busyPollNanos();
        quarantineNanos = TimeUnit.MILLISECONDS.toNanos(configuration.get(SoftDdpProvider.QUARANTINE));
        Transports.Choice choice = Transports.choose(settings.transport(), settings.tcp().congestionControl());
        try (Rollback undo = new Rollback()) {
            undo.add(memory::close);
            undo.add(() -> loops.forEach(EventLoop::close));
            for (int i = 0; i < settings.progressThreads(); i++) {
                loops.add(loop(choice.open(settings.tcp()), "ddp-progress-" + i));
            }
            undo.commit();
        }
    }

    EventLoop nextLoop() {
        children.check();
        return loops.get(Integer.remainderUnsigned(nextLoop.getAndIncrement(), loops.size()));
    }

    /** Starts a loop that watches the channels of NIO. */
    EventLoop newNioLoop(String name) {
        children.check();
        return loop(new NioMultiplexer(), name);
    }

    private EventLoop loop(Multiplexer multiplexer, String name) {
        try (Rollback undo = new Rollback()) {
            undo.add(multiplexer::close);
            EventLoop loop = new EventLoop(multiplexer, name, busyPollNanos);
            undo.commit();
            return loop;
        }
    }

    Children children() {
        return children;
    }

    BufferPool pool() {
        return pool;
    }

    Buffers newBuffers() {
        return new Buffers(random::nextInt, System::nanoTime, quarantineNanos);
    }

    SourceTable newSourceTable() {
        return new SourceTable(SourceTable.USUAL, random.nextLong());
    }

    private SoftDdpGroup own(DdpGroup group) {
        if (Objects.requireNonNull(group) instanceof SoftDdpGroup own && own.context() == this) {
            return own;
        }
        throw new IllegalArgumentException("the group belongs to another context");
    }

    @Override
    public DdpGroup newGroup() {
        SoftDdpGroup group = new SoftDdpGroup(this);
        children.add(group);
        return group;
    }

    @Override
    public DdpSocket connect(DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        DdpGroup group = newGroup();
        try (Rollback undo = new Rollback()) {
            undo.add(group::close);
            AbstractSocket socket = (AbstractSocket) connect(group, transport, remote, options, timeout);
            socket.endGroup();
            undo.commit();
            return socket;
        }
    }

    @Override
    public DdpSocket connect(DdpGroup group, DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        SoftDdpGroup own = own(group);
        own.children().check();
        Route.checkResolved(remote);
        Objects.requireNonNull(options);
        Waits.nanos(timeout);
        return switch (transport) {
            case MPA -> mpa.connect(own, remote, options, timeout);
            case TCP -> tcp.connect(own, remote, options, timeout);
            case UDP -> datagrams(own, anyPortFor(remote), options, remote);
            case MEMORY -> inMemory.connect(own, remote, options);
            case SCTP -> sctp.connect(own, remote, options, timeout);
        };
    }

    @Override
    public DdpListener listen(DdpGroup group, DdpTransport transport, InetSocketAddress local, DdpOptions options) {
        SoftDdpGroup own = own(group);
        own.children().check();
        Route.checkResolved(local);
        Objects.requireNonNull(options);
        StreamListener queue = switch (transport) {
            case MPA -> mpa.listen(own, local, options);
            case TCP -> tcp.listen(own, local, options);
            case MEMORY -> inMemory.listen(own, local, options);
            case SCTP -> sctp.listen(own, local, options);
            case UDP -> throw new IllegalArgumentException("UDP has no streams to listen for: bind a datagram socket");
        };
        try (Rollback undo = new Rollback()) {
            undo.add(queue::close);
            own.children().add(queue);
            undo.commit();
        }
        return queue;
    }

    @Override
    public DdpDatagramSocket bind(DdpGroup group, InetSocketAddress local, DdpOptions options) {
        SoftDdpGroup own = own(group);
        own.children().check();
        Route.checkResolved(local);
        return datagrams(own, local, Objects.requireNonNull(options), null);
    }

    private DatagramSocket datagrams(SoftDdpGroup group, InetSocketAddress local, DdpOptions options, InetSocketAddress remote) {
        EventLoop loop = nextLoop();
        DatagramBinding binding = DatagramBinding.to(local).withReceiveBuffer(options.receiveBuffer()).withTimeToLive(options.ttl());
        DatagramPort port = loop.multiplexer()
                .bind(options.networkInterface().isPresent() ? binding.on(options.networkInterface().get()) : binding);
        try (Rollback undo = new Rollback()) {
            undo.add(port::close);
            DatagramSocket socket = newSocket(group, memory -> new DatagramSocket(group, options, loop, port, remote, memory));
            undo.add(socket::close);
            socket.attach();
            undo.commit();
            return socket;
        }
    }

    /** Makes an object with an arena, which the object closes; if that fails, nobody else would. */
    @SuppressWarnings("MustBeClosedChecker") // The object closes it.
    static <T> T withArena(Function<Arena, T> maker) {
        Arena memory = Arena.ofShared();
        try (Rollback undo = new Rollback()) {
            undo.add(memory::close);
            T object = maker.apply(memory);
            undo.commit();
            return object;
        }
    }

    /** Makes a socket of a group with an arena. If that fails, or the group closed meanwhile, there is neither. */
    static <T extends AbstractSocket> T newSocket(SoftDdpGroup group, Function<Arena, T> maker) {
        return withArena(memory -> {
            T socket = maker.apply(memory);
            group.children().add(socket);
            return socket;
        });
    }

    /** The unspecified address of the family of a destination, and any port. */
    private static InetSocketAddress anyPortFor(InetSocketAddress remote) {
        return new InetSocketAddress(remote.getAddress() instanceof Inet6Address ? "::" : "0.0.0.0", 0);
    }

    @Override
    public void close() {
        if (children.close()) {
            loops.forEach(EventLoop::close);
            sctp.close();
            pool.close(memory::close);
        }
    }
}
