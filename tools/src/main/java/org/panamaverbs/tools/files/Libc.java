package org.panamaverbs.tools.files;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The calls of Linux's libc that the JDK does not offer: files without a name, and room on the disk. On another system, or on a processor
 * whose constants are not listed here, {@link #isAvailable} says so and no call may be made. Calls return an error number of
 * {@code errno.h} instead of throwing.
 */
// Tested by NewFileTest, DiskSpaceTest.
final class Libc {
    /** A file of that name exists. */
    static final int EEXIST = 17;
    static final int EFBIG = 27;
    static final int ENOSPC = 28;
    static final int EDQUOT = 122;

    /** For reading and writing ({@code fcntl.h}, as all that begins with O_ or AT_). */
    private static final int O_RDWR = 2;
    /** Programs that this one starts do not inherit the descriptor. */
    private static final int O_CLOEXEC = 0x80000;
    /** The path has to be a folder. The value differs between processors. */
    private static final int O_DIRECTORY = switch (System.getProperty("os.arch")) {
        case "amd64", "riscv64" -> 0x10000;
        case "aarch64" -> 0x4000;
        default -> 0;
    };
    /** A file without a name in the folder of the path. The system removes it with its last descriptor, however the process ends. */
    private static final int O_TMPFILE = 0x400000 | O_DIRECTORY;
    /** Readable and writable for everybody, less the rights that the umask forbids: as the JDK makes files. */
    private static final int MODE = 0666;
    /** Relative paths begin at the current folder. */
    private static final int AT_FDCWD = -100;
    /** The link in /proc stands for the open file that it leads to. */
    private static final int AT_SYMLINK_FOLLOW = 0x400;

    private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private Libc() {
    }

    /** The handles, linked when the first call is made. */
    private static final class Calls {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));

        static final MethodHandle OPEN;
        static final MethodHandle LINKAT;
        static final MethodHandle ALLOCATE;
        static final MethodHandle CLOSE;

        static {
            Linker linker = Linker.nativeLinker();
            SymbolLookup libc = linker.defaultLookup();
            Linker.Option errno = Linker.Option.captureCallState("errno");
            AddressLayout text = ValueLayout.ADDRESS;
            ValueLayout.OfInt number = ValueLayout.JAVA_INT;
            ValueLayout.OfLong size = ValueLayout.JAVA_LONG;
            OPEN = link(linker, libc, "open", FunctionDescriptor.of(number, text, number, number), errno,
                    Linker.Option.firstVariadicArg(2));
            LINKAT = link(linker, libc, "linkat", FunctionDescriptor.of(number, number, text, number, text, number), errno);
            // It returns the error.
            ALLOCATE = link(linker, libc, "posix_fallocate", FunctionDescriptor.of(number, number, size, size));
            CLOSE = link(linker, libc, "close", FunctionDescriptor.of(number, number));
        }

        @SuppressWarnings("restricted")
        private static MethodHandle link(Linker linker, SymbolLookup libc, String name, FunctionDescriptor type, Linker.Option... options) {
            return linker.downcallHandle(libc.find(name).orElseThrow(), type, options);
        }
    }

    static boolean isAvailable() {
        return System.getProperty("os.name").equals("Linux") && O_DIRECTORY != 0;
    }

    /**
     * Makes a file without a name.
     *
     * @return its descriptor, or -1 if the file system or the system cannot, or the folder is not there or may not be written
     */
    static int openUnnamed(Path folder) {
        try (Arena arena = Arena.ofConfined()) {
            return (int) Calls.OPEN.invokeExact(arena.allocate(Calls.STATE), text(arena, folder), O_TMPFILE | O_RDWR | O_CLOEXEC, MODE);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Gives an open file a name that is free.
     *
     * @return 0 or the error
     */
    static int link(int descriptor, Path name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(Calls.STATE);
            // By way of /proc: AT_EMPTY_PATH needs a privilege.
            int result = (int) Calls.LINKAT.invokeExact(state, AT_FDCWD, text(arena, path(descriptor)), AT_FDCWD, text(arena, name),
                    AT_SYMLINK_FOLLOW);
            return result == 0 ? 0 : (int) Calls.ERRNO.get(state, 0L);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /**
     * Reserves blocks of an open file.
     *
     * @return 0 or the error
     */
    static int allocate(int descriptor, long offset, long length) {
        try {
            return (int) Calls.ALLOCATE.invokeExact(descriptor, offset, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void close(int descriptor) {
        try {
            int ignored = (int) Calls.CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** A path that leads to an open file of this process, whatever name the file has. */
    static Path path(int descriptor) {
        return Path.of("/proc/self/fd/" + descriptor);
    }

    private static MemorySegment text(Arena arena, Path path) {
        byte[] bytes = path.toString().getBytes(NAMES);
        // A zero ends it.
        return arena.allocateFrom(ValueLayout.JAVA_BYTE, Arrays.copyOf(bytes, bytes.length + 1));
    }

    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case RuntimeException own -> own;
            case Error error -> throw error;
            default -> new IllegalStateException(e);
        };
    }
}
