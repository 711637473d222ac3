package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.invoke.MethodHandle;
import java.util.function.BiFunction;

/**
 * Lets a test of faults put code between {@link Syscalls} and the system. A function passes here once, when it is linked, and not in each
 * call: so this has no overhead.
 */
final class CallLinks {
    private static volatile BiFunction<String, MethodHandle, MethodHandle> interposed = (name, call) -> call;

    private CallLinks() {
    }

    /**
     * Puts code between each call and the system. Does nothing once {@link Syscalls} is initialized.
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
