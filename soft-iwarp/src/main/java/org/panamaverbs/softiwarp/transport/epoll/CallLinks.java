package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.invoke.MethodHandle;
import java.util.function.BiFunction;

/**
 * Where a test of faults puts itself between {@link Syscalls} and the system. Each call passes here once, when it is linked, and not when it
 * is made: so this costs nothing.
 */
final class CallLinks {
    private static volatile BiFunction<String, MethodHandle, MethodHandle> interposed = (name, call) -> call;

    private CallLinks() {
    }

    /**
     * Puts something between each call and the system. Does nothing once {@link Syscalls} is initialized.
     *
     * @param between gets the name of a function of libc and its handle, and returns a handle of the same type
     */
    static void interpose(BiFunction<String, MethodHandle, MethodHandle> between) {
        interposed = between;
    }

    /** The handle to use; {@code null} for a function that libc lacks. */
    static MethodHandle link(String name, MethodHandle call) {
        return call == null ? null : interposed.apply(name, call);
    }
}
