package org.panamaverbs.softiwarp.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.panamaverbs.softiwarp.memory.Fields;

/**
 * Events that we report ourselves, besides those of the system: any thread pushes, the one that selects takes all. It links the
 * registrations themselves, each at most once, and so allocates nothing.
 */
public final class EventStack {
    private static final VarHandle TOP = Fields.of(MethodHandles.lookup(), "top", Registration.class);

    private volatile Registration top;

    /** Adds events to a registration's; the caller then wakes whoever selects. */
    public void push(Registration registration, int events) {
        if ((int) Registration.PENDING.getAndBitwiseOr(registration, events) != 0) {
            // It is in the stack, or is being put there; and whoever takes it reads its events after taking the stack.
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

    /** Tells all handlers whose registrations are here now; what they push waits for the next call. Returns how many it called. */
    public int dispatchAll() {
        int called = 0;
        Registration next = top == null ? null : (Registration) TOP.getAndSet(this, null);
        while (next != null) {
            Registration registration = next;
            // Before its events are taken: from then on it can be pushed again, and the link is another's.
            next = registration.below;
            registration.below = null;
            called += registration.dispatch((int) Registration.PENDING.getAndSet(registration, 0));
        }
        return called;
    }
}
