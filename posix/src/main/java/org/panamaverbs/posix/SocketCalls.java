package org.panamaverbs.posix;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.function.BiFunction;
import org.panamaverbs.bindings.libc.Libc;

/**
 * The calls of libc on sockets and epoll. The first argument of each receives {@code errno} ({@link Native}). The calls on the hot path
 * allocate nothing of their own, but the JDK's method handle allocates a slice of that segment (40 bytes) until C2 has compiled it and
 * removes the slice. If {@link #unavailable()} gives a reason, no call may be made.
 */
// Tested by EpollMultiplexerTest, EpollDatagramPortTest, FaultySystemTest.
public final class SocketCalls {
    /** Size in bytes of {@code struct epoll_event}. */
    public static final long EPOLL_EVENT_SIZE = Processor.HERE.epollEventSize();
    /** Offset of {@code data} in it; {@code events} is at 0. */
    public static final long EPOLL_EVENT_DATA = Processor.HERE.epollEventData();

    private static final long SYS_RECVFROM = Processor.HERE.recvfrom();
    private static final long SYS_SENDTO = Processor.HERE.sendto();
    private static final long SYS_READV = Processor.HERE.readv();
    private static final long SYS_WRITEV = Processor.HERE.writev();
    private static final long SYS_RECVMSG = Processor.HERE.recvmsg();
    private static final long SYS_RECVMMSG = Processor.HERE.recvmmsg();
    private static final long SYS_SENDMMSG = Processor.HERE.sendmmsg();

    private static final MemorySegment NONE = MemorySegment.NULL;
    private static final long MSG_NOSIGNAL = Libc.MSG_NOSIGNAL();

    private static final String UNAVAILABLE = findObstacle();

    private static volatile BiFunction<String, MethodHandle, MethodHandle> interposed = (name, call) -> call;

    private SocketCalls() {
    }

    private enum Control {
        SOCKET, BIND, LISTEN, ACCEPT4, CONNECT, SHUTDOWN, CLOSE, SETSOCKOPT, GETSOCKOPT, GETSOCKNAME, GETPEERNAME, EVENTFD, EPOLL_CREATE1, EPOLL_CTL
    }

    /** The handles, linked when the first call is made. */
    private static final class Linked {
        static final MethodHandle SOCKET = link("socket", Libc.socket$address(), Libc.socket$descriptor());
        static final MethodHandle BIND = link("bind", Libc.bind$address(), Libc.bind$descriptor());
        static final MethodHandle LISTEN = link("listen", Libc.listen$address(), Libc.listen$descriptor());
        static final MethodHandle ACCEPT4 = link("accept4", Libc.accept4$address(), Libc.accept4$descriptor());
        static final MethodHandle CONNECT = link("connect", Libc.connect$address(), Libc.connect$descriptor());
        static final MethodHandle SHUTDOWN = link("shutdown", Libc.shutdown$address(), Libc.shutdown$descriptor());
        static final MethodHandle CLOSE = link("close", Libc.close$address(), Libc.close$descriptor());
        static final MethodHandle SETSOCKOPT = link("setsockopt", Libc.setsockopt$address(), Libc.setsockopt$descriptor());
        static final MethodHandle GETSOCKOPT = link("getsockopt", Libc.getsockopt$address(), Libc.getsockopt$descriptor());
        static final MethodHandle GETSOCKNAME = link("getsockname", Libc.getsockname$address(), Libc.getsockname$descriptor());
        static final MethodHandle GETPEERNAME = link("getpeername", Libc.getpeername$address(), Libc.getpeername$descriptor());
        static final MethodHandle EVENTFD = link("eventfd", Libc.eventfd$address(), Libc.eventfd$descriptor());
        static final MethodHandle EPOLL_CREATE1 = link("epoll_create1", Libc.epoll_create1$address(), Libc.epoll_create1$descriptor());
        static final MethodHandle EPOLL_CTL = link("epoll_ctl", Libc.epoll_ctl$address(), Libc.epoll_ctl$descriptor());

