package org.panamaverbs.softiwarp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.panamaverbs.Configuration;
import org.panamaverbs.Setting;
import org.panamaverbs.UnsupportedVerbException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpContext;
import org.panamaverbs.ddp.DdpDatagramSocket;
import org.panamaverbs.ddp.DdpGroup;
import org.panamaverbs.ddp.DdpListener;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpSocket;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.softiwarp.client.Buffers;
import org.panamaverbs.softiwarp.client.SinkMemory;
import org.panamaverbs.softiwarp.lifecycle.Children;
import org.panamaverbs.softiwarp.memory.BufferPool;
import org.panamaverbs.softiwarp.mpa.FpduWriter;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.kind.Transports;
import org.panamaverbs.spi.Waits;

/** A context: its event loops, and the ways to open sockets. */
public final class SoftDdpContext implements DdpContext {
    /** The most streams that may send from large buffers at the same time; the other streams need more write calls. */
    private static final int LARGE_BUFFERS = 64;

    private final DdpSettings settings;
    private final Children children = new Children("the context");
    private final List<EventLoop> loops = new ArrayList<>();
    private final AtomicInteger nextLoop = new AtomicInteger();
    private final SecureRandom random = new SecureRandom();
    private final SegmentAllocator memory = (size, alignment) -> Arena.ofAuto().allocate(size, alignment);
    private final BufferPool pool = new BufferPool(memory, FpduWriter.LARGE_BUFFER, LARGE_BUFFERS);
    private final MpaStreams mpa = new MpaStreams(this);

    /** Opens a context. */
    public SoftDdpContext(Configuration configuration) {
        settings = DdpSettings.of(configuration);
        Transports.Choice choice = Transports.choose(settings.transport(), settings.congestionControl());
        for (int i = 0; i < settings.progressThreads(); i++) {
            loops.add(new EventLoop(choice.open(settings.congestionControl()), "ddp-progress-" + i, settings.busyPollNanos()));
        }
    }

    /** The settings of a context. */
    public static List<Setting<?>> settings() {
        return DdpSettings.ALL;
    }

    EventLoop nextLoop() {
        children.check();
        return loops.get(Integer.remainderUnsigned(nextLoop.getAndIncrement(), loops.size()));
    }

    Children children() {
        return children;
    }

    SegmentAllocator memory() {
        return memory;
    }

    BufferPool pool() {
        return pool;
    }

    Buffers newBuffers() {
        return new Buffers(random::nextInt, System::nanoTime, TimeUnit.MILLISECONDS.toNanos(settings.quarantineMillis()));
    }

    SinkMemory newSinkMemory() {
        return new SinkMemory(size -> memory.allocate(size, 64));
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
    public DdpSocket connect(DdpGroup group, DdpTransport transport, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        SoftDdpGroup own = own(group);
        own.children().check();
        Route.checkResolved(remote);
        Objects.requireNonNull(options);
        Waits.nanos(timeout);
        return switch (transport) {
            case MPA -> mpa.connect(own, remote, options, timeout);
            case SCTP, TCP, UDP, MEMORY -> throw new UnsupportedVerbException(transport + " is not built yet");
        };
    }

    @Override
    public DdpListener listen(DdpGroup group, DdpTransport transport, InetSocketAddress local, DdpOptions options) {
        SoftDdpGroup own = own(group);
        own.children().check();
        Route.checkResolved(local);
        Objects.requireNonNull(options);
        AcceptQueue queue = switch (transport) {
            case MPA -> mpa.listen(own, local, options);
            case SCTP, TCP, MEMORY -> throw new UnsupportedVerbException(transport + " is not built yet");
            case UDP -> throw new IllegalArgumentException("UDP has no streams to listen for: bind a datagram socket");
        };
        own.children().add(queue);
        return queue;
    }

    @Override
    public DdpDatagramSocket bind(DdpGroup group, InetSocketAddress local, DdpOptions options) {
        throw new UnsupportedVerbException("UDP is not built yet");
    }

    @Override
    public void close() {
        if (children.close()) {
            loops.forEach(EventLoop::close);
        }
    }
}
