package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** The events of one channel, on their way to a handler. */
final class Watch implements Multiplexer.Handler {
    private final SharedMultiplexer multiplexer;
    private final SharedChannel channel;
    private final Registration registration;
    /** Whether the multiplexer looks into the rings, because the peer does not wake it. Only the selecting thread uses this and the next. */
    private boolean looked;
    /** How often it has looked in vain. */
    private int vain;

    Watch(SharedMultiplexer multiplexer, SharedChannel channel, Multiplexer.Handler handler) {
        this.multiplexer = multiplexer;
        this.channel = channel;
        this.registration = new Registration(handler);
    }

    Registration registration() {
        return registration;
    }

    SharedChannel channel() {
        return channel;
    }

    void report(int events) {
        multiplexer.report(registration, events);
    }

    /** The socket is readable. */
    @Override
    public void onReady(int events) {
        int told = channel.onSocket();
        multiplexer.lookAt(this);
        if (told != 0) {
            registration.dispatch(told);
        }
    }

    /** Whether the channel is closed, or has another watch. */
    boolean isOver() {
        return registration.isCancelled();
    }

    boolean isLookedAt() {
        return looked;
    }

    void lookedAt(boolean now) {
        looked = now;
        vain = 0;
    }

    /** Counts a look; the number of those in vain since the last event. */
    int count(boolean found) {
        vain = found ? 0 : vain + 1;
        return vain;
    }
}