        // The calls on the hot path. These handles are not constants on purpose: so the JVM compiles each as a unit of its own. C2 would
        // inline a constant handle into the polling method, some twelve calls deep, and stop inlining (MaxInlineLevel) before it sees that
        // the slice is not needed: each read that found nothing then left 40 bytes of garbage.
        private static MethodHandle writeCall = link("write", Libc.write$address(), Libc.write$descriptor());
        private static MethodHandle epollWaitCall = link("epoll_wait", Libc.epoll_wait$address(), Libc.epoll_wait$descriptor());
        private static MethodHandle epollPwait2Call = linkEpollPwait2();
        private static MethodHandle vectorCall = linkSyscall(Libc.C_POINTER, Libc.C_LONG, Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER);
        private static MethodHandle partCall = linkSyscall(Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_POINTER);
        private static MethodHandle messagesCall = linkSyscall(Libc.C_POINTER, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG, Libc.C_LONG,
                Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER);

        /** Newer than the other calls: Linux 5.11, glibc 2.35. */
        private static MethodHandle linkEpollPwait2() {
            return Linker.nativeLinker().defaultLookup().find("epoll_pwait2").isEmpty() ? null
                    : link("epoll_pwait2", Libc.epoll_pwait2$address(), Libc.epoll_pwait2$descriptor());
        }

        /** A call by its number and a descriptor. All are long: syscall(3) passes whole registers, and half an int would be undefined. */
        private static MethodHandle linkSyscall(MemoryLayout... more) {
            FunctionDescriptor descriptor = FunctionDescriptor.of(Libc.C_LONG, Libc.C_LONG, Libc.C_LONG).appendArgumentLayouts(more);
            return link("syscall", Libc.syscall.address(), descriptor, Linker.Option.firstVariadicArg(1));
        }
    }

    /**
     * Puts code between the calls and the system: for tests of faults. A function passes here once, when it is linked, and not in each
     * call: so this has no overhead. It does nothing once a call was made.
     *
     * @param between gets the name of a function and its handle, and returns a handle of the same type
     */
    public static void interpose(BiFunction<String, MethodHandle, MethodHandle> between) {
        interposed = between;
    }

    static MethodHandle link(String name, MemorySegment function, FunctionDescriptor descriptor, Linker.Option... options) {
        return interposed.apply(name, Native.link(function, descriptor, options));
    }

    /** Why the calls are not available here, or {@code null} if they are. */
    public static String unavailable() {
        return UNAVAILABLE;
    }

    private static String findObstacle() {
        String system = System.getProperty("os.name") + " on " + System.getProperty("os.arch");
        if (!"Linux".equals(System.getProperty("os.name"))) {
            return "epoll is a part of Linux, and this is " + system;
        }
        if (!Processor.isKnown() || Processor.HERE == Processor.RISCV64) {
            return "the layouts of libc's structs are known for x86_64 and aarch64 only, and this is " + system;
        }
        try {
            Native.link(Libc.epoll_create1$address(), Libc.epoll_create1$descriptor());
            return null;
        } catch (LinkageError | UnsupportedOperationException e) {
            return "libc cannot be called: " + e;
        }
    }

