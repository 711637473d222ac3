package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import org.panamaverbs.bindings.libc.Libc;
import org.panamaverbs.bindings.libc.statx;
import org.panamaverbs.bindings.libc.statx_timestamp;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;

/**
 * A file's attributes ({@code statx(2)}, {@code name_to_handle_at(2)}).
 *
 * @param kind     its type
 * @param mode     the rights, 12 bits
 * @param links    how many names it has
 * @param user     its owner's number
 * @param group    its group's number
 * @param inode    its number in the file system
 * @param size     in bytes
 * @param used     bytes of the disk
 * @param device   the file system, as one number
 * @param special  the device that a special file stands for: major and minor number
 * @param mount    the mount that it was found on; 0 if the kernel does not tell (before Linux 5.8)
 * @param accessed last read
 * @param modified last written
 * @param changed  last changed in any manner
 * @param generation tells the file from all others that had its number before or get it later; 0 if the file system has no such thing
 */
public record FileStatus(Kind kind, int mode, int links, int user, int group, long inode, long size, long used, long device, long special,
        long mount, Time accessed, Time modified, Time changed, long generation) {
    private static final int MASK = Libc.STATX_BASIC_STATS() | Libc.STATX_BTIME() | Libc.STATX_MNT_ID();
    private static final int BLOCK = 512;
    private static final byte[] ITSELF = {};
    /** {@code struct file_handle}: its room, its type, its bytes, of which there are at most MAX_HANDLE_SZ. */
    private static final int MOST_OF_HANDLE = 128;
    private static final int HANDLE_BYTES = 2 * Integer.BYTES;

    /**
     * A point in time.
     *
     * @param seconds     since 1970
     * @param nanoseconds 0 to 999,999,999
     */
    public record Time(long seconds, int nanoseconds) {
        private static Time of(MemorySegment time) {
            return new Time(statx_timestamp.tv_sec(time), statx_timestamp.tv_nsec(time));
        }
    }

    /** A number that grows whenever the file changes, as finely as the kernel's clock for files runs (some milliseconds). */
    public long change() {
        return changed.seconds * 1_000_000_000L + changed.nanoseconds;
    }

    /** The file's name towards clients. */
    public Handle handle() {
        return new Handle(inode, generation);
    }

    /** Whether it is the same file, at whatever time. */
    public boolean isSameFileAs(FileStatus other) {
        return device == other.device && handle().equals(other.handle());
    }

    /** Of an open file. */
    static FileStatus of(int descriptor) throws FileException {
        return of(descriptor, ITSELF, Libc.AT_EMPTY_PATH());
    }

    /** Of a name in an open directory; a link is not followed. */
    static FileStatus of(int directory, byte[] name) throws FileException {
        return of(directory, name, Libc.AT_SYMLINK_NOFOLLOW());
    }

    private static FileStatus of(int directory, byte[] name, int flags) throws FileException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment status = statx.allocate(arena);
            int result = FileCalls.statx(directory, name, flags, MASK, status);
            if (result < 0) {
                throw new FileException("statx", -result);
            }
            return decode(status, generation(directory, name, flags & Libc.AT_EMPTY_PATH(), status, arena));
        }
    }

    /** The kernel's handle of the file, or its time of birth, as a number. */
    private static long generation(int directory, byte[] name, int flags, MemorySegment status, Arena arena) throws FileException {
        MemorySegment handle = arena.allocate(HANDLE_BYTES + MOST_OF_HANDLE, Integer.BYTES);
        handle.set(ValueLayout.JAVA_INT, 0, MOST_OF_HANDLE);
        int result = FileCalls.fileHandle(directory, name, flags, handle);
        return switch (-result) {
            case Errno.EOPNOTSUPP, Errno.ENOSYS, Errno.EPERM -> {
                // The file system has none, or the process may not ask (in some containers).
                Time born = Time.of(statx.stx_btime(status));
                yield hash(ByteBuffer.allocate(Long.BYTES + Integer.BYTES).putLong(born.seconds).putInt(born.nanoseconds).array());
            }
            default -> {
                if (result < 0) {
                    throw new FileException("name_to_handle_at", -result);
                }
                yield hash(
                        handle.asSlice(Integer.BYTES, Integer.BYTES + handle.get(ValueLayout.JAVA_INT, 0)).toArray(ValueLayout.JAVA_BYTE));
            }
        };
    }

    /** FNV-1a; 0 of zeros. */
    private static long hash(byte[] bytes) {
        long hash = 0xcbf29ce484222325L;
        boolean nothing = true;
        for (byte one : bytes) {
            hash = (hash ^ one & 0xff) * 0x100000001b3L;
            nothing &= one == 0;
        }
        return nothing ? 0 : hash;
    }

    private static FileStatus decode(MemorySegment status, long generation) {
        boolean mountKnown = (statx.stx_mask(status) & Libc.STATX_MNT_ID()) != 0;
        int mode = Short.toUnsignedInt(statx.stx_mode(status));
        return new FileStatus(Kind.of(mode), mode & 07777, statx.stx_nlink(status), statx.stx_uid(status), statx.stx_gid(status),
                statx.stx_ino(status), statx.stx_size(status), statx.stx_blocks(status) * BLOCK,
                pair(statx.stx_dev_major(status), statx.stx_dev_minor(status)),
                pair(statx.stx_rdev_major(status), statx.stx_rdev_minor(status)), mountKnown ? statx.stx_mnt_id(status) : 0,
                Time.of(statx.stx_atime(status)), Time.of(statx.stx_mtime(status)), Time.of(statx.stx_ctime(status)), generation);
    }

    private static long pair(int major, int minor) {
        return (long) major << Integer.SIZE | Integer.toUnsignedLong(minor);
    }
}
