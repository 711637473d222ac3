package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.iovec;
import org.panamaverbs.bindings.libc.msghdr;

/**
 * The calls of Linux's libc for memory that two processes share: a file in memory without a name (memfd_create(2)), its seals, its mapping,
 * and how it reaches the other process (unix(7), SCM_RIGHTS). The bindings do not have these functions; their types and the constants are
 * the same on all processors. Calls return a result of 0 or more, or an error number of {@link Errno}, negated.
 */
// Tested by SharedMemoryCallsTest, HeadersTest.
public final class SharedMemoryCalls {
    /** The seal after which the file cannot become shorter: so no access to a mapping can fail. */
    public static final int F_SEAL_SHRINK = 2;
    /** The seal after which the file cannot become longer. */
    public static final int F_SEAL_GROW = 4;
    /** The seal after which no seal can be added. */
    public static final int F_SEAL_SEAL = 1;
    /** Sockets within a machine (unix(7)). */
    public static final int AF_UNIX = 1;
    /** Bytes of {@code struct sockaddr_un}, and the offset of the path in it. */
    public static final int ADDRESS_SIZE = 110;
    public static final int PATH_OFFSET = 2;

    static final int MFD_CLOEXEC = 1;
    static final int MFD_ALLOW_SEALING = 2;
    static final int F_ADD_SEALS = 1033;
    static final int F_GET_SEALS = 1034;
    static final int PROT_READ_WRITE = 3;
    static final int MAP_SHARED = 1;
    static final int SEEK_END = 2;
    static final int SCM_RIGHTS = 1;
    static final int MSG_CTRUNC = 8;
    static final int MSG_CMSG_CLOEXEC = 0x40000000;
    static final int SO_PEERCRED = 17;
    /** Bytes of {@code struct ucred}, and the offset of the user in it. */
    static final int CREDENTIALS_SIZE = 12;
    static final int USER_OFFSET = 4;
    /** Bytes of a {@code struct cmsghdr} with one descriptor: its length, its level and its type, then the descriptor, padded. */
    static final int CONTROL_SIZE = 24;
    static final int CONTROL_LENGTH = 20;
    static final int LEVEL_OFFSET = 8;
    static final int TYPE_OFFSET = 12;
    static final int DESCRIPTOR_OFFSET = 16;

    private SharedMemoryCalls() {
    }

