package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.Registration;

/** Passes the events of one channel to a handler. */
final class Watch implements Multiplexer.Handler {
    private final SharedMultiplexer multiplexer;
    private final SharedChannel channel;
    private final Registration registration;
    /** Whether the multiplexer looks into the rings, because the peer does not wake it. Only the selecting thread uses this and the next. */
    private boolean active;
    /** How often in a row the multiplexer has found nothing in the rings. */
    private int idleLooks;

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

    /** The rings are there. */
    void begin() {
        multiplexer.begin(this);
    }

    void report(int events) {
        multiplexer.report(registration, events);
    }

    /** The socket is readable. */
    @Override
    public void onReady(int events) {
        int ready = channel.onSocket();
        multiplexer.lookAt(this);
        if (ready != 0) {
            registration.dispatch(ready);
        }
    }

    /** Whether the channel is closed, or has another watch. */
    boolean isOver() {
        return registration.isCancelled();
    }

    boolean isActive() {
        return active;
    }

    void setActive(boolean active) {
        this.active = active;
        idleLooks = 0;
    }

    /** Counts a look into the rings; returns how many have found nothing since the last event. */
    int count(boolean found) {
        idleLooks = found ? 0 : idleLooks + 1;
        return idleLooks;
    }
}
