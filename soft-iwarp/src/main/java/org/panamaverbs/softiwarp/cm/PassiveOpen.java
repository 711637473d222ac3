package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.mpa.ResponderHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * The passive side of a connection: carries out the responder's handshake with a peer, which the program accepts or rejects.
 *
 * @param <T> as in {@link Opening}
 */
public final class PassiveOpen<T> extends Opening<T> {
    private final Consumer<PassiveOpen<T>> requested;
    private Admission.Place place;
    private ResponderHandshake handshake;
    private BiFunction<Opening<T>, Agreement, T> taker;
    private Runnable whenClosed = Admission.UNCOUNTED;

    /**
     * Makes one. After its start, one of {@code requested} and {@code refused} is called, once.
     *
     * @param timeoutNanos the time in which the peer must send its Request
     * @param requested    called by the loop's leader when the Request is whole
     * @param refused      called by the loop's leader if the peer's Request is wrong or late, or if this side fails
     */
    PassiveOpen(EventLoop loop, long timeoutNanos, Consumer<PassiveOpen<T>> requested, Consumer<VerbsException> refused) {
        super(loop, timeoutNanos, refused);
        this.requested = requested;
    }

    /** Starts the handshake on an accepted channel. Only the leader calls this. If the opening ends, it gives the peer's place back. */
    void start(Channel accepted, Admission.Place ofPeer) {
        place = ofPeer;
        startOn(accepted);
    }

    @Override
    protected String waitsFor() {
        return "the peer did not take the MPA Reply";
    }

    @Override
    protected void onBegin() {
        handshake = new ResponderHandshake();
        place.onBegin(this::onGiveWay);
    }

    private void onGiveWay(String reason) {
        fail(new PeerException(Route.text(remoteAddress()) + ": its MPA Request was not whole when " + reason + ", and a new peer came"));
    }

    @Override
    protected void onTimeout() {
        handshake.onTimeout();
        onState();
    }

    @Override
    protected void advance() {
        Handshake.State before = handshake.state();
        try {
            exchange(handshake);
        } catch (VerbsException e) {
            fail(before == Handshake.State.SENDING
                    ? new PeerException(Route.text(remoteAddress()) + " gave up while this side accepted it: " + e.getMessage(), e) : e);
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
                cancelTimer();
                place.onRequest();
                requested.accept(this);
            }
            case AGREED -> agree();
            case REJECTED -> {
                channel().shutdownOutput();
                abort();
            }
            case FAILED -> fail(new PeerException(Route.text(remoteAddress()) + ": " + handshake.failure()));
        }
    }

    @Override
    protected T take() {
        whenClosed = place.onEstablished();
        return taker.apply(this, handshake.agreement());
    }

    @Override
    protected void onClosed() {
        place.leave();
    }

    @Override
    public Runnable whenClosed() {
        return whenClosed;
    }

    /** The address of this side. */
    public InetSocketAddress localAddress() {
        return channel().localAddress();
    }

    /** The peer's address. */
    public InetSocketAddress remoteAddress() {
        return channel().remoteAddress();
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
     * Accepts the connection, unless the opening is over.
     *
     * @param next     the loop of the connection
     * @param onAgreed makes its object of the connection and of what both sides agreed on; the loop's leader calls it when the channel has
     *                 taken the Reply, before any further byte is received
     * @param onFailed called by the leader if the connection cannot be established
     */
    public void accept(EventLoop next, Terms ours, BiFunction<Opening<T>, Agreement, T> onAgreed, Consumer<VerbsException> onFailed) {
        answer(next, onFailed, () -> {
            taker = onAgreed;
            handshake.accept(ours);
        });
    }

    /** Rejects the connection, with the depths and the private data of these terms. Nothing reports that the Reply was lost. */
    public void reject(Terms ours) {
        answer(loop(), ONLY_THE_WAITER, () -> handshake.reject(ours));
    }

    private void answer(EventLoop next, Consumer<VerbsException> onFailed, Runnable answer) {
        loop().execute(() -> step(() -> {
            onFailed(onFailed);
            continueOn(next, () -> {
                answer.run();
                advance();
            });
        }));
    }
}
