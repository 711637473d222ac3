package org.panamaverbs.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Links functions of C and calls them. A linked function captures {@code errno}: its first argument is a segment from {@link #newErrno},
 * which receives the error number before the JVM can overwrite it; {@link #errno} reads it.
 */
@SuppressWarnings("restricted") // the linker: native access is what this class is for
public final class Native {
    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();

    private Native() {
    }

    /** A call of a linked function. */
    @FunctionalInterface
    public interface Call {
        /** Makes the call. */
        long make() throws Throwable;
    }

    /**
     * Links a function.
     *
     * @param function   its address
     * @param descriptor its arguments and its result, without {@code errno}
     * @param options    further ones
     */
    public static MethodHandle link(MemorySegment function, FunctionDescriptor descriptor, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(function, descriptor, withErrno(options));
    }

    /**
     * Links all functions of a kind. The first argument of the handle is the address of the function, the second one is for {@code errno}.
     *
     * @param descriptor their arguments and their result, without both
     * @param options    further ones
     */
    public static MethodHandle link(FunctionDescriptor descriptor, Linker.Option... options) {
        return Linker.nativeLinker().downcallHandle(descriptor, withErrno(options));
    }

    private static Linker.Option[] withErrno(Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        return all;
    }

    /**
     * Makes a call, off the hot path: until C2 has inlined it, it allocates the lambda.
     *
     * @param call invokes one handle
     */
    public static long call(Call call) {
        try {
            return call.make();
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** For a {@code catch} around a handle: throws what it threw. */
    public static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        // The handles throw no checked exceptions.
        return (RuntimeException) e;
    }

    /** Allocates memory for an error number; if the number is read, only one thread at a time may use the memory. */
    public static MemorySegment newErrno(SegmentAllocator memory) {
        return memory.allocate(CAPTURE);
    }

    /** The error number of the last call with this memory, if that call failed. */
    public static int errno(MemorySegment errno) {
        return errno.get(ValueLayout.JAVA_INT, 0);
    }
}
