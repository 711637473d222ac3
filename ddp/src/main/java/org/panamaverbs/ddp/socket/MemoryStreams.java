package org.panamaverbs.ddp.socket;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.panamaverbs.SystemException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.spi.support.Rollback;

/** Connects and accepts streams inside the context. Ports are numbers of the context's own. */
final class MemoryStreams {
    private static final int FIRST_FREE = 49_152;
    private static final int LAST = 65_535;

    /** A port that listens. */
    private record Listening(SoftDdpGroup group, DdpOptions options, StreamListener queue) {
    }

    private final SoftDdpContext context;
    private final Map<Integer, Listening> ports = new HashMap<>();
    private int next = FIRST_FREE;

    MemoryStreams(SoftDdpContext context) {
        this.context = context;
    }

    MemorySocket connect(SoftDdpGroup group, InetSocketAddress remote, DdpOptions options) {
        Listening listening;
        int port;
        synchronized (this) {
            listening = ports.get(remote.getPort());
            port = freePort();
        }
        if (listening == null) {
            throw new SystemException("connect to " + Route.text(remote) + " in memory: no socket of this context listens there",
                    (Throwable) null);
        }
        MemorySocket active = socket(group, options, port);
        MemorySocket passive = socket(listening.group(), listening.options(), remote.getPort());
        MemorySocket.join(active, passive);
        group.children().add(active);
        try (Rollback undo = new Rollback()) {
            undo.add(active::close);
            listening.group().children().add(passive);
            undo.commit();
        }
        listening.queue().add(passive);
        return active;
    }

    private MemorySocket socket(SoftDdpGroup group, DdpOptions options, int port) {
        return SoftDdpContext.withArena(memory -> new MemorySocket(group, options, context.nextLoop(), address(port), memory));
    }

    StreamListener listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        StreamListener queue = new StreamListener(group);
        int port;
        synchronized (this) {
            port = local.getPort() == 0 ? freePort() : local.getPort();
            if (ports.putIfAbsent(port, new Listening(group, options, queue)) != null) {
                throw new SystemException("listen on " + Route.text(local) + " in memory: another socket of this context listens there",
                        (Throwable) null);
            }
        }
        return queue.listensAt(new StreamListener.Port() {
            @Override
            public InetSocketAddress address() {
                return MemoryStreams.address(port);
            }

            @Override
            public void close() {
                synchronized (MemoryStreams.this) {
                    ports.remove(port);
                }
            }
        });
    }

    private static InetSocketAddress address(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private int freePort() {
        do {
            next = next == LAST ? FIRST_FREE : next + 1;
        } while (ports.containsKey(next));
        return next;
    }
}
