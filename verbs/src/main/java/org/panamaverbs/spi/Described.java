package org.panamaverbs.spi;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.panamaverbs.Completions;
import org.panamaverbs.ReceiveRequest;
import org.panamaverbs.SendRequest;

/**
 * Gives providers the SPI objects that the objects of a program hold. The program's classes do not show them.
 * {@code org.panamaverbs.DescribedObjects} gives the way in.
 */
public abstract class Described {
    private static @Nullable Described given;

    /** The way in, found once: a constant for the compiler. */
    private static final class Holder {
        static final Described ACCESS = find();

        private static Described find() {
            try {
                Class.forName("org.panamaverbs.DescribedObjects", true, Described.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                throw new IllegalStateException("the classes of this library do not belong together", e);
            }
            return Objects.requireNonNull(given);
        }
    }

    /** For the API's one subclass. */
    protected Described() {
        if (given != null) {
            throw new IllegalStateException("the API has given the way in already");
        }
        given = this;
    }

    /**
     * The request that an object describes.
     *
     * @param request the object
     * @return as it is now; the object's next description changes it
     */
    protected abstract SendWorkRequest workRequest(SendRequest request);

    /**
     * The receive that an object describes.
     *
     * @param request the object
     * @return as it is now; the object's next description changes it
     */
    protected abstract ReceiveWorkRequest workRequest(ReceiveRequest request);

    /**
     * The memory of a cursor.
     *
     * @param cursor the cursor
     * @return always the same
     */
    protected abstract CompletionBuffer completionBuffer(Completions cursor);

    /**
     * The memory of a cursor, for polls.
     *
     * @param cursor the cursor
     * @return always the same
     */
    public static CompletionBuffer of(Completions cursor) {
        return Holder.ACCESS.completionBuffer(cursor);
    }

    /**
     * The request that an object describes.
     *
     * @param request the object
     * @return as it is now; the object's next description changes it
     */
    public static SendWorkRequest of(SendRequest request) {
        return Holder.ACCESS.workRequest(request);
    }

    /**
     * The receive that an object describes.
     *
     * @param request the object
     * @return as it is now; the object's next description changes it
     */
    public static ReceiveWorkRequest of(ReceiveRequest request) {
        return Holder.ACCESS.workRequest(request);
    }
}
