package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.socket.protocol.DdppProtocol;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.support.Complaints;

/** Connects and accepts streams of DDPP core over TCP. */
final class TcpStreams {
    private final Complaints complaints = new Complaints(TcpStreams.class);

    private final SoftDdpContext context;

    TcpStreams(SoftDdpContext context) {
        this.context = context;
    }

    StreamSocket connect(SoftDdpGroup group, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        EventLoop loop = context.nextLoop();
        TcpOpen open = Shortage.naming("a stream", () -> new TcpOpen(loop, done -> socket(group, options, done), Opening.ONLY_THE_WAITER));
        open.connect(Route.to(remote));
        return open.await(timeout);
    }

    private StreamSocket socket(SoftDdpGroup group, DdpOptions options, TcpOpen open) {
        StreamSocket socket = SoftDdpContext.newSocket(group,
                memory -> new StreamSocket(group, DdpTransport.TCP, options, open.loop(), open.channel(), factory(open, memory), memory));
        socket.attach();
        open.directTo(socket);
        return socket;
    }

    private static StreamFactory factory(TcpOpen open, Arena memory) {
        return new StreamFactory() {
            @Override
            public Client.Protocol clientProtocol() {
                return Client.Protocol.DDPP;
            }

            @Override
            public StreamProtocol protocol(Client client, SocketCounters counters) {
                return new DdppProtocol(client, counters, open.preamble(), memory);
            }
        };
    }

    StreamListener listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        EventLoop loop = context.nextLoop();
        StreamListener queue = new StreamListener(group);
        ListeningPort<Channel> port = ListeningPort
                .open(loop, local, queue.queue(), Route.USUAL_SERVICE,
                        channel -> new TcpOpen(loop, done -> queue.add(socket(group, options, done)),
                                reason -> complaints.warn("refused a peer at {}: {}", Route.text(local), reason.getMessage()))
                                .startOn(channel));
        return queue.listensAt(StreamListener.portOf(port));
    }
}
