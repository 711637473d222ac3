package org.panamaverbs.rdmacore.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.Supplier;
import org.panamaverbs.ResourceException;
import org.panamaverbs.SystemException;
import org.panamaverbs.VerbsException;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;

/**
 * A call of libibverbs, librdmacm or libc off the hot path, with {@code errno} captured before the JVM can overwrite it. Descriptors and
 * addresses are the generated ones.
 *
 * <p>Calls that answer with a number say 0 (or more) on success; on failure some return -1 and set {@code errno}, others return the error
 * number: both come out as that number here.
 */
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

    /** This call by a pointer to the function, if its handle takes one: the handle is linked once for all pointers. */
    ControlCall at(MemorySegment function) {
        return new ControlCall(name, () -> handle().bindTo(function));
    }

    String name() {
        return name;
    }

    /** Calls for an int: 0 or more, or the negative error number. */
    public int number(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            int result = (int) call(errno, arguments);
            return result == -1 ? -Native.errno(errno) : result;
        }
    }

    /** Calls for success; the error number, or 0. */
    public int attempt(Object... arguments) {
        return Math.abs(number(arguments));
    }

    /**
     * Calls for success, or throws an exception.
     *
     * @param action completes "cannot ..."
     */
    public void succeed(String action, Object... arguments) {
        int error = attempt(arguments);
        if (error != 0) {
            throw failure(action, error);
        }
    }

    /** Calls for an object. */
    public MemorySegment object(String action, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment result = (MemorySegment) call(errno, arguments);
            if (result.address() == 0) {
                throw failure(action, Native.errno(errno));
            }
            return result;
        }
    }

    /** Calls for nothing. */
    public void run(Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            call(Native.newErrno(arena), arguments);
        }
    }

    private Object call(MemorySegment errno, Object... arguments) {
        Object[] all = new Object[arguments.length + 1];
        all[0] = errno;
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        try {
            return handle().invokeWithArguments(all);
        } catch (Throwable e) {
            throw Native.unexpected(e);
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
    public VerbsException failure(String action, int error) {
        return failure(action, name, error);
    }

    static VerbsException failure(String action, String name, int error) {
        String message = "cannot " + action + ": " + name + ": " + Errno.describe(error);
        if (Errno.isLimit(error) || error == Errno.ENOSPC) {
            return new ResourceException(message + "; a limit of the device, of locked memory (ulimit -l) or of descriptors is reached");
        }
        return new SystemException(message + cure(error), error);
    }

    private static String cure(int error) {
        return switch (error) {
            case Errno.EADDRINUSE ->
                "; another listener or connector has this address and port: close it, or choose another port (0 picks a free one)";
            case Errno.EADDRNOTAVAIL -> "; no network interface of this machine has this address: \"ip address\" lists those it has";
            case Errno.ENODEV -> "; no RDMA device has this address, or reaches it";
            case Errno.EHOSTUNREACH, Errno.ENETUNREACH -> "; there is no route to it";
            case Errno.EACCES, Errno.EPERM -> "; the devices are files in /dev/infiniband, which this user may not open";
            default -> "";
        };
    }
}
