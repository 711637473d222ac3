package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.softiwarp.mpa.NotMpaException;
import org.panamaverbs.softiwarp.mpa.Responder;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.progress.Timer;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** The passive side: receives the Request, waits for the program's answer, sends the Reply. */
public final class PassiveOpen implements Multiplexer.Handler {
    private enum Step {
        RECEIVING, WAITING, REPLYING, REJECTING, DONE
    }

    private final EventLoop loop;
    private final Channel channel;
    private final FrameExchange exchange;
    private final DelegatingHandler handler = new DelegatingHandler(this);
    private final Consumer<PassiveOpen> requested;
    private final Consumer<VerbsException> refused;
    private Step step = Step.RECEIVING;
    /** Ends the wait for the Request; cancelled when that has come. */
    private Timer timer;
    private Responder responder;
    private Terms terms;
    private Consumer<Established> established;
    private Consumer<VerbsException> failed;

    private PassiveOpen(EventLoop loop, Channel channel, Consumer<PassiveOpen> requested, Consumer<VerbsException> refused) {
        this.loop = loop;
        this.channel = channel;
        this.exchange = new FrameExchange(channel, true);
        this.requested = requested;
        this.refused = refused;
    }

    /** Starts on a channel that was accepted; by the leader. One of the two is called, once. */
    static PassiveOpen start(EventLoop loop, Channel channel, long timeoutNanos, Consumer<PassiveOpen> requested,
            Consumer<VerbsException> refused) {
        PassiveOpen open = new PassiveOpen(loop, channel, requested, refused);
        try {
            loop.multiplexer().add(channel, open.handler);
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
        open.timer = loop.schedule(timeoutNanos, open::onTimeout);
        open.onReady(Multiplexer.READABLE);
        return open;
    }

    private void onTimeout() {
        if (step == Step.RECEIVING) {
            refuse(new PeerException(channel.remoteAddress() + ": not an MPA peer: it connected, and sent only "
                    + exchange.reader().filled() + " bytes of an MPA Request in time"));
        }
    }

    private void refuse(VerbsException reason) {
        step = Step.DONE;
        channel.close();
        refused.accept(reason);
    }

    @Override
    public void onReady(int events) {
        try {
            advance();
        } catch (VerbsException e) {
            boolean early = step == Step.RECEIVING;
            step = Step.DONE;
            channel.close();
            if (early) {
                refused.accept(e);
            } else if (failed != null) {
                failed.accept(e instanceof PeerException ? e
                        : new PeerException(remoteAddress() + " gave up while it was accepted: " + e.getMessage(), e));
            }
        }
    }

    private void advance() {
        if (step == Step.RECEIVING && exchange.read()) {
            try {
                responder = new Responder(exchange.reader());
            } catch (NotMpaException e) {
                throw exchange.failed(e);
            }
            step = Step.WAITING;
            timer.cancel();
            requested.accept(this);
        }
        if (step == Step.REPLYING && exchange.write()) {
            step = Step.DONE;
            established.accept(new Established(loop, channel, handler, responder.agree(terms), false));
        }
        if (step == Step.REJECTING && exchange.write()) {
            step = Step.DONE;
            channel.shutdownOutput();
            channel.close();
        }
    }

    /** Who asks. */
    public InetSocketAddress remoteAddress() {
        return channel.remoteAddress();
    }

    /** What the peer asks for; once requested. */
    public Responder responder() {
        return responder;
    }

    /**
     * Accepts.
     *
     * @param onEstablished called by the leader once the Reply is on its way, before any further byte is received
     * @param onFailed called by the leader where that does not work
     */
    public void accept(Terms ours, Consumer<Established> onEstablished, Consumer<VerbsException> onFailed) {
        loop.execute(() -> {
            if (step != Step.WAITING) {
                onFailed.accept(new ClosedException("the connection request of " + remoteAddress() + " is closed"));
                return;
            }
            terms = ours;
            established = onEstablished;
            failed = onFailed;
            exchange.send(responder.accept(ours));
            step = Step.REPLYING;
            onReady(Multiplexer.WRITABLE);
        });
    }

    /** Rejects. */
    public void reject(byte[] privateData) {
        loop.execute(() -> {
            if (step == Step.WAITING) {
                exchange.send(responder.reject(privateData));
                step = Step.REJECTING;
                onReady(Multiplexer.WRITABLE);
            }
        });
    }

    /** Gives up, where it is not done. */
    public void abort() {
        loop.call(() -> {
            if (step != Step.DONE) {
                step = Step.DONE;
                channel.close();
            }
        });
    }
}
