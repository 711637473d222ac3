package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A file's attributes ({@code statx(2)}).
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
 * @param born     made; 0 if the file system does not tell
 */
public record FileStatus(Kind kind, int mode, int links, int user, int group, long inode, long size, long used, long device,
        long special, long mount, Time accessed, Time modified, Time changed,
        Time born) {
    private static final int LENGTH = 256;
    /** STATX_BASIC_STATS, STATX_BTIME and STATX_MNT_ID. */
    private static final int MASK = 0x7ff | 0x800 | 0x1000;
    private static final int MOUNT_KNOWN = 0x1000;
    private static final int BLOCK = 512;
    private static final byte[] ITSELF = {};

    /**
     * A point in time.
     *
     * @param seconds     since 1970
     * @param nanoseconds 0 to 999,999,999
     */
    public record Time(long seconds, int nanoseconds) {
        private static Time at(MemorySegment statx, long offset) {
            return new Time(statx.get(ValueLayout.JAVA_LONG, offset), statx.get(ValueLayout.JAVA_INT, offset + 8));
        }
    }

    /** A number that grows whenever the file changes, as finely as the kernel's clock for files runs (some milliseconds). */
    public long change() {
        return changed.seconds * 1_000_000_000L + changed.nanoseconds;
    }

    /** Whether it is the same file, at whatever time: numbers of inodes are used again, times of birth are not. */
    public boolean isSameFileAs(FileStatus other) {
        return inode == other.inode && device == other.device && born.equals(other.born);
    }

    /** Of an open file. */
    static FileStatus of(int descriptor) throws FileException {
        return of(descriptor, ITSELF, Libc.AT_EMPTY_PATH);
    }

    /** Of a name in an open directory; a link is not followed. */
    static FileStatus of(int directory, byte[] name) throws FileException {
        return of(directory, name, Libc.AT_SYMLINK_NOFOLLOW);
    }

    private static FileStatus of(int directory, byte[] name, int flags) throws FileException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment statx = arena.allocate(LENGTH, 8);
            int result = Libc.statx(directory, name, flags, MASK, statx);
            if (result < 0) {
                throw new FileException("statx", -result);
            }
            return decode(statx);
        }
    }

    private static FileStatus decode(MemorySegment statx) {
        boolean mountKnown = (statx.get(ValueLayout.JAVA_INT, 0) & MOUNT_KNOWN) != 0;
        int mode = Short.toUnsignedInt(statx.get(ValueLayout.JAVA_SHORT, 28));
        return new FileStatus(Kind.of(mode), mode & 07777, statx.get(ValueLayout.JAVA_INT, 16), statx.get(ValueLayout.JAVA_INT, 20),
                statx.get(ValueLayout.JAVA_INT, 24), statx.get(ValueLayout.JAVA_LONG, 32), statx.get(ValueLayout.JAVA_LONG, 40),
                statx.get(ValueLayout.JAVA_LONG, 48) * BLOCK, pair(statx, 136), pair(statx, 128),
                mountKnown ? statx.get(ValueLayout.JAVA_LONG, 144) : 0, Time.at(statx, 64), Time.at(statx, 112), Time.at(statx, 96),
                Time.at(statx, 80));
    }

    private static long pair(MemorySegment statx, long offset) {
        return (long) statx.get(ValueLayout.JAVA_INT, offset) << Integer.SIZE
                | Integer.toUnsignedLong(statx.get(ValueLayout.JAVA_INT, offset + 4));
    }
}
