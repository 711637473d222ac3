package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.function.Supplier;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;

/**
 * A call of libibverbs, librdmacm or libc off the hot path, with {@code errno} captured before the JVM can overwrite it. Descriptors and
 * addresses are the generated ones.
 *
 * <p>Calls that answer with a number say 0 (or more) on success; on failure some return -1 and set {@code errno}, others return the error
 * number: both come out as that number here.
 */
@SuppressWarnings("restricted") // the linker: native access is what this class is for
public final class ControlCall {
    private final String name;
    private final Supplier<MethodHandle> linking;
    /**
     * {@code null} before the first call: linking one costs the JVM up to twenty classes, and a program that finds no device needs two of them
     * alone. That two threads may do it does no harm.
     */
    private volatile MethodHandle handle;

    /** A call that is linked when it is first made. */
    ControlCall(String name, Supplier<MethodHandle> linking) {
        this.name = name;
        this.linking = linking;
    }

    ControlCall(String name, MemorySegment address, FunctionDescriptor descriptor) {
        this(name, () -> link(address, descriptor));
    }

    /** The handle of a function, which stores {@code errno} where its first argument says. */
    static MethodHandle link(MemorySegment address, FunctionDescriptor descriptor, Linker.Option... options) {
        Linker.Option[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = Linker.Option.captureCallState("errno");
        return Linker.nativeLinker().downcallHandle(address, descriptor, all);
    }

    String name() {
        return name;
    }

    /** Calls for an int: 0 or more, or the negative error number. */
    public int number(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
            int result = (int) call(errno, arguments);
            return result == -1 ? -errno.get(ValueLayout.JAVA_INT, 0) : result;
        }
    }

    /** Calls for success; the error number, or 0. */
    public int attempt(Object... arguments) {
        return Math.abs(number(arguments));
    }

    /** Calls for success, or throws an exception that says what was tried. */
    public void succeed(String tried, Object... arguments) {
        int error = attempt(arguments);
        if (error != 0) {
            throw failure(tried, error);
        }
    }

    /** Calls for an object. */
    public MemorySegment object(String tried, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());
            MemorySegment result = (MemorySegment) call(errno, arguments);
            if (result.address() == 0) {
                throw failure(tried, errno.get(ValueLayout.JAVA_INT, 0));
            }
            return result;
        }
    }

    /** Calls for nothing. */
    public void run(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            call(arena.allocate(Linker.Option.captureStateLayout()), arguments);
        }
    }

    private Object call(MemorySegment errno, Object... arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = errno;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try {
            return handle().invokeWithArguments(all);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a downcall handle throws nothing that is checked", e);
        }
    }

    /** Links if that is not done. */
    MethodHandle handle() {
        MethodHandle linked = handle;
        if (linked == null) {
            linked = linking.get();
            handle = linked;
        }
        return linked;
    }

    /** The exception of an error number. */
    public VerbsException failure(String tried, int error) {
        String message = "cannot " + tried + ": " + name + ": " + Errno.describe(error);
        if (error == Libc.ENOMEM() || error == Libc.EMFILE() || error == Libc.ENFILE() || error == Libc.ENOSPC()
                || error == Libc.ENOBUFS()) {
            return new ResourceException(message + "; a limit of the device, of locked memory (ulimit -l) or of descriptors is reached");
        }
        return new SystemException(message + cure(error), error);
    }

    private static String cure(int error) {
        if (error == Libc.EADDRINUSE()) {
            return "; another listener or connector has this address and port: close it, or choose another port (0 picks a free one)";
        } else if (error == Libc.EADDRNOTAVAIL()) {
            return "; no network interface of this machine has this address";
        } else if (error == Libc.ENODEV()) {
            return "; no RDMA device has this address, or reaches it";
        } else if (error == Libc.ECONNREFUSED()) {
            return "; nobody listens there";
        } else if (error == Libc.EHOSTUNREACH() || error == Libc.ENETUNREACH()) {
            return "; there is no route to it";
        } else if (error == Libc.EACCES() || error == Libc.EPERM()) {
            return "; the devices are files in /dev/infiniband, which this user may not open";
        }
        return "";
    }
}
