package org.panamaverbs.softiwarp.lifecycle;

import java.util.function.Supplier;
import org.panamaverbs.ResourceException;

/** Says what to do when memory has run out. */
public final class Shortage {
    private Shortage() {
    }

    /** Describes a failure; if memory has run out, with what helps. */
    public static String describe(Throwable failure) {
        return failure instanceof OutOfMemoryError
                ? failure
                        + ": allow more memory (-XX:MaxDirectMemorySize for that outside of the heap, -Xmx for the heap), or fewer connections "
                        + "(panamaverbs.softiwarp.connections)"
                : failure.toString();
    }

    /**
     * Makes an object.
     *
     * @param what the object, for the message
     * @throws ResourceException if memory runs out; the message says what helps
     */
    public static <T> T naming(String what, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (OutOfMemoryError e) {
            throw new ResourceException("could not make " + what + ": " + describe(e), e);
        }
    }
}
