package org.panamaverbs.spi.support;

import org.jspecify.annotations.Nullable;

/**
 * Undoes the steps of a construction that fails half-way, the last step first. A try-with-resources statement needs no catch for that:
 *
 * {@snippet lang = java :
 * try (Rollback undo = new Rollback()) {
 *     domain = device.allocateProtectionDomain();
 *     undo.add(domain::close);
 *     queue = device.createCompletionQueue(64); // if this fails, the domain is closed
 *     undo.commit();
 * }
 * }
 *
 * <p>An object is for one thread.
 */
public final class Rollback implements AutoCloseable {
    /** {@code null} if there is nothing to undo. */
    private @Nullable Step last;

    /** A step that was taken, and those that were taken before it: they are undone in any case. */
    private record Step(Runnable undo, @Nullable Step before) implements AutoCloseable {
        @Override
        public void close() {
            try (before) {
                undo.run();
            }
        }
    }

    /** Makes one without steps. */
    public Rollback() {
        this(null);
    }

    private Rollback(@Nullable Step last) {
        this.last = last;
    }

    /**
     * Adds a step that was just taken.
     *
     * @param undo undoes the step
     */
    public void add(Runnable undo) {
        last = new Step(undo, last);
    }

    /**
     * {@return the construction has succeeded: closing this undoes nothing; the steps so far, for an object that is taken apart in the same
     * order}
     */
    public Rollback commit() {
        Rollback steps = new Rollback(last);
        last = null;
        return steps;
    }

    /** Undoes all steps, once. A failure does not keep the others from being undone, and is thrown at the end; further ones are suppressed. */
    @Override
    public void close() {
        Step steps = last;
        last = null;
        if (steps != null) {
            steps.close();
        }
    }
}
