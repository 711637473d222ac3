package org.panamaverbs.softiwarp.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Handles of fields that threads share. A handle in a {@code static final} field is a constant to the compiler. */
public final class Fields {
    private Fields() {
    }

    /**
     * The handle of a field of the calling class.
     *
     * @param lookup the lookup of that class
     * @param field  name of the field
     * @param type   type of the field
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
