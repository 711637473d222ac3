package org.panamaverbs.ddp.socket;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Consumer;
import java.util.function.Function;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.ddp.sctp.ActiveSession;
import org.panamaverbs.ddp.sctp.MessageReader;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.sctp.SctpSegments;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.ddp.transport.sctp.SctpTransport;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** The start of a session on an association: receives no message beyond the one that establishes it. */
// Tested by SctpSocketTest.
final class SctpOpening extends Opening<Rfc5041Socket> {
    private final SctpTransport transport;
    private final Outbound outbound;
    private final Session session;
    private final MessageReader reader;
    private final MemorySegment buffer;
    private final IoVector in = new IoVector(1);
    private final Consumer<PassiveSession> requested;
    private final Function<SctpOpening, Rfc5041Socket> taker;
    /** The socket closes it; if there is none, this does. */
    private final Arena memory;
    private SctpStream stream;

    /**
     * Makes one.
     *
     * @param start     makes the session
     * @param requested called by the leader when a peer asks for a session: accepts or rejects it
     * @param taker     called by the leader when the session is established
     * @param failed    called by the leader if it cannot be established
     * @param memory    ends with the opening, or with the socket if there is one
     */
    SctpOpening(EventLoop loop, SctpTransport transport, Function<Outbound, Session> start, Consumer<PassiveSession> requested,
            Function<SctpOpening, Rfc5041Socket> taker, Consumer<VerbsException> failed, Arena memory) {
        super(loop, MpaStreams.START_NANOS, failed);
        this.memory = memory;
        this.transport = transport;
        this.outbound = new Outbound(memory);
        this.session = start.apply(outbound);
        this.buffer = memory.allocate(SctpSegments.LONGEST_MESSAGE, 64);
        this.reader = new MessageReader(session, memory);
        this.requested = requested;
        this.taker = taker;
    }

    /** Starts on an association that a peer has begun. Only the leader calls it. */
    void accept(MessageChannel accepted) {
        startOn(stream(accepted));
    }

    @Override
    protected Channel channelTo(Route to) {
        return stream(transport.connect(to, SctpStreams.STREAMS));
    }

    private SctpStream stream(MessageChannel messages) {
        stream = new SctpStream(loop(), messages, session, buffer);
        return stream;
    }

    @Override
    protected Registration watch() {
        return transport.add(stream.messages(), this);
    }

    @Override
    protected void onTimeout() {
        ((PassiveSession) session).onTimeout();
        advance();
    }

    @Override
    protected String waitsFor() {
        return isConnected() && session instanceof ActiveSession active ? active.waitsFor() : "the peer does not answer";
    }

    @Override
    protected void onClosed() {
        memory.close();
    }

    Arena memory() {
        return memory;
    }

    SctpStream stream() {
        return stream;
    }

    Outbound outbound() {
        return outbound;
    }

    MessageReader reader() {
        return reader;
    }

    @Override
    protected void advance() {
        in.clear();
        in.add(buffer, 0, buffer.byteSize());
        stream.flush();
        while (!session.isOver() && session.state() != Session.State.ESTABLISHED) {
            long count = stream.read(in);
            if (count == 0) {
                return;
            } else if (count == Channel.BROKEN) {
                throw stream.failure();
            } else if (count == in.bytes()) {
                reader.onTooLong();
            } else if (count > 0) {
                // No segment is handled before the socket binds its receiver, so there is no error of DDP.
                reader.onMessage(buffer, (int) count, stream.messages().protocol(), stream.messages().isUnordered());
            }
            if (session.state() == Session.State.REQUESTED) {
                requested.accept((PassiveSession) session);
            }
            stream.flush();
        }
        if (session.state() == Session.State.ESTABLISHED) {
            agree();
        } else {
            fail(SctpStreams.refused(stream));
        }
    }

    @Override
    protected Rfc5041Socket take() {
        Rfc5041Socket socket = taker.apply(this);
        directTo(events -> {
            if ((events & Multiplexer.WRITABLE) != 0) {
                stream.flush();
            }
            socket.onReady(events);
        });
        return socket;
    }
}
