package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.function.Supplier;
import org.panamaverbs.VerbsException;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.softiwarp.transport.Failures;

/**
 * The libc calls of the epoll transport. Each captures {@code errno}: the first argument is a segment from {@link #newErrno}, which
 * receives the error number before the JVM can overwrite it; {@link #errno} reads it. The calls on the hot path allocate nothing of their
 * own, but the JDK's method handle allocates a slice of that segment (40 bytes) until C2 has compiled it and removes the slice.
 *
 * <p>Function descriptors and addresses are the generated ones of {@link Libc}, which are for x86_64. This class holds what differs on
 * aarch64: the numbers of some system calls and the padding of one struct. On all other systems {@link #unavailable()} gives the reason,
 * and no call may be made.
 */
@SuppressWarnings("restricted") // the linker: native access is what this class is for
final class Syscalls {
    private static final boolean X86_64 = "amd64".equals(System.getProperty("os.arch"));
    private static final boolean AARCH64 = "aarch64".equals(System.getProperty("os.arch"));

    /** Size in bytes of {@code struct epoll_event}, which is packed only on x86_64 (epoll_ctl(2), sys/epoll.h). */
    static final long EPOLL_EVENT_SIZE = X86_64 ? 12 : 16;
    /** Offset of {@code data} in it; {@code events} is at 0. */
    static final long EPOLL_EVENT_DATA = X86_64 ? 4 : 8;

    // Numbers of system calls (asm/unistd.h): jextract does not translate macros that depend on macros of the compiler.
    private static final long SYS_RECVFROM = X86_64 ? 45 : 207;
    private static final long SYS_SENDTO = X86_64 ? 44 : 206;
    private static final long SYS_READV = X86_64 ? 19 : 65;
    private static final long SYS_WRITEV = X86_64 ? 20 : 66;
    private static final long SYS_RECVMSG = X86_64 ? 47 : 212;
    private static final long SYS_RECVMMSG = X86_64 ? 299 : 243;
    private static final long SYS_SENDMMSG = X86_64 ? 307 : 269;

    private static final long MSG_NOSIGNAL = Libc.MSG_NOSIGNAL();

    private static final StructLayout CAPTURE = Linker.Option.captureStateLayout();
    private static final String UNAVAILABLE = findObstacle();

    private static final MethodHandle SOCKET = link("socket", () -> link(Libc.socket$address(), Libc.socket$descriptor()));
    private static final MethodHandle BIND = link("bind", () -> link(Libc.bind$address(), Libc.bind$descriptor()));
    private static final MethodHandle LISTEN = link("listen", () -> link(Libc.listen$address(), Libc.listen$descriptor()));
    private static final MethodHandle ACCEPT4 = link("accept4", () -> link(Libc.accept4$address(), Libc.accept4$descriptor()));
    private static final MethodHandle CONNECT = link("connect", () -> link(Libc.connect$address(), Libc.connect$descriptor()));
    private static final MethodHandle SHUTDOWN = link("shutdown", () -> link(Libc.shutdown$address(), Libc.shutdown$descriptor()));
    private static final MethodHandle CLOSE = link("close", () -> link(Libc.close$address(), Libc.close$descriptor()));
    private static final MethodHandle SETSOCKOPT = link("setsockopt", () -> link(Libc.setsockopt$address(), Libc.setsockopt$descriptor()));
    private static final MethodHandle GETSOCKOPT = link("getsockopt", () -> link(Libc.getsockopt$address(), Libc.getsockopt$descriptor()));
    private static final MethodHandle GETSOCKNAME = link("getsockname",
            () -> link(Libc.getsockname$address(), Libc.getsockname$descriptor()));
    private static final MethodHandle GETPEERNAME = link("getpeername",
            () -> link(Libc.getpeername$address(), Libc.getpeername$descriptor()));
    private static final MethodHandle EVENTFD = link("eventfd", () -> link(Libc.eventfd$address(), Libc.eventfd$descriptor()));
    private static final MethodHandle EPOLL_CREATE1 = link("epoll_create1",
            () -> link(Libc.epoll_create1$address(), Libc.epoll_create1$descriptor()));
    private static final MethodHandle EPOLL_CTL = link("epoll_ctl", () -> link(Libc.epoll_ctl$address(), Libc.epoll_ctl$descriptor()));
    private static final MethodHandle STRERROR_R = link("strerror_r", () -> link(Libc.strerror_r$address(), Libc.strerror_r$descriptor()));

    // The calls on the hot path. These handles are not constants on purpose: so the JVM compiles each as a unit of its own. C2 would inline
    // a constant handle into the polling method, some twelve calls deep, and stop inlining (MaxInlineLevel) before it sees that the slice
    // is not needed: each read that found nothing then left 40 bytes of garbage.
    private static MethodHandle writeCall = link("write", () -> link(Libc.write$address(), Libc.write$descriptor()));
    private static MethodHandle epollWaitCall = link("epoll_wait", () -> link(Libc.epoll_wait$address(), Libc.epoll_wait$descriptor()));
    private static MethodHandle epollPwait2Call = link("epoll_pwait2", Syscalls::linkEpollPwait2);
    private static MethodHandle vectorCall = link("syscall", Syscalls::linkVectorCall);
    private static MethodHandle partCall = link("syscall", Syscalls::linkPartCall);
    private static MethodHandle messagesCall = link("syscall", Syscalls::linkMessagesCall);

