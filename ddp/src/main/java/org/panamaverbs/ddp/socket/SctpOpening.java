package org.panamaverbs.ddp.socket;

import java.lang.foreign.SegmentAllocator;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.panamaverbs.ClosedException;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.ddp.sctp.ActiveSession;
import org.panamaverbs.ddp.sctp.MessageReader;
import org.panamaverbs.ddp.sctp.Outbound;
import org.panamaverbs.ddp.sctp.PassiveSession;
import org.panamaverbs.ddp.sctp.SctpSegments;
import org.panamaverbs.ddp.sctp.Session;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.MessageChannel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/**
 * The start of a session on an association: receives no message beyond the one that establishes it. Afterwards it forwards the events to
 * the socket. Only the loop's leader uses it.
 */
final class SctpOpening implements Multiplexer.Handler {
    private final EventLoop loop;
    private final Set<SctpOpening> openings;
    private final SctpStream stream;
    private final Outbound outbound;
    private final MessageReader reader;
    private final IoVector in = new IoVector(1);
    private Consumer<PassiveSession> requested;
    private Runnable established;
    private Consumer<VerbsException> ended;
    private Multiplexer.Handler next;
    private Timer timer;
    private boolean over;

    /** Makes one that is in a set, of which only the leader knows, until the session is established or has ended. */
    SctpOpening(EventLoop loop, MessageChannel channel, Function<Outbound, Session> session, SegmentAllocator memory,
            Set<SctpOpening> openings) {
        this.loop = loop;
        this.openings = openings;
        this.outbound = new Outbound(memory);
        Session made = session.apply(outbound);
        this.stream = new SctpStream(loop, channel, made, memory.allocate(SctpSegments.LONGEST_MESSAGE, 64));
        this.reader = new MessageReader(made, memory);
    }

    void onRequested(Consumer<PassiveSession> action) {
        requested = action;
    }

    void onEstablished(Runnable action) {
        established = action;
    }

    void onEnd(Consumer<VerbsException> action) {
        ended = action;
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

    /** Forwards the events from now on. */
    void to(Multiplexer.Handler handler) {
        next = handler;
    }

    void limitTime(long nanos) {
        timer = loop.schedule(nanos, () -> {
            if (!over) {
                ((PassiveSession) stream.session()).onTimeout();
                drive();
            }
        });
    }

    /** Names the event that a thread waits for, for the message of a time-out. */
    String waitsFor() {
        return stream.messages().finishConnect() == 1 ? ((ActiveSession) stream.session()).waitsFor() : "the peer does not answer";
    }

    void abort() {
        if (!over) {
            end(new ClosedException("closed while the session was started"));
        }
    }

    @Override
    public void onReady(int events) {
        if (next == null) {
            drive();
            return;
        }
        if ((events & Multiplexer.WRITABLE) != 0) {
            stream.flush();
        }
        next.onReady(events);
    }

    private void drive() {
        try {
            start();
        } catch (RuntimeException | Error e) {
            // The program's admission failed, or the group is closed: the association is of no use.
            end(e instanceof VerbsException reason ? reason
                    : new ResourceException("could not set up the stream with " + stream.remoteAddress() + " on this side: " + e, e));
        }
    }

    private void start() {
        int connected = over ? 0 : stream.messages().finishConnect();
        if (connected < 0) {
            end(stream.failure());
        }
        if (connected != 1) {
            return;
        }
        in.clear();
        in.add(stream.buffer(), 0, stream.buffer().byteSize());
        Session session = stream.session();
        stream.flush();
        while (!session.isOver() && session.state() != Session.State.ESTABLISHED) {
            long count = stream.read(in);
            if (count == 0) {
                return;
            } else if (count == Channel.BROKEN) {
                end(stream.failure());
                return;
            } else if (count == in.bytes()) {
                reader.onTooLong();
            } else if (count > 0) {
                // No segment is handled before the socket binds its receiver, so there is no error of DDP.
                reader.onMessage(stream.buffer(), (int) count, stream.messages().protocol(), stream.messages().isUnordered());
            }
            if (session.state() == Session.State.REQUESTED) {
                requested.accept((PassiveSession) session);
            }
            stream.flush();
        }
        if (session.state() == Session.State.ESTABLISHED) {
            finish();
            established.run();
        } else {
            end(SctpStreams.refused(stream));
        }
    }

    private void finish() {
        over = true;
        openings.remove(this);
        if (timer != null) {
            timer.cancel();
        }
    }

    private void end(VerbsException reason) {
        finish();
        stream.close();
        ended.accept(reason);
    }
}
