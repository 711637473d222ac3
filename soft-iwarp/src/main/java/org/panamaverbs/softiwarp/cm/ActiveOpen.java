package org.panamaverbs.softiwarp.cm;

import java.util.function.BiFunction;
import java.util.function.Function;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * The active side of a connection: connects, and carries out the initiator's handshake with the peer.
 *
 * @param <T> as in {@link Opening}
 */
// Tested by ForeignServerTest, ConnectContract.
public final class ActiveOpen<T> extends Opening<T> {
    private static final String NO_ANSWER = "no answer to TCP; see whether the host runs and no firewall drops packets";

    private final Function<Channel, Terms> terms;
    /** {@code null} until the channel is there. */
    private InitiatorHandshake handshake;
    private final BiFunction<Opening<T>, Agreement, T> taker;

    /**
     * Makes one.
     *
     * @param terms what this side asks for on a channel of this path
     * @param taker makes its object of the connection and of what both sides agreed on; the loop's leader calls it before any further byte
     *              is received
     */
    public ActiveOpen(EventLoop loop, Function<Channel, Terms> terms, BiFunction<Opening<T>, Agreement, T> taker) {
        super(loop, 0, ONLY_THE_WAITER);
        this.terms = terms;
        this.taker = taker;
    }

    @Override
    protected String waitsFor() {
        return isConnected() ? handshake.waitsFor() : NO_ANSWER;
    }

    @Override
    protected void onBegin() {
        handshake = new InitiatorHandshake(terms.apply(channel()));
    }

    @Override
    protected void advance() {
        exchange(handshake);
        switch (handshake.state()) {
            case SENDING, RECEIVING, REQUESTED -> {
                // The handshake waits for the peer.
            }
            case AGREED -> agree();
            case REJECTED -> fail(rejected());
            case FAILED -> {
                // If this side could not use the Reply, it has sent a Terminate; the end of the stream follows the Terminate.
                channel().shutdownOutput();
                fail(new PeerException(Route.text(channel().remoteAddress()) + ": " + handshake.failure()));
            }
        }
    }

    @Override
    protected T take() {
        return taker.apply(this, handshake.agreement());
    }

    /** RFC 6581, 9.3. */
    @Override
    protected void onNotTaken() {
        IoVector terminate = handshake.terminate();
        if (terminate.size() > 0) {
            // A channel that has carried a Request has room for some more bytes. If it has none, the peer sees an end without a reason.
            write(terminate);
            channel().shutdownOutput();
        }
    }

    private VerbsException rejected() {
        byte[] privateData = handshake.rejection();
        return new RejectedException(
                "the program at " + Route.text(channel().remoteAddress()) + " rejected the connection"
                        + (privateData.length == 0 ? "" : ", with " + privateData.length + " bytes of private data")
                        + (handshake.isRejectedWithoutCrc() ? ", or its MPA did: it may refuse the CRCs that this side asks for" : ""),
                privateData, handshake.rejectedIrd(), handshake.rejectedOrd());
    }
}