    /**
     * The calls off the hot path, in one place, for one {@code catch}: each takes up to three numbers, two segments and another number.
     */
    private static int control(Control call, MemorySegment errno, int a, int b, int c, MemorySegment p, MemorySegment q, int d) {
        try {
            return switch (call) {
                case SOCKET -> (int) Linked.SOCKET.invokeExact(errno, a, b, c);
                case BIND -> (int) Linked.BIND.invokeExact(errno, a, p, d);
                case LISTEN -> (int) Linked.LISTEN.invokeExact(errno, a, b);
                case ACCEPT4 -> (int) Linked.ACCEPT4.invokeExact(errno, a, p, q, d);
                case CONNECT -> (int) Linked.CONNECT.invokeExact(errno, a, p, d);
                case SHUTDOWN -> (int) Linked.SHUTDOWN.invokeExact(errno, a, b);
                case CLOSE -> (int) Linked.CLOSE.invokeExact(errno, a);
                case SETSOCKOPT -> (int) Linked.SETSOCKOPT.invokeExact(errno, a, b, c, p, d);
                case GETSOCKOPT -> (int) Linked.GETSOCKOPT.invokeExact(errno, a, b, c, p, q);
                case GETSOCKNAME -> (int) Linked.GETSOCKNAME.invokeExact(errno, a, p, q);
                case GETPEERNAME -> (int) Linked.GETPEERNAME.invokeExact(errno, a, p, q);
                case EVENTFD -> (int) Linked.EVENTFD.invokeExact(errno, a, b);
                case EPOLL_CREATE1 -> (int) Linked.EPOLL_CREATE1.invokeExact(errno, a);
                case EPOLL_CTL -> (int) Linked.EPOLL_CTL.invokeExact(errno, a, b, c, p);
            };
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** socket(2). */
    public static int socket(MemorySegment errno, int domain, int type, int protocol) {
        return control(Control.SOCKET, errno, domain, type, protocol, NONE, NONE, 0);
    }

    /** bind(2). */
    public static int bind(MemorySegment errno, int fd, MemorySegment address, int size) {
        return control(Control.BIND, errno, fd, 0, 0, address, NONE, size);
    }

    /** listen(2). */
    public static int listen(MemorySegment errno, int fd, int backlog) {
        return control(Control.LISTEN, errno, fd, backlog, 0, NONE, NONE, 0);
    }

    /** accept4(2). */
    public static int accept4(MemorySegment errno, int fd, MemorySegment address, MemorySegment size, int flags) {
        return control(Control.ACCEPT4, errno, fd, 0, 0, address, size, flags);
    }

    /** connect(2). */
    public static int connect(MemorySegment errno, int fd, MemorySegment address, int size) {
        return control(Control.CONNECT, errno, fd, 0, 0, address, NONE, size);
    }

    /** shutdown(2). */
    public static int shutdown(MemorySegment errno, int fd, int how) {
        return control(Control.SHUTDOWN, errno, fd, how, 0, NONE, NONE, 0);
    }

    /** close(2). */
    public static int close(MemorySegment errno, int fd) {
        return control(Control.CLOSE, errno, fd, 0, 0, NONE, NONE, 0);
    }

    /** setsockopt(2). */
    public static int setsockopt(MemorySegment errno, int fd, int level, int option, MemorySegment value, int size) {
        return control(Control.SETSOCKOPT, errno, fd, level, option, value, NONE, size);
    }

    /** getsockopt(2). */
    public static int getsockopt(MemorySegment errno, int fd, int level, int option, MemorySegment value, MemorySegment size) {
        return control(Control.GETSOCKOPT, errno, fd, level, option, value, size, 0);
    }

    /** getsockname(2). */
    public static int getsockname(MemorySegment errno, int fd, MemorySegment address, MemorySegment size) {
        return control(Control.GETSOCKNAME, errno, fd, 0, 0, address, size, 0);
    }

    /** getpeername(2). */
    public static int getpeername(MemorySegment errno, int fd, MemorySegment address, MemorySegment size) {
        return control(Control.GETPEERNAME, errno, fd, 0, 0, address, size, 0);
    }

    /** eventfd(2). */
    public static int eventfd(MemorySegment errno, int value, int flags) {
        return control(Control.EVENTFD, errno, value, flags, 0, NONE, NONE, 0);
    }

    /** epoll_create1(2). */
    public static int epollCreate1(MemorySegment errno, int flags) {
        return control(Control.EPOLL_CREATE1, errno, flags, 0, 0, NONE, NONE, 0);
    }

    /** epoll_ctl(2). */
    public static int epollCtl(MemorySegment errno, int epoll, int operation, int fd, MemorySegment event) {
        return control(Control.EPOLL_CTL, errno, epoll, operation, fd, event, NONE, 0);
    }

    /** write(2). */
    public static long write(MemorySegment errno, int fd, MemorySegment bytes, long count) {
        try {
            return (long) Linked.writeCall.invokeExact(errno, fd, bytes, count);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** epoll_wait(2). */
    public static int epollWait(MemorySegment errno, int epoll, MemorySegment events, int count, int milliseconds) {
        try {
            return (int) Linked.epollWaitCall.invokeExact(errno, epoll, events, count, milliseconds);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** Whether libc has {@link #epollPwait2}; the kernel may still return ENOSYS. */
    public static boolean hasEpollPwait2() {
        return Linked.epollPwait2Call != null;
    }

    /** As {@link #epollWait}; the timeout is a {@code struct timespec}, or NULL to wait without limit. */
    public static int epollPwait2(MemorySegment errno, int epoll, MemorySegment events, int count, MemorySegment timeout) {
        try {
            return (int) Linked.epollPwait2Call.invokeExact(errno, epoll, events, count, timeout, MemorySegment.NULL);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /**
     * readv(2) or writev(2). The JVM does not know the addresses in {@code vector}; so the segments that they point into are passed as
     * extra arguments, which the kernel ignores. Their arenas then cannot be closed until the call returns.
     *
     * @throws IllegalStateException if the arena of a segment is closed; then the call is not made
     */
    public static long transfer(MemorySegment errno, boolean reads, int fd, MemorySegment vector, int count, MemorySegment a,
            MemorySegment b, MemorySegment c) {
        try {
            return (long) Linked.vectorCall.invokeExact(errno, reads ? SYS_READV : SYS_WRITEV, (long) fd, vector, (long) count, a, b, c);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /**
     * recv(2) into a part of a segment, or send(2) of it. The segment is passed as an extra argument, as in {@link #transfer}, because a
     * slice would be an allocation. recv(2) passes fewer layers of the kernel than read(2), which saves a sixth of a call that finds no
     * bytes.
     */
    public static long transferPart(MemorySegment errno, boolean reads, int fd, MemorySegment segment, long offset, long length) {
        try {
            return (long) Linked.partCall.invokeExact(errno, reads ? SYS_RECVFROM : SYS_SENDTO, (long) fd, segment.address() + offset,
                    length, reads ? 0L : MSG_NOSIGNAL, 0L, 0L, segment);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /**
     * recvmmsg(2) without a time-out. The messages point into their own segment and into two others, which are passed as extra arguments as
     * in {@link #transfer}.
     */
    public static int receiveMessages(MemorySegment errno, int fd, MemorySegment messages, int count, int flags, MemorySegment a,
            MemorySegment b) {
        return (int) messages(errno, SYS_RECVMMSG, fd, messages, count, flags, a, b, a, a);
    }

    /** recvmsg(2); otherwise as {@link #receiveMessages}. */
    public static long receiveMessage(MemorySegment errno, int fd, MemorySegment message, int flags, MemorySegment a, MemorySegment b,
            MemorySegment c) {
        return messages(errno, SYS_RECVMSG, fd, message, flags, 0, a, b, c, a);
    }

    /**
     * sendmmsg(2); the last four arguments are those of {@link #transfer}.
     *
     * @throws IllegalStateException if the arena of a segment is closed; then the call is not made
     */
    public static int sendMessages(MemorySegment errno, int fd, MemorySegment messages, int count, int flags, MemorySegment a,
            MemorySegment b, MemorySegment c, MemorySegment d) {
        return (int) messages(errno, SYS_SENDMMSG, fd, messages, count, flags, a, b, c, d);
    }

    private static long messages(MemorySegment errno, long call, int fd, MemorySegment messages, long third, long fourth, MemorySegment a,
            MemorySegment b, MemorySegment c, MemorySegment d) {
        try {
            return (long) Linked.messagesCall.invokeExact(errno, call, (long) fd, messages, third, fourth, 0L, 0L, a, b, c, d);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }
}
