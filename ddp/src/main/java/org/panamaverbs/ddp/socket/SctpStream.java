package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.SctpControl;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.MessageChannel;

/**
 * An association with one DDP Stream Session, as the channel that a {@link StreamSocket} drives: a read brings one message, a write sends
 * one, and the end of the output is the session's Terminate. One lock covers the session, which the loop's leader and the sending thread
 * share. Nothing of ours waits while it holds the lock; a program's sinks and listeners run under it.
 */
// Tested by SctpSocketTest.
final class SctpStream implements Channel {
    /** The SCTP stream of the session: one association carries one session. */
    static final int STREAM = 0;
    /** The JDK reports no acknowledgements: after this time the peer counts as having received the Accept (RFC 5043, 6.6). */
    private static final long RECEIVED_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EventLoop loop;
    private final MessageChannel messages;
    private final Session session;
    /** Received messages, for as long as the socket is not closed. */
    private final MemorySegment buffer;

    SctpStream(EventLoop loop, MessageChannel messages, Session session, MemorySegment buffer) {
        this.loop = loop;
        this.messages = messages;
        this.session = session;
        this.buffer = buffer;
    }

    MessageChannel messages() {
        return messages;
    }

    Session session() {
        return session;
    }

    MemorySegment buffer() {
        return buffer;
    }

    @Override
    public int finishConnect() {
        return messages.finishConnect();
    }

    /** Receives one message. The vector is {@link #buffer()}, or memory of a closed socket for messages that are discarded. */
    @Override
    public long read(IoVector into) {
        synchronized (this) {
            if (session.isInputEnded()) {
                return END_OF_STREAM;
            }
        }
        MemorySegment memory = into.segment(0);
        int count = messages.receive(memory);
        if (count > 0) {
            boolean ends = memory != buffer && messages.protocol() == SctpControl.PROTOCOL && count >= SctpControl.SIZE
                    && SctpControl.function(memory, 0) == SctpControl.TERMINATE;
            return ends ? END_OF_STREAM : count;
        }
        return switch (count) {
            case 0 -> 0;
            // Longer than any message may be: the session fails by it.
            case MessageChannel.TOO_LONG -> into.bytes();
            case MessageChannel.END_OF_ASSOCIATION -> {
                synchronized (this) {
                    session.onEndOfAssociation();
                }
                yield END_OF_STREAM;
            }
            default -> BROKEN;
        };
    }

    /** Sends the session's outbound message, which the vector describes. */
    @Override
    public synchronized long write(IoVector from) {
        // If the leader has sent it meanwhile, it counts as sent now.
        return switch (sendOnce()) {
            case 0 -> 0;
            case 1 -> from.bytes();
            default -> BROKEN;
        };
    }

    /** Sends the session's next message: 1 if there is none left of what was polled, 0 if there is no room, or an error. */
    private int sendOnce() {
        Outbound out = session.pollTransmit();
        if (out.isEmpty()) {
            return 1;
        }
        int taken = messages.send(out.memory(), out.length(), STREAM, out.protocol());
        if (taken == 1) {
            out.onSent();
        }
        return taken;
    }

    /** Sends what the session has to send, as far as there is room. An event follows if there is none. */
    synchronized void flush() {
        while (!session.pollTransmit().isEmpty() && sendOnce() == 1) {
            // The loop ends when there is no room or nothing to send.
        }
    }

    /** The session's Terminate leaves, behind the message that is to be sent. */
    @Override
    public synchronized void shutdownOutput() {
        if (session.state() == Session.State.ESTABLISHED) {
            session.terminate();
        }
        flush();
        if (session.state() == Session.State.ESTABLISHED) {
            loop.execute(() -> loop.schedule(RECEIVED_NANOS, this::onReceived));
        }
    }

    /** The time is over; the stream may be closed, and its memory given back. */
    synchronized void onReceived() {
        session.onAcknowledged();
        flush();
    }

    @Override
    public VerbsException failure() {
        return messages.failure();
    }

    @Override
    public InetSocketAddress localAddress() {
        return messages.localAddress();
    }

    @Override
    public InetSocketAddress remoteAddress() {
        return messages.remoteAddress();
    }

    @Override
    public int segmentSize() {
        return messages.mtu();
    }

    @Override
    public synchronized void close() {
        if (session.isAbortive()) {
            messages.abort();
        } else {
            flush();
            messages.shutdown();
            messages.close();
        }
        // From now on the session has nothing to send, for which it would use its memory.
        session.onEndOfAssociation();
    }
}
