package org.panamaverbs.softiwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Handles of fields that threads share. Kept in a {@code static final} field, a handle is a constant to the compiler. */
public final class Fields {
    private Fields() {
    }

    /**
     * The handle of a field of the class that asks.
     *
     * @param lookup that class's
     * @param field  its name
     * @param type   its type
     * @return the handle
     */
    public static VarHandle of(MethodHandles.Lookup lookup, String field, Class<?> type) {
        try {
            return lookup.findVarHandle(lookup.lookupClass(), field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
