package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Acceptor;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Failures;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.spi.support.Complaints;
import org.panamaverbs.spi.support.Rollback;

/**
 * Listens at an address, and accepts peers while the queue of its program has room. Further peers wait in the system's queue, as those of
 * TCP do: a burst is no refusal.
 *
 * @param <C> as in {@link Acceptor}
 */
public final class ListeningPort<C> implements Multiplexer.Handler {
    /** The pause after a failure to accept a peer, for example for lack of a file descriptor. */
    private static final long RETRY_NANOS = 100_000_000;
    /** A turn that takes this long has met a shortage: the JDK collects garbage for half a second before it says that memory has run out. */
    private static final long LONG_TURN_NANOS = 100_000_000;
    /** After a long turn the loop serves its connections for this many times as long. */
    private static final int REST = 4;
    /** But not for longer: a turn of seconds says that memory was lacking then, and not that it is now. */
    private static final long LONGEST_REST_NANOS = 2_000_000_000;
    /** The most peers to accept in one turn of the loop. */
    private static final int PEERS_PER_TURN = 64;
    /** The pause after that many peers: a timer that is due at once would run in the same turn. */
    private static final long PAUSE_NANOS = 100_000;

    private final EventLoop loop;
    private final Acceptor<C> acceptor;
    private final Consumer<C> drop;
    private final AcceptQueue<?> queue;
    private final Consumer<C> accepted;
    private final Complaints complaints = new Complaints(ListeningPort.class);
    private boolean closed;
    /** The timer that accepts more peers. It exists before memory runs out. */
    private final Timer again = new Timer(this::acceptPeers);
    /** Whether the timer waits. If not, the next event accepts peers. */
    private boolean paused;

    private ListeningPort(EventLoop loop, Acceptor<C> acceptor, Consumer<C> drop, AcceptQueue<?> queue, Consumer<C> accepted) {
        this.loop = loop;
        this.acceptor = acceptor;
        this.drop = drop;
        this.queue = queue;
        this.accepted = accepted;
    }

    /**
     * Listens for peers that begin with an MPA Request.
     *
     * @param queue               no peer is accepted while it has no room
     * @param typeOfService       as in {@link Multiplexer#listen(InetSocketAddress, int, int)}
     * @param requestTimeoutNanos the time in which a peer must send its Request
     * @param limits              limits of the peers that the listener serves at a time
     * @param requested           called by the loop's leader for each whole Request
     * @param onRefused           called by the loop's leader for each peer whose Request is wrong or late, and for each that a limit or a
     *                            failure of this side keeps out
     * @param <T>                 as in {@link Opening}
     * @throws VerbsException if the system refuses the address, or cannot watch the port; then nothing is left open
     */
    public static <T> ListeningPort<Channel> open(EventLoop loop, InetSocketAddress local, AcceptQueue<?> queue, int typeOfService,
            long requestTimeoutNanos, AdmissionLimits limits, Consumer<PassiveOpen<T>> requested, Runnable onRefused) {
        Complaints refusals = new Complaints(ListeningPort.class);
        Consumer<VerbsException> refused = reason -> {
            onRefused.run();
            if (reason instanceof ResourceException && reason.getCause() != null) {
                // A failure of this side, perhaps a defect: the stack shows where.
                refusals.error("refused a peer at {}", Route.text(local), reason);
            } else {
                refusals.warn("refused a peer at {}: {}", Route.text(local), reason.getMessage());
            }
        };
        Admission admission = new Admission(limits);
        return open(loop, local, queue, typeOfService, channel -> {
            PassiveOpen<T> open = new PassiveOpen<>(loop, requestTimeoutNanos, requested, refused);
            Admission.Place place = admission.admit(channel.remoteAddress(),
                    reason -> refused.accept(new ResourceException(Route.text(channel.remoteAddress()) + ": " + reason)));
            if (place == null) {
                channel.close();
            } else {
                open.start(channel, place);
            }
        });
    }

    /** As the other, with the usual limits, and without a count of the peers that are refused. */
    public static <T> ListeningPort<Channel> open(EventLoop loop, InetSocketAddress local, AcceptQueue<?> queue, int typeOfService,
            long requestTimeoutNanos, Consumer<PassiveOpen<T>> requested) {
        return open(loop, local, queue, typeOfService, requestTimeoutNanos, AdmissionLimits.USUAL, requested, () -> {
            // No program counts these peers.
        });
    }

