package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * The calls that each request needs. Arguments are raw addresses, since Java checks a segment at each call. The caller keeps the memory
 * there from being freed.
 *
 * <p>Polling is {@code critical}, which saves about 7 ns a call: safepoints wait until the call returns, and a poll of a few completions never
 * waits for anything. Posting is not, because it is a system call of siw's and rxe's, which may transmit.
 */
@SuppressWarnings("restricted") // they are called natively
public final class DataCalls {
    private static final MethodHandle POLL_CQ = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG),
            Linker.Option.critical(false));
    private static final MethodHandle POST = Linker.nativeLinker().downcallHandle(
            FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG));

    private DataCalls() {
    }

    /** {@code ibv_poll_cq}. */
    public static int poll(MemorySegment function, long queue, int most, long completions) {
        try {
            return (int) POLL_CQ.invokeExact(function, queue, most, completions);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** {@code ibv_post_send}, {@code ibv_post_recv} or {@code ibv_post_srq_recv}. */
    public static int post(MemorySegment function, long queue, long requests, long bad) {
        try {
            return (int) POST.invokeExact(function, queue, requests, bad);
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }
}
