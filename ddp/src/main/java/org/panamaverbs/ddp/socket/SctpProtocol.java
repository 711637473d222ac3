package org.panamaverbs.ddp.socket;

import java.net.Inet6Address;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ddp.DdpOptions;
import org.panamaverbs.ddp.MessageSizes;
import org.panamaverbs.ddp.buffers.Client;
import org.panamaverbs.ddp.sctp.MessageReader;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.SctpSegment;
import org.panamaverbs.ddp.sctp.SctpSegments;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.ddp.socket.protocol.Rfc5041Protocol;
import org.panamaverbs.ddp.socket.protocol.SocketCounters;
import org.panamaverbs.softiwarp.ddp.DdpReceiver;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.TerminateCode;

/** RFC 5041 over an established session of SCTP. After an error of the peer the session ends with a Terminate. */
final class SctpProtocol extends Rfc5041Protocol {
    private final SctpStream stream;
    private final Session session;
    private final MessageReader reader;
    private final SocketCounters counters;
    private final SctpSegments segments;
    private final IoVector out = new IoVector(1);
    /** The receiver, until the reader has it: before the program receives, nothing is delivered. */
    private DdpReceiver unbound;
    private int pendingError = TerminateCode.NONE;

    SctpProtocol(SctpStream stream, MessageReader reader, Outbound outbound, Client client, DdpOptions options, SocketCounters counters) {
        this(stream, reader, segments(stream, outbound), new DdpReceiver(client, options.queues()), counters);
    }

    private SctpProtocol(SctpStream stream, MessageReader reader, SctpSegments segments, DdpReceiver receiver, SocketCounters counters) {
        super(segments, false);
        this.segments = segments;
        this.stream = stream;
        this.session = stream.session();
        this.reader = reader;
        this.counters = counters;
        this.unbound = receiver;
    }

    private static SctpSegments segments(SctpStream stream, Outbound outbound) {
        boolean ipv6 = stream.localAddress().getAddress() instanceof Inet6Address;
        return new SctpSegments(outbound, stream.session(), SctpSegments.mulpdu(stream.messages().mtu(), ipv6));
    }

    @Override
    public void pollReceive(IoVector into) {
        if (unbound != null) {
            synchronized (stream) {
                pendingError = reader.bind(unbound);
            }
            unbound = null;
        }
        into.clear();
        into.add(stream.buffer(), 0, stream.buffer().byteSize());
    }

    @Override
    public boolean isMoreThere(long count, long asked) {
        return true;
    }

    @Override
    public String onReceived(long count) {
        synchronized (stream) {
            int error = pendingError;
            if (error == TerminateCode.NONE) {
                // A buffer that is full holds the beginning of a message that is too long.
                error = count == stream.buffer().byteSize() ? reader.onTooLong()
                        : reader.onMessage(stream.buffer(), (int) count, stream.messages().protocol(), stream.messages().isUnordered());
            }
            if (stream.messages().protocol() == SctpSegment.PROTOCOL) {
                counters.onFpdu();
            }
            if (error == TerminateCode.NONE) {
                if (session.isInputEnded()) {
                    stream.flush();
                }
                return null;
            } else if (error != MessageReader.SESSION_FAILED) {
                session.fail(describe(error));
            }
            stream.flush();
            return session.failure();
        }
    }

    @Override
    public String onBadReceiveMemory() {
        throw new IllegalStateException("messages come into memory of the stream's own");
    }

    @Override
    public String onEndOfStream() {
        synchronized (stream) {
            if (session.state() == Session.State.FAILED) {
                return session.failure();
            }
        }
        return reader.isAtBoundary() ? null : "the peer ended the session in the middle of a message";
    }

    @Override
    public boolean isHeld() {
        return false;
    }

    @Override
    public MessageSizes sizes() {
        return new MessageSizes(segments.mulpdu() - Ddp.UNTAGGED_SIZE, segments.mulpdu() - Ddp.TAGGED_SIZE);
    }

    @Override
    public IoVector pollTransmit() {
        out.clear();
        synchronized (stream) {
            Outbound next = session.pollTransmit();
            if (next.isEmpty() && transmitter().isInMessage()) {
                switch (transmitter().sendSegment()) {
                    case BAD_MEMORY -> {
                        return null;
                    }
                    case NO_ROOM -> throw new ClosedException("the session ends, and the message is not sent whole");
                    case MORE, LAST -> {
                        // The segment is the outbound message now.
                    }
                }
            }
            out.add(next.memory(), 0, next.length());
        }
        return out;
    }

    @Override
    public void onSent(long count) {
        // The stream has told the session.
    }
}