    /**
     * Listens for peers over TCP.
     *
     * @param queue         no peer is accepted while it has no room
     * @param typeOfService as in {@link Multiplexer#listen(InetSocketAddress, int, int)}
     * @param accepted      as in {@link #open(EventLoop, Acceptor, BiConsumer, Consumer, AcceptQueue, Consumer)}
     * @throws VerbsException if the system refuses the address, or cannot watch the port; then nothing is left open
     */
    public static ListeningPort<Channel> open(EventLoop loop, InetSocketAddress local, AcceptQueue<?> queue, int typeOfService,
            Consumer<Channel> accepted) {
        return open(loop, loop.multiplexer().listen(local, Acceptor.LONGEST_QUEUE, typeOfService), loop.multiplexer()::add, Channel::close,
                queue, accepted);
    }

    /**
     * Listens.
     *
     * @param acceptor the listening socket; this port closes it
     * @param watch    begins to report the peers of the acceptor
     * @param drop     closes a channel
     * @param queue    no peer is accepted while it has no room
     * @param accepted called by the loop's leader for each peer; if it throws, this port closes the channel, and pauses
     * @param <C>      as in {@link Acceptor}
     * @throws VerbsException if the system cannot watch the port; then nothing is left open
     */
    public static <C> ListeningPort<C> open(EventLoop loop, Acceptor<C> acceptor, BiConsumer<Acceptor<C>, Multiplexer.Handler> watch,
            Consumer<C> drop, AcceptQueue<?> queue, Consumer<C> accepted) {
        // A listener meets these when no descriptor is left.
        Failures.prepare();
        ListeningPort<C> port = new ListeningPort<>(loop, acceptor, drop, queue, accepted);
        queue.onRoom(() -> loop.execute(() -> port.onReady(Multiplexer.READABLE)));
        try (Rollback undo = new Rollback()) {
            undo.add(acceptor::close);
            watch.accept(acceptor, port);
            undo.commit();
        }
        return port;
    }

    /** The local address. */
    public InetSocketAddress address() {
        return acceptor.address();
    }

    @Override
    public void onReady(int events) {
        // If a timer is set, it accepts these peers, too. Otherwise each event would start one more chain of timers.
        if (!paused) {
            acceptPeers();
        }
    }

    private void acceptPeers() {
        paused = false;
        if (closed) {
            return;
        }
        long begin = loop.now();
        // A peer that nobody has taken yet: it would wait for an answer that never comes.
        C untaken = null;
        try {
            long taken = 0;
            for (int i = 0; i < PEERS_PER_TURN && taken < LONG_TURN_NANOS; i++) {
                if (!queue.hasRoom()) {
                    // The thread that makes room has this port go on.
                    return;
                }
                untaken = acceptor.accept();
                if (untaken == null) {
                    return;
                }
                accepted.accept(untaken);
                untaken = null;
                taken = loop.now() - begin;
            }
            acceptAfter(taken < LONG_TURN_NANOS ? PAUSE_NANOS : restAfter(taken));
        } catch (RuntimeException | Error e) {
            // The timer comes first: if the message cannot be made, the listener must not stay deaf. No event reports these peers again.
            acceptAfter(Math.max(RETRY_NANOS, restAfter(loop.now() - begin)));
            if (untaken != null) {
                drop.accept(untaken);
            }
            complain(e);
        }
    }

    private void complain(Throwable failure) {
        if (failure instanceof VerbsException) {
            // For example, no file descriptor is free.
            complaints.warn("cannot accept peers at {}: {}", Route.text(address()), failure.getMessage());
        } else {
            complaints.error("cannot accept peers at {}", Route.text(address()), Shortage.reason("accept a peer", failure));
        }
    }

    private static long restAfter(long turn) {
        return Math.min(REST * turn, LONGEST_REST_NANOS);
    }

    private void acceptAfter(long nanos) {
        loop.schedule(nanos, again);
        paused = true;
    }

    /** Stops listening. */
    public void close() {
        loop.call(() -> {
            closed = true;
            acceptor.close();
            again.cancel();
        });
    }
}
