package org.panamaverbs.softiwarp.cm;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.VerbsTimeoutException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.Shortage;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.progress.Attempt;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;
import org.panamaverbs.spi.support.Rollback;
import org.panamaverbs.spi.support.Waits;
import org.panamaverbs.spi.support.Workers;

/**
 * An attempt to open a connection: it owns the channel until a taker has made an object that drives the stream. A subclass exchanges what
 * both sides send at the start. The state, the wait for the outcome, and every end are here.
 *
 * <pre>
 * CONNECTING  until the channel is connected ---------------------------------&gt; STARTING
 * STARTING    until both sides agree -----------------------------------------&gt; AGREED
 * AGREED      until the taker has made its object ----------------------------&gt; OVER, with the object
 * all three   the peer or this side fails, the caller aborts, the loop ends --&gt; OVER, with the reason, and the channel is closed
 * </pre>
 *
 * <p>The loop's leader alone reads and writes the state. So an opening that is aborted or late has not been taken, and one that was taken
 * cannot be aborted any more. Every step that the loop calls goes through {@link #step}: a failure of this side fails the opening.
 *
 * @param <T> the object that the taker makes of the connection
 */
public abstract class Opening<T> implements Multiplexer.Handler, Attempt {
    private enum State {
        CONNECTING, STARTING, AGREED, OVER
    }

    /** A time limit from here on is none: it would exceed the clock. */
    private static final long LONGEST_NANOS = Long.MAX_VALUE / 2;
    /** The pause before this side asks again for a place in a queue that is full: the kernel does not report a free one. */
    private static final long ROOM_NANOS = 10_000_000;

    private static final String FULL = "the queue of the process there is full: it accepts too slowly, or net.core.somaxconn is too small";

    /** Of an opening whose failure concerns no one but the thread that waits. */
    public static final Consumer<VerbsException> ONLY_THE_WAITER = reason -> {
        // The wait throws the reason.
    };

    /** The loop that the channel belongs to; the leader of the old one changes it. */
    private volatile EventLoop loop;
    private final long timeoutNanos;
    private final IoVector in = new IoVector(1);
    /** A part of the loop's scratch memory, between a handshake's frame and a system call. */
    private final IoVector staged = new IoVector(1);
    private Consumer<VerbsException> failed;
    /** {@code null} until the peer's queue has a place for it. */
    private Channel channel;
    private Registration events;
    /** {@code null} if the peer connects. */
    private Route route;
    private State state = State.CONNECTING;
    /** Limits the time of a peer that connects, or ends the pause of this side before it asks again; {@code null} if there is none. */
    private Timer timer;

    private final CountDownLatch over = new CountDownLatch(1);
    /** Runs once, when the opening is over or its time is up; {@code null} if a thread waits, or if it was submitted. */
    private final AtomicReference<Workers.Task> whenOver = new AtomicReference<>();
    /** Of an opening for which no thread waits: the limit of the time for all steps. */
    private volatile Timer timeLimit;
    /** The outcome, written before the latch opens: one of the two. */
    private T result;
    private VerbsException failure;

    /**
     * Makes one.
     *
     * @param timeoutNanos the time in which a peer that connects must begin; if this side connects, {@link #await} limits the time
     * @param failed       called by the loop's leader if the opening fails, and not if it is aborted
     */
    protected Opening(EventLoop loop, long timeoutNanos, Consumer<VerbsException> failed) {
        this.loop = loop;
        this.timeoutNanos = timeoutNanos;
        this.failed = failed;
    }

    /**
     * Starts to connect.
     *
     * @throws VerbsException if the attempt fails at once
     */
    public final void connect(Route to) {
        route = to;
        Channel opened;
        try (Rollback undo = new Rollback()) {
            undo.add(this::onClosed);
            opened = channelIfRoom();
            undo.commit();
        } catch (SystemException e) {
            throw isRefusal(e) ? Waits.refused(to.remote(), e) : e;
        }
        if (opened == null) {
            loop.execute(() -> step(() -> {
                loop.add(this);
                askAgainLater();
            }));
        } else {
            start(opened);
        }
    }

    /** Opens a channel; {@code null} if the peer's queue is full. */
    private Channel channelIfRoom() {
        try {
            return channelTo(route);
        } catch (SystemException e) {
            if (e.errorNumber() == Errno.EAGAIN) {
                return null;
            }
            throw e;
        }
    }

    private void askAgainLater() {
        timer = loop.schedule(ROOM_NANOS, () -> step(() -> {
            channel = channelIfRoom();
            if (channel == null) {
                askAgainLater();
            } else {
                begin();
            }
        }));
    }

    /** Starts on the channel of a peer that has connected. Only the leader calls it; the outcome may be there when it returns. */
    public final void startOn(Channel accepted) {
        state = State.STARTING;
        start(accepted);
    }

