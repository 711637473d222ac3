package org.panamaverbs.softiwarp.cm;

import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.mpa.Handshake;
import org.panamaverbs.softiwarp.transport.Channel;

/** Moves bytes between a handshake and a channel, without waiting. Only the loop's leader uses it. */
final class HandshakeDriver {
    private final Handshake handshake;
    private final Channel channel;
    private final IoVector in = new IoVector(1);

    HandshakeDriver(Handshake handshake, Channel channel) {
        this.handshake = handshake;
        this.channel = channel;
    }

    /**
     * Moves the bytes that the handshake asks for, as far as the channel takes or has them, and no byte more.
     *
     * @throws org.panamaverbs.VerbsException if the channel is broken
     */
    void drive() {
        while (transmit() || receive()) {
            // The loop ends when no byte moves.
        }
    }

    private boolean transmit() {
        IoVector out = handshake.pollTransmit();
        if (out.size() == 0) {
            return false;
        }
        long count = channel.write(out);
        if (count < 0) {
            throw channel.failure();
        }
        if (count > 0) {
            handshake.onSent(count);
        }
        return count > 0;
    }

    private boolean receive() {
        handshake.pollReceive(in);
        if (in.size() == 0) {
            return false;
        }
        long count = channel.read(in);
        if (count == Channel.END_OF_STREAM) {
            handshake.onEndOfStream();
        } else if (count < 0) {
            throw channel.failure();
        } else if (count > 0) {
            handshake.onReceived(count);
        }
        return count > 0;
    }
}