    private Syscalls() {
    }

    /** Why the calls are not available here, or {@code null} if they are. */
    static String unavailable() {
        return UNAVAILABLE;
    }

    private static String findObstacle() {
        String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return "epoll is a part of Linux, and this is " + system;
        }
        if (!X86_64 && !AARCH64 || ByteOrder.nativeOrder() != ByteOrder.LITTLE_ENDIAN) {
            return "the layouts of libc's structs are known for x86_64 and aarch64 only, and this is " + system;
        }
        try {
            link(Libc.epoll_create1$address(), Libc.epoll_create1$descriptor());
            return null;
        } catch (IllegalCallerException e) {
            String module = Syscalls.class.getModule().isNamed() ? Syscalls.class.getModule().getName() : "ALL-UNNAMED";
            return "native access is denied: start Java with --enable-native-access=" + module;
        } catch (LinkageError | UnsupportedOperationException e) {
            return "libc cannot be called: " + e;
        }
    }

    private static MethodHandle link(String name, Supplier<MethodHandle> handle) {
        return UNAVAILABLE == null ? CallLinks.link(name, handle.get()) : null;
    }

    private static MethodHandle link(MemorySegment function, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(function, descriptor, Linker.Option.captureCallState("errno"));
    }

    /** Newer than the other calls: Linux 5.11, glibc 2.35. */
    private static MethodHandle linkEpollPwait2() {
        try {
            return link(Libc.epoll_pwait2$address(), Libc.epoll_pwait2$descriptor());
        } catch (LinkageError e) {
            return null;
        }
    }

    private static MethodHandle linkVectorCall() {
        // All arguments are long: syscall(3) passes whole registers, and the upper half of an int would be undefined.
        FunctionDescriptor descriptor = FunctionDescriptor.of(Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_POINTER, Libc.C_LONG,
                Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER);
        return Linker.nativeLinker().downcallHandle(Libc.syscall.address(), descriptor, Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    private static MethodHandle linkPartCall() {
        FunctionDescriptor descriptor = FunctionDescriptor.of(Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG,
                Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_POINTER);
        return Linker.nativeLinker().downcallHandle(Libc.syscall.address(), descriptor, Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    private static MethodHandle linkMessagesCall() {
        FunctionDescriptor descriptor = FunctionDescriptor.of(Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_POINTER, Libc.C_LONG,
                Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER);
        return Linker.nativeLinker().downcallHandle(Libc.syscall.address(), descriptor, Linker.Option.firstVariadicArg(1),
                Linker.Option.captureCallState("errno"));
    }

    /** Allocates memory for an error number; if the number is read, only one thread at a time may use the memory. */
    static MemorySegment newErrno(Arena arena) {
        return arena.allocate(CAPTURE);
    }

    /** The error number of the last call with this memory, if that call returned -1. */
    static int errno(MemorySegment errno) {
        return errno.get(ValueLayout.JAVA_INT, 0);
    }

    /** The text of an error number. */
    static String errorText(int number) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocate(256);
            int ignored = (int) STRERROR_R.invokeExact(newErrno(arena), number, text, text.byteSize());
            return text.getString(0);
        } catch (OutOfMemoryError e) {
            // The name of the error says this, too.
            return "no memory for its text";
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * The exception for a failed call, with the system's text.
     *
     * @param tried  the attempt, with the address
     * @param call   the name of the call
     * @param number the error number
     */
    static VerbsException failure(String tried, String call, int number) {
        return Failures.of(tried, call, number, errorText(number));
    }

    static int socket(MemorySegment errno, int domain, int type, int protocol) {
        try {
            return (int) SOCKET.invokeExact(errno, domain, type, protocol);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int bind(MemorySegment errno, int fd, MemorySegment address, int size) {
        try {
            return (int) BIND.invokeExact(errno, fd, address, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int listen(MemorySegment errno, int fd, int backlog) {
        try {
            return (int) LISTEN.invokeExact(errno, fd, backlog);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int accept4(MemorySegment errno, int fd, MemorySegment address, MemorySegment size, int flags) {
        try {
            return (int) ACCEPT4.invokeExact(errno, fd, address, size, flags);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int connect(MemorySegment errno, int fd, MemorySegment address, int size) {
        try {
            return (int) CONNECT.invokeExact(errno, fd, address, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int shutdown(MemorySegment errno, int fd, int how) {
        try {
            return (int) SHUTDOWN.invokeExact(errno, fd, how);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int close(MemorySegment errno, int fd) {
        try {
            return (int) CLOSE.invokeExact(errno, fd);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int setsockopt(MemorySegment errno, int fd, int level, int option, MemorySegment value, int size) {
        try {
            return (int) SETSOCKOPT.invokeExact(errno, fd, level, option, value, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getsockopt(MemorySegment errno, int fd, int level, int option, MemorySegment value, MemorySegment size) {
        try {
            return (int) GETSOCKOPT.invokeExact(errno, fd, level, option, value, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getsockname(MemorySegment errno, int fd, MemorySegment address, MemorySegment size) {
        try {
            return (int) GETSOCKNAME.invokeExact(errno, fd, address, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int getpeername(MemorySegment errno, int fd, MemorySegment address, MemorySegment size) {
        try {
            return (int) GETPEERNAME.invokeExact(errno, fd, address, size);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long write(MemorySegment errno, int fd, MemorySegment bytes, long count) {
        try {
            return (long) writeCall.invokeExact(errno, fd, bytes, count);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int eventfd(MemorySegment errno, int value, int flags) {
        try {
            return (int) EVENTFD.invokeExact(errno, value, flags);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int epollCreate1(MemorySegment errno, int flags) {
        try {
            return (int) EPOLL_CREATE1.invokeExact(errno, flags);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int epollCtl(MemorySegment errno, int epoll, int operation, int fd, MemorySegment event) {
        try {
            return (int) EPOLL_CTL.invokeExact(errno, epoll, operation, fd, event);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int epollWait(MemorySegment errno, int epoll, MemorySegment events, int count, int milliseconds) {
        try {
            return (int) epollWaitCall.invokeExact(errno, epoll, events, count, milliseconds);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Whether libc has {@link #epollPwait2}; the kernel may still return ENOSYS. */
    static boolean hasEpollPwait2() {
        return epollPwait2Call != null;
    }

    /** As {@link #epollWait}; the timeout is a {@code struct timespec}, or NULL to wait without limit. */
    static int epollPwait2(MemorySegment errno, int epoll, MemorySegment events, int count, MemorySegment timeout) {
        try {
            return (int) epollPwait2Call.invokeExact(errno, epoll, events, count, timeout, MemorySegment.NULL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * readv(2). The JVM does not know the addresses in {@code vector}; so the segments that they point into are passed as extra arguments,
     * which the kernel ignores. Their arenas then cannot be closed until the call returns.
     *
     * @throws IllegalStateException if the arena of a segment is closed; then the call is not made
     */
    static long readv(MemorySegment errno, int fd, MemorySegment vector, int count, MemorySegment a, MemorySegment b, MemorySegment c) {
        try {
            return (long) vectorCall.invokeExact(errno, SYS_READV, (long) fd, vector, (long) count, a, b, c);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** writev(2); the last three arguments are those of {@link #readv}. */
    static long writev(MemorySegment errno, int fd, MemorySegment vector, int count, MemorySegment a, MemorySegment b, MemorySegment c) {
        try {
            return (long) vectorCall.invokeExact(errno, SYS_WRITEV, (long) fd, vector, (long) count, a, b, c);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * recv(2) into a part of a segment. The segment is passed as an extra argument, as in {@link #readv}, because a slice would be an
     * allocation. recv(2) passes fewer layers of the kernel than read(2), which saves a sixth of a call that finds no bytes.
     */
    static long receive(MemorySegment errno, int fd, MemorySegment segment, long offset, long length) {
        try {
            return (long) partCall.invokeExact(errno, SYS_RECVFROM, (long) fd, segment.address() + offset, length, 0L, 0L, 0L, segment);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** send(2) of a part of a segment; otherwise as {@link #receive}. */
    static long send(MemorySegment errno, int fd, MemorySegment segment, long offset, long length) {
        try {
            return (long) partCall.invokeExact(errno, SYS_SENDTO, (long) fd, segment.address() + offset, length, MSG_NOSIGNAL, 0L, 0L,
                    segment);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * recvmmsg(2) without a time-out. The messages point into their own segment and into two others, which are passed as extra arguments as
     * in {@link #readv}.
     */
    static int receiveMessages(MemorySegment errno, int fd, MemorySegment messages, int count, int flags, MemorySegment a,
            MemorySegment b) {
        try {
            return (int) (long) messagesCall.invokeExact(errno, SYS_RECVMMSG, (long) fd, messages, (long) count, (long) flags, 0L, 0L, a, b,
                    a, a);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** recvmsg(2); otherwise as {@link #receiveMessages}. */
    static long receiveMessage(MemorySegment errno, int fd, MemorySegment message, int flags, MemorySegment a, MemorySegment b,
            MemorySegment c) {
        try {
            return (long) messagesCall.invokeExact(errno, SYS_RECVMSG, (long) fd, message, (long) flags, 0L, 0L, 0L, a, b, c, a);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * sendmmsg(2); the last four arguments are those of {@link #readv}.
     *
     * @throws IllegalStateException if the arena of a segment is closed; then the call is not made
     */
    static int sendMessages(MemorySegment errno, int fd, MemorySegment messages, int count, int flags, MemorySegment a, MemorySegment b,
            MemorySegment c, MemorySegment d) {
        try {
            return (int) (long) messagesCall.invokeExact(errno, SYS_SENDMMSG, (long) fd, messages, (long) count, (long) flags, 0L, 0L, a, b,
                    c, d);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        if (e instanceof Error error) {
            throw error;
        }
        // The handles throw no checked exceptions.
        return (RuntimeException) e;
    }
}