    private void start(Channel opened) {
        channel = opened;
        if (loop.isLeader()) {
            step(this::begin);
        } else {
            loop.execute(() -> step(this::begin));
        }
    }

    private void begin() {
        events = watch();
        loop.add(this);
        if (!isInitiator()) {
            timer = loop.schedule(timeoutNanos, () -> step(this::onTimeout));
        }
        onBegin();
        proceed();
    }

    // For subclasses. Only the leader calls these methods.

    /** The event that the opening waits for, for the message of a time-out. */
    protected abstract String waitsFor();

    /** Prepares the exchange, before {@link #advance} is called. */
    protected void onBegin() {
        // Some have all that they need.
    }

    /** The channel is connected, and may be readable or writable: exchanges what can be exchanged now. */
    protected abstract void advance();

    /** Makes the taker's object. If it throws, the opening fails. */
    protected abstract T take();

    /** The taker has failed, although the peer believes that the connection begins: notifies the peer, if the protocol allows that. */
    protected void onNotTaken() {
        // The peer sees an end without a reason.
    }

    /** The time of a peer that connects is up. */
    protected void onTimeout() {
        // This side connects.
    }

    /** The channel is closed, because the opening failed or was aborted; or there is none, because the attempt failed at once. */
    protected void onClosed() {
        // There is nothing to give back.
    }

    /** Opens a channel. Any thread calls it. */
    protected Channel channelTo(Route to) {
        return loop.multiplexer().connect(to);
    }

    /** Starts to report the channel's events to this object. */
    protected Registration watch() {
        return loop.multiplexer().add(channel, this);
    }

    /**
     * Moves to another loop, whose leader goes on, unless the opening is there already. The leader calls it as its last step, while no bytes
     * are under way.
     */
    protected final void continueOn(EventLoop next, Runnable further) {
        if (next == loop) {
            further.run();
            return;
        }
        loop.multiplexer().remove(channel);
        loop.remove(this);
        loop = next;
        next.execute(() -> step(() -> {
            events = watch();
            next.add(this);
            further.run();
        }));
    }

