package org.panamaverbs.softiwarp.transport;

import org.panamaverbs.posix.EventDescriptor;
import org.panamaverbs.posix.SocketCalls;

/** A descriptor that is readable or not, as this side says: for event loops of programs. */
public final class ReadinessDescriptor implements AutoCloseable {
    private final EventDescriptor events = EventDescriptor.open(error -> Failures.of("open a descriptor of events", "eventfd", error));

    /** Whether there are any on this system. */
    public static boolean isAvailable() {
        return SocketCalls.unavailable() == null;
    }

    public int number() {
        return events.number();
    }

    /** Makes it readable or not: one system call. */
    public void set(boolean readable) {
        events.set(readable);
    }

    @Override
    public void close() {
        events.close();
    }
}
