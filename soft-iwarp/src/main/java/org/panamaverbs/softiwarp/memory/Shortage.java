package org.panamaverbs.softiwarp.memory;

import java.util.function.Supplier;
import org.panamaverbs.ResourceException;
import org.panamaverbs.VerbsException;

/** Names the cure in messages about memory that has run out. */
public final class Shortage {
    private Shortage() {
    }

    /** Describes a failure, with the cure if memory has run out. */
    public static String describe(Throwable failure) {
        return failure instanceof OutOfMemoryError
                ? failure + ": allow more memory (-Xmx for the heap, the system's limits for native memory), or fewer connections "
                        + "(panamaverbs.softiwarp.connections)"
                : failure.toString();
    }

    /**
     * The exception that reports a failure: itself, or a {@link ResourceException} that says what helps.
     *
     * @param what continues the message "could not"
     */
    public static VerbsException reason(String what, Throwable failure) {
        return failure instanceof VerbsException exception ? exception
                : new ResourceException("could not " + what + ": " + describe(failure), failure);
    }

    /**
     * Makes an object.
     *
     * @param what the object, for the message
     * @throws ResourceException if memory runs out; the message names the cure
     */
    public static <T> T naming(String what, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (OutOfMemoryError e) {
            throw new ResourceException("could not make " + what + ": " + describe(e), e);
        }
    }
}
