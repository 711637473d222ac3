package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.DdpTransport;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.socket.protocol.MpaProtocol;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.ddp.socket.protocol.StreamFactory;
import org.panamaverbs.ddp.socket.protocol.StreamProtocol;
import org.panamaverbs.softiwarp.cm.ActiveOpen;
import org.panamaverbs.softiwarp.cm.ListeningPort;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.cm.PassiveOpen;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Rollback;

/**
 * Connects and accepts streams of RFC 5041 over MPA. It takes revision 1, because the further fields of revision 2 are about Reads. A
 * responder must send nothing before the first FPDU of the initiator (RFC 5044, 7.1.2). So the initiator begins with a tagged message of
 * no bytes, as RFC 6581 does for RDMAP.
 */
final class MpaStreams {
    /** The time for a peer's MPA Request. */
    static final long START_NANOS = TimeUnit.SECONDS.toNanos(10);
    private final Complaints complaints = new Complaints(MpaStreams.class);
    private static final int REVISION = 1;

    private final SoftDdpContext context;

    MpaStreams(SoftDdpContext context) {
        this.context = context;
    }

    private static Terms terms(DdpOptions options) {
        return new Terms(REVISION, options.crc(), 0, 0, options.privateData());
    }

    Rfc5041Socket connect(SoftDdpGroup group, InetSocketAddress remote, DdpOptions options, Duration timeout) {
        EventLoop loop = context.nextLoop();
        ActiveOpen<Rfc5041Socket> open = Shortage.naming("a stream",
                () -> new ActiveOpen<>(loop, path -> terms(options), (opened, agreement) -> socket(group, options, opened, agreement)));
        open.connect(Route.to(remote));
        return begin(open.await(timeout));
    }

    private static Rfc5041Socket begin(Rfc5041Socket socket) {
        try (Rollback undo = new Rollback()) {
            undo.add(socket::close);
            socket.sendTagged(MemorySegment.NULL, 0, 0, 0, 0, false, 0, 0);
            undo.commit();
            return socket;
        }
    }

    private Rfc5041Socket socket(SoftDdpGroup group, DdpOptions options, Opening<Rfc5041Socket> opened, Agreement agreement) {
        Rfc5041Socket socket = SoftDdpContext.newSocket(group, memory -> new Rfc5041Socket(group, DdpTransport.MPA, options, opened.loop(),
                opened.channel(), agreement.privateData(), factory(options, opened, agreement, memory), memory));
        socket.attach();
        opened.directTo(socket);
        return socket;
    }

    private StreamFactory factory(DdpOptions options, Opening<Rfc5041Socket> opened, Agreement agreement, Arena memory) {
        int segment = opened.channel().segmentSize();
        boolean held = !opened.isInitiator();
        return new StreamFactory() {
            @Override
            public Client.Protocol clientProtocol() {
                return options.everyTagged() ? Client.Protocol.RFC_5041_EVERY_TAGGED : Client.Protocol.RFC_5041;
            }

            @Override
            public StreamProtocol protocol(Client client, SocketCounters counters) {
                return new MpaProtocol(client, options, agreement, segment, held, counters, memory, context.pool());
            }
        };
    }

    /** Asks the program's test. If it throws, this one peer is rejected: the peers behind it did nothing wrong. */
    private boolean admits(DdpOptions options, PassiveOpen<Rfc5041Socket> open) {
        try {
            return options.admission().test(open.privateData());
        } catch (RuntimeException | Error e) {
            complaints.error("the program's admission test failed; {} is rejected", Route.text(open.remoteAddress()), e);
            return false;
        }
    }

    StreamListener listen(SoftDdpGroup group, InetSocketAddress local, DdpOptions options) {
        EventLoop loop = context.nextLoop();
        StreamListener queue = new StreamListener(group);
        Consumer<PassiveOpen<Rfc5041Socket>> requested = open -> {
            if (admits(options, open)) {
                open.accept(open.loop(), terms(options), (opened, agreement) -> queue.add(socket(group, options, opened, agreement)),
                        reason -> complaints.warn("a peer at {} was not accepted: {}", Route.text(open.localAddress()),
                                reason.getMessage()));
            } else {
                open.reject(terms(options));
            }
        };
        ListeningPort<Channel> port = ListeningPort.open(loop, local, queue.queue(), Route.USUAL_SERVICE, START_NANOS, requested);
        return queue.listensAt(StreamListener.portOf(port));
    }
}
