package org.panamaverbs.softiwarp.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Events that the transport reports itself, besides those of the system: any thread pushes, and the selecting thread takes all. The stack
 * links the registrations themselves, each at most once, and so allocates nothing.
 */
public final class EventStack {
    private static final VarHandle TOP = Fields.of(MethodHandles.lookup(), "top", Registration.class);

    private volatile Registration top;

    /** Adds events to a registration. The caller must then wake the selecting thread. */
    public void push(Registration registration, int events) {
        if ((int) Registration.PENDING.getAndBitwiseOr(registration, events) != 0) {
            // It is in the stack, or another thread is pushing it. The taking thread reads the events after it has taken the stack.
            return;
        }
        Registration seen;
        do {
            seen = top;
            registration.below = seen;
        } while (!TOP.compareAndSet(this, seen, registration));
    }

    public boolean isEmpty() {
        return top == null;
    }

    /** Calls the handlers of all registrations in the stack. Events that they push wait for the next call. Returns the number of calls. */
    public int dispatchAll() {
        int called = 0;
        Registration next = top == null ? null : (Registration) TOP.getAndSet(this, null);
        while (next != null) {
            Registration registration = next;
            // Read before the events are taken: after that another thread may push the registration again and set the link.
            next = registration.below;
            registration.below = null;
            called += registration.dispatch((int) Registration.PENDING.getAndSet(registration, 0));
        }
        return called;
    }
}
