package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The calls of Linux's libc that work relative to an open directory, which the JDK does not offer whole ({@code SecureDirectoryStream} can
 * neither make directories nor tell a file's inode). Calls return a result of 0 or more, or an error number of {@link Errno}, negated.
 */
// Tested by ExportTest.
final class Libc {
    static final int O_RDONLY = 0;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    /** A descriptor that only names the file: it can be looked at, and neither read nor written. Opening a device or pipe does nothing. */
    static final int O_PATH = 0x200000;
    /** Programs that this one starts do not inherit the descriptor. */
    static final int O_CLOEXEC = 0x80000;
    /** These two differ between processors. */
    static final int O_DIRECTORY = isArm() ? 0x4000 : 0x10000;
    static final int O_NOFOLLOW = isArm() ? 0x8000 : 0x20000;
    static final int AT_FDCWD = -100;
    static final int AT_SYMLINK_NOFOLLOW = 0x100;
    static final int AT_REMOVEDIR = 0x200;
    static final int AT_EMPTY_PATH = 0x1000;

    private Libc() {
    }

    private static boolean isArm() {
        return System.getProperty("os.arch").equals("aarch64");
    }

    /** The handles, linked when the first call is made. */
    private static final class Calls {
        static final MemoryLayout STATE = Linker.Option.captureStateLayout();
        static final VarHandle ERRNO = STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
        private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
        private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
        private static final MemoryLayout TEXT = ValueLayout.ADDRESS;

        static final MethodHandle OPENAT = link("openat", FunctionDescriptor.of(INT, INT, TEXT, INT, INT),
                Linker.Option.firstVariadicArg(3));
        static final MethodHandle STATX = link("statx", FunctionDescriptor.of(INT, INT, TEXT, INT, INT, TEXT));
        static final MethodHandle FSTATVFS = link("fstatvfs", FunctionDescriptor.of(INT, INT, TEXT));
        static final MethodHandle GETDENTS = link("getdents64", FunctionDescriptor.of(LONG, INT, TEXT, LONG));
        static final MethodHandle READLINKAT = link("readlinkat", FunctionDescriptor.of(LONG, INT, TEXT, TEXT, LONG));
        static final MethodHandle MKDIRAT = link("mkdirat", FunctionDescriptor.of(INT, INT, TEXT, INT));
        static final MethodHandle UNLINKAT = link("unlinkat", FunctionDescriptor.of(INT, INT, TEXT, INT));
        static final MethodHandle RENAMEAT = link("renameat", FunctionDescriptor.of(INT, INT, TEXT, INT, TEXT));
        static final MethodHandle FCHMODAT = link("fchmodat", FunctionDescriptor.of(INT, INT, TEXT, INT, INT));
        static final MethodHandle UTIMENSAT = link("utimensat", FunctionDescriptor.of(INT, INT, TEXT, TEXT, INT));
        static final MethodHandle FACCESSAT = link("faccessat", FunctionDescriptor.of(INT, INT, TEXT, INT, INT));
        static final MethodHandle CLOSE = link("close", FunctionDescriptor.of(INT, INT));

        @SuppressWarnings("restricted")
        private static MethodHandle link(String name, FunctionDescriptor type, Linker.Option... more) {
            Linker linker = Linker.nativeLinker();
            SymbolLookup libc = linker.defaultLookup();
            Linker.Option[] options = Arrays.copyOf(more, more.length + 1);
            options[more.length] = Linker.Option.captureCallState("errno");
            return linker.downcallHandle(libc.find(name)
                    .orElseThrow(() -> new UnsupportedOperationException("this system's C library has no " + name)), type, options);
        }
    }

    /** The needs of a call: memory for its time, and the error's number after it. */
    private static final class Frame implements AutoCloseable {
        final Arena arena = Arena.ofConfined();
        final MemorySegment state = arena.allocate(Calls.STATE);

        MemorySegment text(byte[] bytes) {
            return arena.allocateFrom(ValueLayout.JAVA_BYTE, Arrays.copyOf(bytes, bytes.length + 1));
        }

        int result(int result) {
            return result >= 0 ? result : -(int) Calls.ERRNO.get(state, 0L);
        }

        long result(long result) {
            return result >= 0 ? result : -(int) Calls.ERRNO.get(state, 0L);
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    static int openAt(int directory, byte[] name, int flags, int mode) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.OPENAT.invokeExact(frame.state, directory, frame.text(name), flags | O_CLOEXEC, mode));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Fills 256 bytes with a {@code struct statx}, which is the same on all processors. */
    static int statx(int directory, byte[] name, int flags, int mask, MemorySegment into) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.STATX.invokeExact(frame.state, directory, frame.text(name), flags, mask, into));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int statVfs(int file, MemorySegment into) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.FSTATVFS.invokeExact(frame.state, file, into));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long getDents(int directory, MemorySegment into) {
        try (Frame frame = new Frame()) {
            return frame.result((long) Calls.GETDENTS.invokeExact(frame.state, directory, into, into.byteSize()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static long readLink(int link, MemorySegment into) {
        try (Frame frame = new Frame()) {
            return frame.result((long) Calls.READLINKAT.invokeExact(frame.state, link, frame.text(new byte[0]), into, into.byteSize()));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int makeDirectory(int directory, byte[] name, int mode) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.MKDIRAT.invokeExact(frame.state, directory, frame.text(name), mode));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int unlink(int directory, byte[] name, int flags) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.UNLINKAT.invokeExact(frame.state, directory, frame.text(name), flags));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int rename(int from, byte[] oldName, int to, byte[] newName) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.RENAMEAT.invokeExact(frame.state, from, frame.text(oldName), to, frame.text(newName)));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int changeMode(byte[] path, int mode) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.FCHMODAT.invokeExact(frame.state, AT_FDCWD, frame.text(path), mode, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    /** Sets the times of access and modification: two of {@code struct timespec}. */
    static int changeTimes(byte[] path, long[] secondsAndNanoseconds) {
        try (Frame frame = new Frame()) {
            MemorySegment times = frame.arena.allocateFrom(ValueLayout.JAVA_LONG, secondsAndNanoseconds);
            return frame.result((int) Calls.UTIMENSAT.invokeExact(frame.state, AT_FDCWD, frame.text(path), times, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static int access(byte[] path, int rights) {
        try (Frame frame = new Frame()) {
            return frame.result((int) Calls.FACCESSAT.invokeExact(frame.state, AT_FDCWD, frame.text(path), rights, 0));
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    static void close(int descriptor) {
        try (Frame frame = new Frame()) {
            int ignored = (int) Calls.CLOSE.invokeExact(frame.state, descriptor);
        } catch (Throwable e) {
            throw unexpected(e);
        }
    }

    private static RuntimeException unexpected(Throwable e) {
        return switch (e) {
            case RuntimeException own -> own;
            case Error error -> throw error;
            default -> new IllegalStateException(e);
        };
    }
}