    /** The handles, linked when the first call is made. */
    private static final class Linked {
        /** For a call whose error no thread reads; several threads may write it at the same time. */
        static final MemorySegment UNREAD = Native.newErrno(Arena.global());
        /** Linux 3.17, glibc 2.27; {@code null} if libc has none. */
        static final MethodHandle MEMFD_CREATE = Linker.nativeLinker().defaultLookup().find("memfd_create").isEmpty() ? null
                : link("memfd_create", FunctionDescriptor.of(Libc.C_INT, Libc.C_POINTER, Libc.C_INT));
        static final MethodHandle FTRUNCATE = link("ftruncate", FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_LONG));
        static final MethodHandle FCNTL = link("fcntl", FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_INT, Libc.C_INT),
                Linker.Option.firstVariadicArg(2));
        static final MethodHandle LSEEK = link("lseek", FunctionDescriptor.of(Libc.C_LONG, Libc.C_INT, Libc.C_LONG, Libc.C_INT));
        static final MethodHandle MMAP = link("mmap",
                FunctionDescriptor.of(Libc.C_LONG, Libc.C_POINTER, Libc.C_LONG, Libc.C_INT, Libc.C_INT, Libc.C_INT, Libc.C_LONG));
        static final MethodHandle MUNMAP = link("munmap", FunctionDescriptor.of(Libc.C_INT, Libc.C_LONG, Libc.C_LONG));
        static final MethodHandle SENDMSG = link("sendmsg", FunctionDescriptor.of(Libc.C_LONG, Libc.C_INT, Libc.C_POINTER, Libc.C_INT));
        static final MethodHandle RECVMSG = link("recvmsg", FunctionDescriptor.of(Libc.C_LONG, Libc.C_INT, Libc.C_POINTER, Libc.C_INT));
        static final MethodHandle GETEUID = link("geteuid", FunctionDescriptor.of(Libc.C_INT));

        private static MethodHandle link(String name, FunctionDescriptor descriptor, Linker.Option... options) {
            return Native.link(Linker.nativeLinker().defaultLookup().find(name).orElseThrow(), descriptor, options);
        }
    }

    @FunctionalInterface
    private interface Framed {
        long make(Arena arena, MemorySegment errno) throws Throwable;
    }

    private static long call(Framed call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            long result = Native.call(() -> call.make(arena, errno));
            return result >= 0 ? result : -Native.errno(errno);
        }
    }

    /**
     * Makes a file in memory, full of zeros, that takes seals. Programs that this one starts do not inherit it.
     *
     * @param name shows in /proc, for people
     * @param size in bytes; the file takes memory for the pages that are used
     * @return its descriptor
     */
    public static int create(String name, long size) {
        if (Linked.MEMFD_CREATE == null) {
            return -Errno.ENOSYS;
        }
        int descriptor = (int) call(
                (arena, errno) -> (int) Linked.MEMFD_CREATE.invokeExact(errno, arena.allocateFrom(name), MFD_CLOEXEC | MFD_ALLOW_SEALING));
        if (descriptor < 0) {
            return descriptor;
        }
        int error = (int) call((arena, errno) -> (int) Linked.FTRUNCATE.invokeExact(errno, descriptor, size));
        if (error < 0) {
            Libc.close(descriptor);
            return error;
        }
        return descriptor;
    }

    /** Adds seals to a file in memory. */
    public static int seal(int descriptor, int seals) {
        return (int) call((arena, errno) -> (int) Linked.FCNTL.invokeExact(errno, descriptor, F_ADD_SEALS, seals));
    }

    /** The seals of a file; an error if it is not in memory. */
    public static int seals(int descriptor) {
        return (int) call((arena, errno) -> (int) Linked.FCNTL.invokeExact(errno, descriptor, F_GET_SEALS, 0));
    }

    /** The size of a file in bytes. Moves its offset, which a mapping does not use. */
    public static long size(int descriptor) {
        return call((arena, errno) -> (long) Linked.LSEEK.invokeExact(errno, descriptor, 0L, SEEK_END));
    }

    /**
     * Maps a file from its start on, for reading and writing.
     *
     * @return the address, which no error number equals: it is a multiple of the page size
     */
    public static long map(int descriptor, long size) {
        return call((arena,
                errno) -> (long) Linked.MMAP.invokeExact(errno, MemorySegment.NULL, size, PROT_READ_WRITE, MAP_SHARED, descriptor, 0L));
    }

    /** The memory of a mapping. Nothing guards it: no thread may use it after {@link #unmap}. */
    @SuppressWarnings("restricted") // native access is what this class is for
    public static MemorySegment memory(long address, long size) {
        return MemorySegment.ofAddress(address).reinterpret(size);
    }

    /** Ends a mapping; no thread may use its memory any more. Needs no memory itself, since a mapping ends when none is left, too. */
    public static void unmap(long address, long size) {
        try {
            int _ = (int) Linked.MUNMAP.invokeExact(Linked.UNREAD, address, size);
        } catch (Throwable e) {
            throw Native.unexpected(e);
        }
    }

    /** The effective user of this process. */
    public static int user() {
        return (int) Native.call(() -> {
            try (Arena arena = Arena.ofConfined()) {
                return (int) Linked.GETEUID.invokeExact(Native.newErrno(arena));
            }
        });
    }

    /**
     * The user of the process at the other end of a socket, when it connected or listened.
     *
     * @return an unsigned int, or an error
     */
    public static long peerUser(int socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment credentials = arena.allocate(CREDENTIALS_SIZE, Integer.BYTES);
            MemorySegment size = arena.allocateFrom(ValueLayout.JAVA_INT, CREDENTIALS_SIZE);
            return SocketCalls.getsockopt(errno, socket, Libc.SOL_SOCKET(), SO_PEERCRED, credentials, size) == 0
                    ? Integer.toUnsignedLong(credentials.get(ValueLayout.JAVA_INT, USER_OFFSET)) : -Native.errno(errno);
        }
    }

    /**
     * Sends bytes, and with them a descriptor. Does not wait.
     *
     * @return the number of bytes sent
     */
    public static int send(int socket, byte[] bytes, int descriptor) {
        return (int) call((arena, errno) -> {
            MemorySegment control = arena.allocate(CONTROL_SIZE, Long.BYTES);
            control.set(ValueLayout.JAVA_LONG, 0, CONTROL_LENGTH);
            control.set(ValueLayout.JAVA_INT, LEVEL_OFFSET, Libc.SOL_SOCKET());
            control.set(ValueLayout.JAVA_INT, TYPE_OFFSET, SCM_RIGHTS);
            control.set(ValueLayout.JAVA_INT, DESCRIPTOR_OFFSET, descriptor);
            MemorySegment message = message(arena, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes), control);
            return (long) Linked.SENDMSG.invokeExact(errno, socket, message, Libc.MSG_NOSIGNAL() | Libc.MSG_DONTWAIT());
        });
    }

    /**
     * Bytes, and the descriptor that came with them.
     *
     * @param count      the number of bytes, 0 at the end of the stream, or an error
     * @param descriptor -1 if none came, or more than one
     */
    public record Received(int count, int descriptor) {
    }

    /**
     * Receives bytes, and a descriptor if one comes with them; further ones are closed, and then the first is, too. Does not wait. The
     * receiver owns the descriptor.
     */
    public static Received receive(int socket, byte[] into) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment errno = Native.newErrno(arena);
            MemorySegment bytes = arena.allocate(into.length);
            MemorySegment control = arena.allocate(CONTROL_SIZE, Long.BYTES);
            MemorySegment message = message(arena, bytes, control);
            long count = Native
                    .call(() -> (long) Linked.RECVMSG.invokeExact(errno, socket, message, Libc.MSG_DONTWAIT() | MSG_CMSG_CLOEXEC));
            if (count < 0) {
                return new Received(-Native.errno(errno), -1);
            }
            MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, into, 0, (int) count);
            return new Received((int) count, descriptor(message, control));
        }
    }

    private static int descriptor(MemorySegment message, MemorySegment control) {
        boolean one = msghdr.msg_controllen(message) >= CONTROL_LENGTH && control.get(ValueLayout.JAVA_LONG, 0) >= CONTROL_LENGTH
                && control.get(ValueLayout.JAVA_INT, LEVEL_OFFSET) == Libc.SOL_SOCKET()
                && control.get(ValueLayout.JAVA_INT, TYPE_OFFSET) == SCM_RIGHTS;
        if (!one) {
            return -1;
        }
        // The padding has room for a second one.
        boolean two = control.get(ValueLayout.JAVA_LONG, 0) >= CONTROL_LENGTH + Integer.BYTES;
        int first = control.get(ValueLayout.JAVA_INT, DESCRIPTOR_OFFSET);
        if (!two && (msghdr.msg_flags(message) & MSG_CTRUNC) == 0) {
            return first;
        }
        Libc.close(first);
        if (two) {
            Libc.close(control.get(ValueLayout.JAVA_INT, DESCRIPTOR_OFFSET + Integer.BYTES));
        }
        return -1;
    }

    private static MemorySegment message(Arena arena, MemorySegment bytes, MemorySegment control) {
        MemorySegment vector = iovec.allocate(arena);
        iovec.iov_base(vector, bytes);
        iovec.iov_len(vector, bytes.byteSize());
        MemorySegment message = msghdr.allocate(arena).fill((byte) 0);
        msghdr.msg_iov(message, vector);
        msghdr.msg_iovlen(message, 1);
        msghdr.msg_control(message, control);
        msghdr.msg_controllen(message, control.byteSize());
        return message;
    }
}