    /** Runs a step: the wall that meets its failures. */
    final void step(Runnable step) {
        if (state == State.OVER) {
            return;
        }
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (state == State.OVER) {
                // It failed while it ended: the loop reports that.
                throw e;
            }
            fail(Shortage.reason("set up the connection with " + peer() + " on this side", e));
        }
    }

    @Override
    public final void onReady(int ready) {
        step(this::proceed);
    }

    private void proceed() {
        if (state == State.CONNECTING) {
            int connected = channel.finishConnect();
            if (connected < 0) {
                throw channel.failure();
            } else if (connected == 0) {
                return;
            }
            state = State.STARTING;
        }
        advance();
    }

    /** Moves the bytes that a handshake asks for, as far as the channel takes or has them, and no byte more. */
    final void exchange(Handshake handshake) {
        while (transmit(handshake) || receive(handshake)) {
            // The loop ends when no byte moves.
        }
    }

    private boolean transmit(Handshake handshake) {
        long count = write(handshake.pollTransmit());
        if (count < 0) {
            throw channel.failure();
        }
        if (count > 0) {
            handshake.onSent(count);
        }
        return count > 0;
    }

    /** Writes bytes of the heap, as {@link Channel#write} does; 0 if there are none. */
    protected final long write(IoVector out) {
        if (out.size() == 0) {
            return 0;
        }
        stage(out.bytes());
        out.copyTo(staged);
        return channel.write(staged);
    }

    private void stage(long bytes) {
        staged.clear();
        staged.add(loop.scratch(), 0, bytes);
    }

    /** Reads into a part of the heap, as {@link Channel#read} does. */
    protected final long read(IoVector into) {
        stage(into.bytes());
        long count = channel.read(staged);
        if (count > 0) {
            MemorySegment.copy(loop.scratch(), 0, into.segment(0), into.offset(0), count);
        }
        return count;
    }

    private boolean receive(Handshake handshake) {
        handshake.pollReceive(in);
        if (in.size() == 0) {
            return false;
        }
        long count = read(in);
        if (count == Channel.END_OF_STREAM) {
            handshake.onEndOfStream();
        } else if (count < 0) {
            throw channel.failure();
        } else if (count > 0) {
            handshake.onReceived(count);
        }
        return count > 0;
    }

    /** Whether the channel is connected, or was. */
    protected final boolean isConnected() {
        return state != State.CONNECTING;
    }

    /** From now on another consumer gets a failure. */
    final void onFailed(Consumer<VerbsException> next) {
        failed = next;
    }

    /** The peer has begun in time. */
    protected final void cancelTimer() {
        if (timer != null) {
            timer.cancel();
        }
    }

    /** Both sides agree: the taker makes its object, which must close the channel from then on. */
    protected final void agree() {
        state = State.AGREED;
        result = take();
        finish();
    }

    /** The peer or this side has failed. */
    protected final void fail(VerbsException reason) {
        try {
            end(reason);
        } finally {
            failed.accept(reason);
        }
    }

    private void end(VerbsException reason) {
        boolean agreed = state == State.AGREED;
        failure = reason;
        try {
            if (agreed) {
                onNotTaken();
            }
        } finally {
            try {
                if (channel != null) {
                    channel.close();
                }
            } finally {
                finish();
                onClosed();
            }
        }
    }

    private void finish() {
        state = State.OVER;
        cancelTimer();
        loop.remove(this);
        over.countDown();
        submitWhenOver();
    }

    @Override
    public final void onLoopClosed() {
        if (state != State.OVER) {
            end(new ClosedException("the connection with " + peer() + " was not established before its owner was closed"));
        }
    }

    // For the taker.

    /** The loop that the channel belongs to. */
    public final EventLoop loop() {
        return loop;
    }

    /** The channel. Once the connection is taken, the next byte of each direction belongs to the stream. */
    public final Channel channel() {
        return channel;
    }

    /** Whether this side has connected. */
    public final boolean isInitiator() {
        return route != null;
    }

    /** Directs all further events of the channel to the driver of the stream. */
    public final void directTo(Multiplexer.Handler driver) {
        events.direct(driver);
    }

    /** The task that the taker's object runs in the leader's thread once it has closed the channel; further calls do nothing. */
    public Runnable whenClosed() {
        return Admission.UNCOUNTED;
    }

    // For other threads.

    /**
     * Waits for the taker's object. If it does not come, the channel is closed.
     *
     * @throws VerbsException the reason for which there is none; it was aborted, or the time is up
     */
    public final T await(Duration timeout) {
        try {
            over.await(Waits.nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            abort(Waits.interrupted(e));
        }
        return conclude(timeout);
    }

    /**
     * Has a worker run a task when the opening is over, or else when its time is up. The task calls {@link #conclude}.
     *
     * @param timer   of the loop on which the connection will be
     * @param timeout the longest time
     */
    public final void whenOver(Workers.Task task, EventLoop timer, Duration timeout) {
        whenOver.set(task);
        if (over.getCount() == 0) {
            submitWhenOver();
            return;
        }
        long nanos = Waits.nanos(timeout);
        if (nanos < LONGEST_NANOS) {
            timeLimit = timer.schedule(nanos, this::submitWhenOver);
        }
    }

    private void submitWhenOver() {
        Workers.Task task = whenOver.getAndSet(null);
        if (task != null) {
            task.submit();
        }
    }

    /**
     * The taker's object, without a wait. If it has not come, the channel is closed.
     *
     * @param timeout the time that was waited for it, for the message
     * @throws VerbsException as {@link #await} does
     */
    public final T conclude(Duration timeout) {
        try {
            if (over.getCount() > 0) {
                abort(new VerbsTimeoutException("could not " + describe() + " within " + Waits.describe(timeout) + ": " + missing()));
            }
        } finally {
            abort();
            Timer limit = timeLimit;
            if (limit != null) {
                limit.cancel();
            }
        }
        if (failure != null) {
            throw route != null && isRefusal(failure) ? Waits.refused(route.remote(), failure) : Waits.failed(failure);
        }
        return result;
    }

    private static boolean isRefusal(VerbsException failure) {
        return failure instanceof SystemException systemFailure && systemFailure.errorNumber() == Errno.ECONNREFUSED;
    }

    /** Continues the messages "could not" and "closed while trying to". */
    private String describe() {
        return route == null ? "accept " + peer() : "connect to " + route.describe();
    }

    private String peer() {
        return Route.text(route == null ? channel.remoteAddress() : route.remote());
    }

    private String missing() {
        String[] words = new String[1];
        call(() -> words[0] = state == State.OVER ? "it ended too late" : channel == null ? FULL : waitsFor());
        return words[0];
    }

    /** Gives up, unless the opening is over. A thread that waits gets a {@link ClosedException}. Any thread calls it. */
    public final void abort() {
        if (over.getCount() > 0) {
            abort(new ClosedException("closed while trying to " + describe()));
        }
    }

    private void abort(VerbsException reason) {
        call(() -> {
            if (state != State.OVER) {
                end(reason);
            }
        });
    }

    /** Has the leader run a task: that of the next loop, if the opening moves there meanwhile. */
    private void call(Runnable task) {
        boolean[] taken = new boolean[1];
        while (!taken[0]) {
            EventLoop current = loop;
            current.call(() -> {
                if (current == loop) {
                    taken[0] = true;
                    task.run();
                }
            });
        }
    }
}
