package org.panamaverbs.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import org.panamaverbs.bindings.libc.Libc;

/**
 * The calls of Linux's libc on files that the JDK does not offer: files without a name, room on the disk, and all that works relative to
 * an open directory ({@link java.nio.file.SecureDirectoryStream} can neither make directories nor tell a file's inode). Names are bytes,
 * without the zero that ends them in C. Calls return a result of 0 or more, or an error number of {@link Errno}, negated.
 */
public final class FileCalls {
    /** Only a directory is opened ({@code fcntl.h}). The value differs between processors, as the next ones do. */
    public static final int O_DIRECTORY = Processor.HERE.directory();
    /** A link is not followed. */
    public static final int O_NOFOLLOW = Processor.HERE.noFollow();
    /** A file without a name in the directory of the path. The system removes it with its last descriptor, however the process ends. */
    public static final int O_TMPFILE = unnamed(Processor.HERE);

    private static final byte[] ITSELF = {};

    private FileCalls() {
    }

    /** {@code O_TMPFILE}, of which {@code O_DIRECTORY} is a part. */
    static int unnamed(Processor processor) {
        return Libc.O_TMPFILE() & ~Libc.O_DIRECTORY() | processor.directory();
    }

    /** The handles, linked when the first call is made. */
    private static final class Linked {
        static final MethodHandle OPENAT = Native.link(Libc.openat.address(),
                FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_POINTER, Libc.C_INT, Libc.C_INT), Linker.Option.firstVariadicArg(3));
        static final MethodHandle LINKAT = Native.link(Libc.linkat$address(), Libc.linkat$descriptor());
    }

    /** The handles of calls that servers of files make, linked when the first one is made. */
    private static final class LinkedForServers {
        static final MethodHandle STATX = Native.link(Libc.statx$address(), Libc.statx$descriptor());
        static final MethodHandle FSTATVFS = Native.link(Libc.fstatvfs$address(), Libc.fstatvfs$descriptor());
        static final MethodHandle GETDENTS64 = Native.link(Libc.getdents64$address(), Libc.getdents64$descriptor());
        static final MethodHandle READLINKAT = Native.link(Libc.readlinkat$address(), Libc.readlinkat$descriptor());
        static final MethodHandle MKDIRAT = Native.link(Libc.mkdirat$address(), Libc.mkdirat$descriptor());
        static final MethodHandle UNLINKAT = Native.link(Libc.unlinkat$address(), Libc.unlinkat$descriptor());
        static final MethodHandle RENAMEAT = Native.link(Libc.renameat$address(), Libc.renameat$descriptor());
        static final MethodHandle FCHMODAT = Native.link(Libc.fchmodat$address(), Libc.fchmodat$descriptor());
        static final MethodHandle UTIMENSAT = Native.link(Libc.utimensat$address(), Libc.utimensat$descriptor());
        /** The bindings have no such function; its types are the same on all processors. */
        static final MethodHandle NAME_TO_HANDLE_AT = Native.link(
                Linker.nativeLinker().defaultLookup().find("name_to_handle_at").orElseThrow(),
                FunctionDescriptor.of(Libc.C_INT, Libc.C_INT, Libc.C_POINTER, Libc.C_POINTER, Libc.C_POINTER, Libc.C_INT));
        static final MethodHandle FACCESSAT = Native.link(Libc.faccessat$address(), Libc.faccessat$descriptor());
    }

    /** The needs of a call: memory for its time, and the error's number after it. */
    private static final class Frame {
        private final Arena arena;
        final MemorySegment errno;

        Frame(Arena arena) {
            this.arena = arena;
            this.errno = Native.newErrno(arena);
        }

        MemorySegment text(byte[] bytes) {
            return arena.allocateFrom(ValueLayout.JAVA_BYTE, Arrays.copyOf(bytes, bytes.length + 1));
        }
    }

    @FunctionalInterface
    private interface Framed {
        long make(Frame frame) throws Throwable;
    }

    private static long call(Framed call) {
        try (Arena arena = Arena.ofConfined()) {
            Frame frame = new Frame(arena);
            long result = Native.call(() -> call.make(frame));
            return result >= 0 ? result : -Native.errno(frame.errno);
        }
    }

    /** Whether the numbers of this system and processor are known; if not, no call may be made. */
    public static boolean isAvailable() {
        return Processor.isKnown();
    }

    /**
     * Opens a file; programs that this one starts do not inherit the descriptor.
     *
     * @param directory an open directory, or {@code AT_FDCWD}: then relative names begin at the current one
     * @param mode      the rights of a file that this makes, less those that the umask forbids
     * @return its descriptor
     */
    public static int openAt(int directory, byte[] name, int flags, int mode) {
        return (int) call(
                frame -> (int) Linked.OPENAT.invokeExact(frame.errno, directory, frame.text(name), flags | Libc.O_CLOEXEC(), mode));
    }

    /** Closes a descriptor. */
    public static void close(int descriptor) {
        Libc.close(descriptor);
    }

    /**
     * Gives an open file a name that is free.
     *
     * @param path leads to the file in /proc: its descriptor alone would need a privilege (AT_EMPTY_PATH)
     */
    public static int link(byte[] path, byte[] name) {
        return (int) call(frame -> (int) Linked.LINKAT.invokeExact(frame.errno, Libc.AT_FDCWD(), frame.text(path), Libc.AT_FDCWD(),
                frame.text(name), Libc.AT_SYMLINK_FOLLOW()));
    }

    /** Reserves blocks of an open file. */
    public static int allocate(int descriptor, long offset, long length) {
        // It returns the error.
        return -Libc.posix_fallocate(descriptor, offset, length);
    }

    /**
     * Asks for a file's attributes.
     *
     * @param into a {@code struct statx}, which is the same on all processors
     */
    public static int statx(int directory, byte[] name, int flags, int mask, MemorySegment into) {
        return (int) call(frame -> (int) LinkedForServers.STATX.invokeExact(frame.errno, directory, frame.text(name), flags, mask, into));
    }

    /**
     * Asks for the kernel's handle of a file, which needs no privilege: number and generation of the inode, in the form of the file system.
     *
     * @param into a {@code struct file_handle}, whose {@code handle_bytes} says how much room there is behind {@code handle_type}
     */
    public static int fileHandle(int directory, byte[] name, int flags, MemorySegment into) {
        return (int) call(frame -> (int) LinkedForServers.NAME_TO_HANDLE_AT.invokeExact(frame.errno, directory, frame.text(name), into,
                frame.arena.allocate(ValueLayout.JAVA_INT), flags));
    }

    /**
     * Asks for the room on the file system.
     *
     * @param into a {@code struct statvfs}
     */
    public static int statVfs(int file, MemorySegment into) {
        return (int) call(frame -> (int) LinkedForServers.FSTATVFS.invokeExact(frame.errno, file, into));
    }

    /**
     * Reads a directory.
     *
     * @param into filled with {@code struct dirent64}, each as long as it says
     * @return the number of bytes
     */
    public static long getDents(int directory, MemorySegment into) {
        return call(frame -> (long) LinkedForServers.GETDENTS64.invokeExact(frame.errno, directory, into, into.byteSize()));
    }

    /**
     * Reads the target of a link.
     *
     * @param link an open link (O_PATH)
     * @return the number of bytes
     */
    public static long readLink(int link, MemorySegment into) {
        return call(frame -> (long) LinkedForServers.READLINKAT.invokeExact(frame.errno, link, frame.text(ITSELF), into, into.byteSize()));
    }

    /** Makes a directory. */
    public static int makeDirectory(int directory, byte[] name, int mode) {
        return (int) call(frame -> (int) LinkedForServers.MKDIRAT.invokeExact(frame.errno, directory, frame.text(name), mode));
    }

    /** Removes a name. */
    public static int unlink(int directory, byte[] name, int flags) {
        return (int) call(frame -> (int) LinkedForServers.UNLINKAT.invokeExact(frame.errno, directory, frame.text(name), flags));
    }

    /** Renames a file. */
    public static int rename(int from, byte[] oldName, int to, byte[] newName) {
        return (int) call(
                frame -> (int) LinkedForServers.RENAMEAT.invokeExact(frame.errno, from, frame.text(oldName), to, frame.text(newName)));
    }

    /** Sets a file's rights. */
    public static int changeMode(byte[] path, int mode) {
        return (int) call(frame -> (int) LinkedForServers.FCHMODAT.invokeExact(frame.errno, Libc.AT_FDCWD(), frame.text(path), mode, 0));
    }

    /** Sets the times of access and modification: two of {@code struct timespec}. */
    public static int changeTimes(byte[] path, long[] secondsAndNanoseconds) {
        return (int) call(frame -> (int) LinkedForServers.UTIMENSAT.invokeExact(frame.errno, Libc.AT_FDCWD(), frame.text(path),
                frame.arena.allocateFrom(ValueLayout.JAVA_LONG, secondsAndNanoseconds), 0));
    }

    /** Whether this process has rights to a file: 0 if it has. */
    public static int access(byte[] path, int rights) {
        return (int) call(frame -> (int) LinkedForServers.FACCESSAT.invokeExact(frame.errno, Libc.AT_FDCWD(), frame.text(path), rights, 0));
    }
}
