package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.socket.protocol.DdppProtocol;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.lifecycle.Complaints;
import org.panamaverbs.softiwarp.lifecycle.Pending;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.slf4j.LoggerFactory;

/** Connects and accepts streams of DDPP core over TCP. */
final class TcpStreams {
    private final Complaints complaints = new Complaints(LoggerFactory.getLogger(TcpStreams.class));

    private final SoftDdpContext context;

    TcpStreams(SoftDdpContext context) {
        this.context = context;
    }

    StreamSocket connect(SoftDdpGroup group, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        EventLoop loop = context.nextLoop();
        Route route = Route.to(remote);
        Pending<StreamSocket> pending = new Pending<>("connect to " + route.describe());
        Consumer<TcpOpen> established = done -> {
            StreamSocket socket = socket(group, options, loop, done);
            if (!pending.complete(socket)) {
                // The thread that waited has given up.
                socket.close();
            }
        };
        TcpOpen open = Shortage.naming("a stream",
                () -> TcpOpen.start(loop, loop.multiplexer().connect(route), context.memory(), false, established, pending::fail));
        try {
            return pending.await(timeout, open::waitsFor);
        } catch (RuntimeException | Error e) {
            open.abort();
            throw e;
        }
    }

    private StreamSocket socket(SoftDdpGroup group, DdpOptions options, EventLoop loop, TcpOpen open) {
        StreamSocket socket = new StreamSocket(group, DdpTransport.TCP, options, loop, open.channel(), new StreamFactory() {
            @Override
            public Client.Protocol clientProtocol() {
                return Client.Protocol.DDPP;
            }

            @Override
            public StreamProtocol protocol(Client client, SocketCounters counters) {
                return new DdppProtocol(client, counters, open.preamble(), context.memory());
            }
        });
        group.children().add(socket);
        socket.attach();
        open.to(socket);
        return socket;
    }

    AcceptQueue listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        EventLoop loop = context.nextLoop();
        AcceptQueue queue = new AcceptQueue(group);
        ListeningPort port = ListeningPort.open(loop, local, AcceptQueue.BACKLOG, Route.USUAL_SERVICE,
                channel -> TcpOpen.start(loop, channel, context.memory(), true,
                        done -> queue.add(socket(group, options, loop, done)),
                        reason -> onRefused(local, reason)));
        return queue.listensAt(AcceptQueue.portOf(port));
    }

    private void onRefused(InetSocketAddress local, VerbsException reason) {
        // If this side is closed, the peer did nothing wrong.
        if (!(reason instanceof ClosedException)) {
            complaints.warn("refused a peer at {}: {}", local, reason.getMessage());
        }
    }
}
