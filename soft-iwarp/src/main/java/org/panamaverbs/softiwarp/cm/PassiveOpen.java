package org.panamaverbs.softiwarp.cm;

import java.lang.foreign.SegmentAllocator;
import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.Attempt;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** The passive side of a connection: carries out the responder's handshake with a peer, which the program accepts or rejects. */
public final class PassiveOpen implements Multiplexer.Handler {
    private final EventLoop loop;
    private final Channel channel;
    private final Admission.Place place;
    private final ResponderHandshake handshake;
    private final HandshakeDriver driver;
    private Registration events;
    private final Consumer<PassiveOpen> requested;
    private Consumer<Established> established;
    private Consumer<VerbsException> failed;
    /** Ends the wait for the Request; cancelled when the Request is here. */
    private Timer timer;
    /** Whether the channel is closed or handed over. */
    private boolean over;
    private final Attempt attempt = this::onLoopClosed;

    private PassiveOpen(EventLoop loop, Channel channel, Admission.Place place, SegmentAllocator memory, Consumer<PassiveOpen> requested,
            Consumer<VerbsException> refused) {
        this.loop = loop;
        this.channel = channel;
        this.place = place;
        this.handshake = new ResponderHandshake(memory);
        this.driver = new HandshakeDriver(handshake, channel);
        this.requested = requested;
        this.failed = refused;
    }

    /**
     * Starts the handshake on an accepted channel. Only the leader calls this. Then one of {@code requested} and {@code refused} is called,
     * once.
     *
     * @param place  the peer's place; closing the channel gives it back
     * @param memory allocates native memory for the frames
     * @throws RuntimeException if the channel cannot be watched, or if {@code requested} throws; then the channel is closed
     */
    static void start(EventLoop loop, Channel channel, Admission.Place place, SegmentAllocator memory, long timeoutNanos,
            Consumer<PassiveOpen> requested, Consumer<VerbsException> refused) {
        PassiveOpen open;
        try {
            open = new PassiveOpen(loop, channel, place, memory, requested, refused);
        } catch (RuntimeException | Error e) {
            channel.close();
            place.leave();
            throw e;
        }
        try {
            open.begin(timeoutNanos);
        } catch (RuntimeException | Error e) {
            open.end();
            throw e;
        }
    }

    private void begin(long timeoutNanos) {
        events = loop.multiplexer().add(channel, this);
        timer = loop.schedule(timeoutNanos, this::onTimeout);
        loop.add(attempt);
        place.onBegin(this::onGiveWay);
        advance();
    }

    /** Runs a step. If it fails, this opening fails: nothing else would close the channel. */
    private void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (over) {
                // A bug of the callback.
                throw e;
            }
            fail(Shortage.reason("set up the connection with " + remoteAddress() + " on this side", e));
        }
    }

    private void onGiveWay(String reason) {
        fail(new PeerException(remoteAddress() + ": its MPA Request was not whole when " + reason + ", and a new peer came"));
    }

    private void onTimeout() {
        if (!over && handshake.state() == Handshake.State.RECEIVING) {
            handshake.onTimeout();
            onState();
        }
    }

    @Override
    public void onReady(int events) {
        if (!over) {
            guard(this::advance);
        }
    }

    private void advance() {
        Handshake.State before = handshake.state();
        try {
            driver.drive();
        } catch (VerbsException e) {
            fail(before == Handshake.State.SENDING
                    ? new PeerException(remoteAddress() + " gave up while this side accepted it: " + e.getMessage(), e)
                    : e);
            return;
        }
        if (handshake.state() != before) {
            onState();
        }
    }

    private void onState() {
        switch (handshake.state()) {
            case SENDING, RECEIVING -> {
                // The handshake waits for the peer.
            }
            case REQUESTED -> {
                timer.cancel();
                place.onRequest();
                announce();
            }
            case AGREED -> {
                // Before the opening is over: if memory runs out here, the opening must still close the channel.
                Established connection = new Established(loop, channel, events, handshake.agreement(), false, place.onEstablished());
                over = true;
                loop.remove(attempt);
                connection.handOver(established, failed);
            }
            case REJECTED -> {
                channel.shutdownOutput();
                end();
            }
            case FAILED -> fail(new PeerException(remoteAddress() + ": " + handshake.failure()));
        }
    }

    private void announce() {
        try {
            requested.accept(this);
        } catch (RuntimeException | Error e) {
            // A bug of the callback: nothing else would close the channel.
            end();
            throw e;
        }
    }

    private void end() {
        over = true;
        if (timer != null) {
            timer.cancel();
        }
        loop.remove(attempt);
        channel.close();
        place.leave();
    }

    private void onLoopClosed() {
        if (over) {
            return;
        }
        if (established == null) {
            // This side did not accept it yet: no program waits for it, and the peer did nothing wrong.
            end();
        } else {
            fail(new ClosedException("the connection with " + remoteAddress() + " was not established before its owner was closed"));
        }
    }

    private void fail(VerbsException reason) {
        end();
        failed.accept(reason);
    }

    /** The address of this side. */
    public InetSocketAddress localAddress() {
        return channel.localAddress();
    }

    /** The peer's address. */
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** The private data of the Request, once it has come. */
    public byte[] privateData() {
        return handshake.privateData();
    }

    /** How many of our Reads the peer serves at a time, once the Request has come. */
    public int remoteIrd() {
        return handshake.remoteIrd();
    }

    /** How many of its own Reads the peer wants outstanding, once the Request has come. */
    public int remoteOrd() {
        return handshake.remoteOrd();
    }

    /**
     * Accepts the connection.
     *
     * @param onEstablished called by the leader when the channel has taken the Reply, before any further byte is received
     * @param onFailed      called by the leader if the connection cannot be established
     */
    public void accept(Terms ours, Consumer<Established> onEstablished, Consumer<VerbsException> onFailed) {
        loop.execute(() -> {
            if (!isUnanswered()) {
                onFailed.accept(new ClosedException("the connection request of " + remoteAddress() + " is closed"));
                return;
            }
            established = onEstablished;
            failed = onFailed;
            guard(() -> {
                handshake.accept(ours);
                advance();
            });
        });
    }

    /** Rejects the connection, with the depths and the private data of these terms. */
    public void reject(Terms ours) {
        loop.execute(() -> {
            if (isUnanswered()) {
                failed = reason -> {
                    // The peer does not get the Reply. The program needs no notice of that.
                };
                guard(() -> {
                    handshake.reject(ours);
                    advance();
                });
            }
        });
    }

    private boolean isUnanswered() {
        return !over && handshake.state() == Handshake.State.REQUESTED;
    }

    /** Gives up, unless the channel is closed or handed over. */
    public void abort() {
        loop.call(() -> {
            if (!over) {
                end();
            }
        });
    }
}
