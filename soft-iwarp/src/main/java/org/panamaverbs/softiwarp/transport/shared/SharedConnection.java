package org.panamaverbs.softiwarp.transport.shared;

import org.panamaverbs.softiwarp.transport.Multiplexer;
import org.panamaverbs.softiwarp.transport.epoll.Descriptor;
import org.panamaverbs.softiwarp.transport.shared.SharedState.Event;
import org.panamaverbs.spi.support.Rollback;

/** The steps of a channel's life, from the peer's greeting on. The lock is for these steps: no read or write takes it. */
// Tested by SharedChannelTest.
final class SharedConnection {
    private static final int BOTH = Multiplexer.READABLE | Multiplexer.WRITABLE;

    private final Descriptor socket;
    private final boolean accepted;
    private final WakeUps wakeUps;
    private final SharedEvents events;
    private final SharedLife life = new SharedLife();
    private final SharedInput input;
    private final SharedOutput output;

    SharedConnection(Descriptor socket, boolean accepted, SharedEvents events) {
        this.socket = socket;
        this.accepted = accepted;
        this.events = events;
        wakeUps = new WakeUps(socket);
        input = new SharedInput(events::report);
        output = new SharedOutput(events::report);
    }

    SharedLife life() {
        return life;
    }

    SharedInput input() {
        return input;
    }

    SharedOutput output() {
        return output;
    }

    /** The rings are there. */
    synchronized void open(RingMemory rings) {
        try (Rollback undo = new Rollback()) {
            undo.add(rings::unmap);
            RingReader reader = new RingReader(rings, accepted ? 0 : 1, wakeUps::send);
            RingWriter writer = new RingWriter(rings, accepted ? 1 : 0, wakeUps::send);
            undo.commit();
            input.open(reader);
            output.open(writer);
            life.change(Event.GREET, null);
        }
    }

    /** Takes the peer's greeting, if it is there. Returns the state after that. */
    synchronized SharedState greet() {
        if (life.state() == SharedState.GREETING && socket.acquire()) {
            try {
                Greeting.Received greeting = Greeting.receive(socket.fd());
                if (greeting.objection() != null) {
                    events.report(blame(greeting.objection()));
                } else if (greeting.rings() != null) {
                    open(greeting.rings());
                    events.begin();
                }
            } finally {
                socket.release();
            }
        }
        return life.state();
    }

    /** The socket has wake-ups, or its end. Called by the selecting thread. Returns the events that must be reported in any case. */
    int onSocket() {
        SharedState state = life.state();
        if (state == SharedState.GREETING) {
            state = greet();
        }
        if (state != SharedState.OPEN || !socket.acquire()) {
            return 0;
        }
        try {
            long result = wakeUps.take();
            if (result > WakeUps.MOST) {
                return blame("it wakes this side again and again");
            }
            return result > 0 ? 0 : leave();
        } finally {
            socket.release();
        }
    }

    /** The peer's socket has ended. */
    private synchronized int leave() {
        if (life.state() == SharedState.OPEN) {
            life.change(input.isLeftUnread() ? Event.RESET : Event.LEAVE, null);
        }
        return BOTH;
    }

    /** The peer has broken a rule, as the words say. Returns the events that must be reported. */
    synchronized int blame(String words) {
        end(Event.BREAK, words);
        return BOTH;
    }

    /** Ends this side's direction: the peer sees it at once, or as soon as the rings are there. */
    synchronized void shutdownOutput() {
        output.end();
        if (life.state() == SharedState.OPEN) {
            output.showEnd();
        }
    }

    /** Closes the channel, whose socket must be closed next. Further calls do nothing. */
    synchronized void close() {
        end(Event.CLOSE, null);
    }

    private void end(Event event, String words) {
        boolean rings = life.state().hasRings();
        if (life.change(event, words) && rings) {
            if (input.hasBytes()) {
                output.leaveUnread();
            }
            input.close();
            output.close();
        }
    }
}
