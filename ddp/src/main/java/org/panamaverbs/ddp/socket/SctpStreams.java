package org.panamaverbs.ddp.socket;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Consumer;
import org.panamaverbs.PeerException;
import org.panamaverbs.Rollback;
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
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Complaints;
import org.panamaverbs.softiwarp.transport.MessageAcceptor;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.nio.NioMultiplexer;
import org.slf4j.LoggerFactory;

/** Connects and accepts streams of RFC 5041 over SCTP, one for each association, on a loop of their own: the JDK's channels need NIO's. */
// Tested by SctpSocketTest.
final class SctpStreams {
    private final Complaints complaints = new Complaints(LoggerFactory.getLogger(SctpStreams.class));
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
        SctpOpening opening = new SctpOpening(loop, transport, out -> new ActiveSession(out, options.privateData()), context.memory(),
                session -> {
                    // The peer is asked, and does not ask.
                }, done -> socket(group, options, done), Opening.ONLY_THE_WAITER);
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
                });
        group.children().add(socket);
        socket.attach();
        return socket;
    }

    StreamListener listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        open();
        StreamListener queue = new StreamListener(group);
        Port port = new Port(transport.listen(local, StreamListener.BACKLOG, STREAMS), channel -> start(group, channel, options, queue));
        loop.execute(() -> transport.add(port.acceptor, port));
        return queue.listensAt(port);
    }

    /** Begins the passive side of a session. Only the leader calls it. */
    private void start(SoftDdpGroup group, MessageChannel channel, DdpOptions options, StreamListener queue) {
        SctpOpening opening;
        try (Rollback undo = new Rollback()) {
            undo.add(channel::abort);
            opening = new SctpOpening(loop, transport, PassiveSession::new, context.memory(), session -> {
                if (options.admission().test(session.peerData())) {
                    session.accept(options.privateData());
                } else {
                    session.reject(options.privateData());
                }
            }, done -> queue.add(socket(group, options, done)),
                    reason -> complaints.warn("a peer at {} was not accepted: {}", channel.localAddress(), reason.getMessage()));
            undo.commit();
        }
        opening.accept(channel);
    }

    /** The failure of a stream that was not established. */
    static VerbsException refused(SctpStream stream) {
        String peer = AbstractSocket.at(stream.remoteAddress());
        return switch (stream.session().state()) {
            case REJECTED -> new RejectedException("the program at " + peer + " rejected the stream", stream.session().peerData());
            case REFUSED -> new PeerException("the peer at " + peer + " refused the stream: too many requests wait for its program");
            default -> new PeerException(peer + ": " + stream.session().failure());
        };
    }

    /** A listening port. */
    private final class Port implements StreamListener.Port, Multiplexer.Handler {
        private static final long RETRY_NANOS = 100_000_000;
        private final MessageAcceptor acceptor;
        private final Consumer<MessageChannel> accepted;
        private boolean waits;

        Port(MessageAcceptor acceptor, Consumer<MessageChannel> accepted) {
            this.acceptor = acceptor;
            this.accepted = accepted;
        }

        @Override
        public void onReady(int events) {
            if (!waits) {
                accept();
            }
        }

        private void accept() {
            waits = false;
            try {
                MessageChannel channel = acceptor.accept();
                while (channel != null) {
                    accepted.accept(channel);
                    channel = acceptor.accept();
                }
            } catch (VerbsException e) {
                complaints.warn("cannot accept peers at {}: {}", address(), e.getMessage());
                waits = true;
                loop.schedule(RETRY_NANOS, this::accept);
            }
        }

        @Override
        public InetSocketAddress address() {
            return acceptor.address();
        }

        @Override
        public void close() {
            loop.call(acceptor::close);
        }
    }
}
