package org.panamaverbs.softiwarp;

import java.util.OptionalInt;
import org.panamaverbs.QueuePairState;
import org.panamaverbs.cm.ConnectionEnd;
import org.panamaverbs.cm.Route;
import org.panamaverbs.softiwarp.cm.Opening;
import org.panamaverbs.softiwarp.jfr.Recorder;
import org.panamaverbs.softiwarp.mpa.Agreement;
import org.panamaverbs.softiwarp.progress.StreamDriver;
import org.panamaverbs.softiwarp.qp.EndReason;
import org.panamaverbs.softiwarp.transport.Channel;
import org.panamaverbs.spi.AbstractConnection;

/** A connection: tells the program and the recorder how its stream ended. */
// Tested by ConnectionContract, DisconnectContract, EndsTest.
final class SoftConnection extends AbstractConnection implements StreamDriver.Listener {
    private static final int UNKNOWN = -1;

    private final SoftQueuePair queuePair;
    /** The depths that the peer named; {@link #UNKNOWN} if it named none. */
    private final int remoteInboundReads;
    private final int remoteOutboundReads;
    /** Written once, before another thread has the connection. */
    private StreamDriver driver;
    /** How the connection ended: made and recorded by the first call of {@link #onEnded}. */
    private ConnectionEnd how;

    private SoftConnection(SoftQueuePair queuePair, Channel channel, Agreement agreement) {
        super(queuePair, channel.localAddress(), channel.remoteAddress(), agreement.privateData(), agreement.ird(), agreement.ord());
        this.queuePair = queuePair;
        this.remoteInboundReads = agreement.remoteIrd().orElse(UNKNOWN);
        this.remoteOutboundReads = agreement.remoteOrd().orElse(UNKNOWN);
    }

    /**
     * Connects a queue pair. Only the loop's leader calls it.
     *
     * @throws org.panamaverbs.ClosedException if the queue pair is closed
     */
    static SoftConnection connect(SoftQueuePair queuePair, Opening<?> opened, Agreement agreement) {
        SoftConnection connection = new SoftConnection(queuePair, opened.channel(), agreement);
        queuePair.attach(opened, agreement, connection);
        return connection;
    }

    void isDrivenBy(StreamDriver connected) {
        driver = connected;
    }

    StreamDriver driver() {
        return driver;
    }

    @Override
    public void onEnded(EndReason reason) {
        if (how == null) {
            how = EndTable.connectionEnd(reason, "connection to " + Route.text(remoteAddress()));
            record(how);
        }
        if (end(how)) {
            queuePair.onEnded(reason);
        }
    }

    private Recorder.Peers peers() {
        return new Recorder.Peers(localAddress(), remoteAddress(), queuePair.number());
    }

    private void record(ConnectionEnd end) {
        if (end.cause() == ConnectionEnd.Cause.REMOTE_ERROR) {
            end.terminate().ifPresent(code -> Recorder.get().onTerminate(peers(), false, code));
        }
        queuePair.domain().device().counters().onEnded(this, end);
    }

    @Override
    public void onTerminateSent(int error) {
        Recorder.get().onTerminate(peers(), true, error);
    }

    @Override
    public String path() {
        return driver.path().toString();
    }

    @Override
    public OptionalInt remoteInboundReads() {
        return depth(remoteInboundReads);
    }

    @Override
    public OptionalInt remoteOutboundReads() {
        return depth(remoteOutboundReads);
    }

    private static OptionalInt depth(int reads) {
        return reads == UNKNOWN ? OptionalInt.empty() : OptionalInt.of(reads);
    }

    @Override
    public boolean isConnected() {
        return queuePair.state() == QueuePairState.READY_TO_SEND;
    }

    @Override
    public void disconnect() {
        driver.disconnect();
    }
}
