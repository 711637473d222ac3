package org.panamaverbs.softiwarp.cm;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.Initiator;
import org.panamaverbs.softiwarp.mpa.NotMpaException;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;

/** The active side: connects, sends the Request, receives the Reply. */
public final class ActiveOpen implements Multiplexer.Handler {
    private enum Step {
        CONNECTING, SENDING, RECEIVING, DONE
    }

    private final EventLoop loop;
    private final Channel channel;
    private final Initiator initiator;
    private final Consumer<Established> established;
    private final Consumer<VerbsException> failed;
    private final FrameExchange exchange;
    private final DelegatingHandler handler = new DelegatingHandler(this);
    private Step step = Step.CONNECTING;

    private ActiveOpen(EventLoop loop, Channel channel, Terms terms, Consumer<Established> established, Consumer<VerbsException> failed) {
        this.loop = loop;
        this.channel = channel;
        this.initiator = new Initiator(terms);
        this.established = established;
        this.failed = failed;
        this.exchange = new FrameExchange(channel, false);
    }

    /**
     * Starts to connect.
     *
     * @param established called by the loop's leader where it worked; before any further byte is received
     * @param failed called by the loop's leader where it did not
     * @return to abort it by
     * @throws VerbsException where it fails at once
     */
    public static ActiveOpen start(EventLoop loop, InetSocketAddress remote, Terms terms, Consumer<Established> established,
            Consumer<VerbsException> failed) {
        Channel channel = loop.multiplexer().connect(remote);
        ActiveOpen open = new ActiveOpen(loop, channel, terms, established, failed);
        loop.execute(() -> {
            loop.multiplexer().add(channel, open.handler);
            open.onReady(0);
        });
        return open;
    }

    /** What it waits for, in words, for a time-out's message. */
    public String waitsFor() {
        String[] words = new String[1];
        loop.call(() -> words[0] = switch (step) {
            case CONNECTING -> "TCP did not connect";
            case SENDING -> "the peer took no MPA Request";
            case RECEIVING -> exchange.reader().filled() == 0
                    ? "TCP connected, but no MPA Reply came; is a program that speaks iWARP at that address?"
                    : "TCP connected, but only " + exchange.reader().filled() + " bytes of an MPA Reply came";
            case DONE -> "it was too late";
        });
        return words[0];
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

    @Override
    public void onReady(int events) {
        try {
            advance();
        } catch (VerbsException e) {
            step = Step.DONE;
            channel.close();
            failed.accept(e);
        }
    }

    private void advance() {
        if (step == Step.CONNECTING) {
            int connected = channel.finishConnect();
            if (connected < 0) {
                throw channel.failure();
            }
            if (connected == 0) {
                return;
            }
            exchange.send(initiator.request());
            step = Step.SENDING;
        }
        if (step == Step.SENDING && exchange.write()) {
            step = Step.RECEIVING;
        }
        if (step == Step.RECEIVING && exchange.read()) {
            agree();
        }
    }

    private void agree() {
        byte[] rejection = initiator.rejection(exchange.reader());
        if (rejection != null) {
            throw new RejectedException("the program at " + channel.remoteAddress() + " rejected the connection"
                    + (rejection.length == 0 ? "" : ", with " + rejection.length + " bytes of private data"), rejection);
        }
        Agreement agreement;
        try {
            agreement = initiator.agree(exchange.reader());
        } catch (NotMpaException e) {
            throw exchange.failed(e);
        }
        step = Step.DONE;
        established.accept(new Established(loop, channel, handler, agreement, true));
    }
}
