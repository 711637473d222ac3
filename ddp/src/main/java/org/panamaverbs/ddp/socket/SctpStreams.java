package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.sctp.ActiveSession;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.ddp.transport.sctp.SctpAvailability;
import org.panamaverbs.ddp.transport.sctp.SctpTransport;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.panamaverbs.spi.support.Complaints;

/** Connects and accepts streams of RFC 5041 over SCTP, one for each association, on a loop of their own: the JDK's channels need NIO's. */
// Tested by SctpSocketTest.
final class SctpStreams {
    private final Complaints complaints = new Complaints(SctpStreams.class);
    /** The number of streams in each direction. */
    static final int STREAMS = 1;

    private final SoftDdpContext context;
    private EventLoop loop;
    private SctpTransport transport;

    SctpStreams(SoftDdpContext context) {
        this.context = context;
    }

    private synchronized void open() {
        if (loop == null) {
            SctpAvailability.require();
            loop = context.newNioLoop("ddp-progress-sctp");
            transport = new SctpTransport((NioMultiplexer) loop.multiplexer());
        }
    }

    synchronized void close() {
        if (loop != null) {
            loop.close();
        }
    }

    Rfc5041Socket connect(SoftDdpGroup group, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        open();
        SctpOpening opening = SoftDdpContext
                .withArena(memory -> new SctpOpening(loop, transport, out -> new ActiveSession(out, options.privateData()), session -> {
                    // The peer is asked, and does not ask.
                }, done -> socket(group, options, done), Opening.ONLY_THE_WAITER, memory));
        opening.connect(Route.to(remote));
        return opening.await(timeout);
    }

    private Rfc5041Socket socket(SoftDdpGroup group, DdpOptions options, SctpOpening opening) {
        SctpStream stream = opening.stream();
        Rfc5041Socket socket = new Rfc5041Socket(group, DdpTransport.SCTP, options, loop, stream, stream.session().peerData(),
                new StreamFactory() {
                    @Override
                    public Client.Protocol clientProtocol() {
                        return options.everyTagged() ? Client.Protocol.RFC_5041_EVERY_TAGGED : Client.Protocol.RFC_5041;
                    }

                    @Override
                    public StreamProtocol protocol(Client client, SocketCounters counters) {
                        return new SctpProtocol(stream, opening.reader(), opening.outbound(), client, options, counters);
                    }
                }, opening.memory());
        group.children().add(socket);
        socket.attach();
        return socket;
    }

    StreamListener listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        open();
        StreamListener queue = new StreamListener(group);
        ListeningPort<MessageChannel> port = ListeningPort.open(loop, transport.listen(local, Acceptor.LONGEST_QUEUE, STREAMS),
                transport::add, MessageChannel::abort, queue.queue(), channel -> start(group, channel, options, queue));
        return queue.listensAt(StreamListener.portOf(port));
    }

    /** Begins the passive side of a session. Only the leader calls it. */
    private void start(SoftDdpGroup group, MessageChannel channel, DdpOptions options, StreamListener queue) {
        SctpOpening opening = SoftDdpContext.withArena(memory -> new SctpOpening(loop, transport, PassiveSession::new, session -> {
            if (options.admission().test(session.peerData())) {
                session.accept(options.privateData());
            } else {
                session.reject(options.privateData());
            }
        }, done -> queue.add(socket(group, options, done)),
                reason -> complaints.warn("a peer at {} was not accepted: {}", Route.text(channel.localAddress()), reason.getMessage()),
                memory));
        opening.accept(channel);
    }

    /** The failure of a stream that was not established. */
    static VerbsException refused(SctpStream stream) {
        String peer = Route.text(stream.remoteAddress());
        return switch (stream.session().state()) {
            case REJECTED -> new RejectedException("the program at " + peer + " rejected the stream", stream.session().peerData());
            case REFUSED -> new PeerException("the peer at " + peer + " refused the stream: too many requests wait for its program");
            default -> new PeerException(peer + ": " + stream.session().failure());
        };
    }
}
