package org.panamaverbs.softiwarp.cm;

import java.lang.foreign.Arena;
import java.util.function.Consumer;
import org.panamaverbs.ClosedException;
import org.panamaverbs.PeerException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.cm.RejectedException;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.lifecycle.Shortage;
import org.panamaverbs.softiwarp.mpa.InitiatorHandshake;
import org.panamaverbs.softiwarp.mpa.Terms;
import org.panamaverbs.softiwarp.progress.Attempt;
import org.panamaverbs.softiwarp.progress.EventLoop;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** The active side of a connection: connects, and carries out the initiator's handshake with the peer. */
public final class ActiveOpen implements Multiplexer.Handler {
    private static final String NO_ANSWER = "no answer to TCP; see whether the host runs and no firewall drops packets";

    private final EventLoop loop;
    private final Channel channel;
    private final InitiatorHandshake handshake;
    private final HandshakeDriver driver;
    private final Consumer<Established> established;
    private final Consumer<VerbsException> failed;
    private Registration events;
    private boolean connected;
    /** Whether the channel is closed or handed over. */
    private boolean over;
    private final Attempt attempt = this::onLoopClosed;

    private ActiveOpen(EventLoop loop, Channel channel, InitiatorHandshake handshake, Consumer<Established> established,
            Consumer<VerbsException> failed) {
        this.loop = loop;
        this.channel = channel;
        this.handshake = handshake;
        this.driver = new HandshakeDriver(handshake, channel);
        this.established = established;
        this.failed = failed;
    }

    /**
     * Starts to connect.
     *
     * @param established called by the loop's leader when the connection is established, before any further byte is received
     * @param failed      called by the loop's leader if the connection cannot be established
     * @return the attempt, which the caller can abort
     * @throws VerbsException if the attempt fails at once
     */
    public static ActiveOpen start(EventLoop loop, Route route, Terms terms, Consumer<Established> established,
            Consumer<VerbsException> failed) {
        // The memory comes first: if it runs out, no channel is open yet.
        InitiatorHandshake handshake = new InitiatorHandshake(terms, Arena.ofAuto());
        Channel channel = loop.multiplexer().connect(route);
        try {
            ActiveOpen open = new ActiveOpen(loop, channel, handshake, established, failed);
            loop.execute(open::begin);
            return open;
        } catch (RuntimeException | Error e) {
            channel.close();
            throw e;
        }
    }

    private void begin() {
        if (over) {
            return;
        }
        guard(() -> {
            events = loop.multiplexer().add(channel, this);
            loop.add(attempt);
            advance();
        });
    }

    /** Runs a step. If it fails, this attempt fails: nothing else would close the channel. */
    private void guard(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            if (over) {
                // A bug of the callback.
                throw e;
            }
            fail(Shortage.reason("connect to " + channel.remoteAddress(), e));
        }
    }

    /** Describes, for the message of a timeout, the event that the attempt waits for. */
    public String waitsFor() {
        String[] words = new String[1];
        loop.call(() -> words[0] = over ? "the attempt ended too late" : connected ? handshake.waitsFor() : NO_ANSWER);
        return words[0];
    }

    /** Gives up, unless the channel is closed or handed over. */
    public void abort() {
        loop.call(() -> {
            if (!over) {
                end();
            }
        });
    }

    private void end() {
        over = true;
        loop.remove(attempt);
        channel.close();
    }

    private void onLoopClosed() {
        if (!over) {
            fail(new ClosedException(
                    "the connection with " + channel.remoteAddress() + " was not established before its owner was closed"));
        }
    }

    private void fail(VerbsException reason) {
        end();
        failed.accept(reason);
    }

    @Override
    public void onReady(int events) {
        if (!over) {
            guard(this::advance);
        }
    }

    private void advance() {
        if (!isConnected()) {
            return;
        }
        driver.drive();
        switch (handshake.state()) {
            case SENDING, RECEIVING, REQUESTED -> {
                // The handshake waits for the peer.
            }
            case AGREED -> {
                // Before the attempt is over: if memory runs out here, the attempt must still close the channel.
                Established connection = new Established(loop, channel, events, handshake.agreement(), true, Established.UNCOUNTED);
                over = true;
                loop.remove(attempt);
                connection.handOver(established, failed);
            }
            case REJECTED -> fail(rejected());
            case FAILED -> {
                // If this side could not use the Reply, it has sent a Terminate; the end of the stream follows the Terminate.
                channel.shutdownOutput();
                fail(new PeerException(channel.remoteAddress() + ": " + handshake.failure()));
            }
        }
    }

    private boolean isConnected() {
        if (!connected) {
            int result = channel.finishConnect();
            if (result < 0) {
                throw channel.failure();
            }
            connected = result > 0;
        }
        return connected;
    }

    private VerbsException rejected() {
        byte[] privateData = handshake.rejection();
        return new RejectedException("the program at " + channel.remoteAddress() + " rejected the connection"
                + (privateData.length == 0 ? "" : ", with " + privateData.length + " bytes of private data")
                + (handshake.isRejectedWithoutCrc() ? ", or its MPA did: it may refuse the CRCs that this side asks for" : ""), privateData,
                handshake.rejectedIrd(), handshake.rejectedOrd());
    }
}
