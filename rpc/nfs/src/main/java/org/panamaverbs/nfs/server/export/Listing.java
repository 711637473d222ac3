package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.panamaverbs.bindings.libc.dirent64;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.FileCalls;

/**
 * The names in a directory, in an order that depends on the names alone, and so do their cookies: a client that reads page by page misses no
 * name that stays and sees none twice, whatever is made and removed meanwhile, and even after a restart of the server.
 */
public final class Listing {
    /** The longest directory that is listed. */
    static final int MOST = 250_000;
    /** RFC 8881, 18.23.3: 0, 1 and 2 have a meaning of their own. */
    private static final long LOWEST_COOKIE = 3;
    private static final int BUFFER = 64 << 10;
    private static final long NAME = dirent64.d_name$offset();

    private final List<Entry> entries;
    private final long change;

    /**
     * A name.
     *
     * @param cookie where to go on behind it; 3 or more
     * @param name   the name
     */
    public record Entry(long cookie, Name name) {
    }

    private Listing(List<Entry> entries, long change) {
        this.entries = entries;
        this.change = change;
    }

    /** The names behind a cookie. */
    public List<Entry> after(long cookie) {
        int low = 0;
        int high = entries.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (entries.get(middle).cookie() <= cookie) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return entries.subList(low, entries.size());
    }

    int size() {
        return entries.size();
    }

    /** The directory's {@link FileStatus#change} when this was read. */
    long change() {
        return change;
    }

    static Listing of(Descriptor directory, long change) throws FileException {
        List<Entry> entries = new ArrayList<>();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment buffer = arena.allocate(BUFFER, 8);
            while (true) {
                long filled = FileCalls.getDents(directory.number(), buffer);
                if (filled < 0) {
                    throw new FileException("getdents64", (int) -filled);
                }
                if (filled == 0) {
                    break;
                }
                decode(buffer.asSlice(0, filled), (number, type, name) -> entries.add(new Entry(cookie(name.bytes()), name)));
                if (entries.size() > MOST) {
                    throw new FileException("getdents64", Errno.EFBIG);
                }
            }
        }
        return new Listing(sorted(entries), change);
    }

    /** Takes a name out of a directory, with the number and the type (DT_) of its file. */
    interface Taker {
        void take(long inode, byte type, Name name) throws FileException;
    }

    /** Decodes what getdents64(2) has read. */
    static void decode(MemorySegment records, Taker taker) throws FileException {
        for (long at = 0; at < records.byteSize();) {
            int length = Short.toUnsignedInt(records.get(ValueLayout.JAVA_SHORT, at + dirent64.d_reclen$offset()));
            long end = NAME;
            while (records.get(ValueLayout.JAVA_BYTE, at + end) != 0) {
                end++;
            }
            byte[] text = records.asSlice(at + NAME, end - NAME).toArray(ValueLayout.JAVA_BYTE);
            if (Name.faultOf(text) == null) {
                taker.take(records.get(ValueLayout.JAVA_LONG_UNALIGNED, at + dirent64.d_ino$offset()),
                        records.get(ValueLayout.JAVA_BYTE, at + dirent64.d_type$offset()), Name.of(text));
            }
            at += length;
        }
    }

    /** FNV-1a, 62 bits: a cookie is positive, since some clients' offsets are signed. */
    private static long cookie(byte[] name) {
        long hash = 0xcbf29ce484222325L;
        for (byte one : name) {
            hash = (hash ^ one & 0xff) * 0x100000001b3L;
        }
        return LOWEST_COOKIE + (hash >>> 2);
    }

    /** Two names of one hash get neighbouring cookies. */
    private static List<Entry> sorted(List<Entry> entries) {
        entries.sort(Comparator.comparingLong(Entry::cookie).thenComparing(Entry::name));
        long last = 0;
        for (int i = 0; i < entries.size(); i++) {
            Entry entry = entries.get(i);
            if (entry.cookie() <= last) {
                entries.set(i, new Entry(last + 1, entry.name()));
            }
            last = entries.get(i).cookie();
        }
        return entries;
    }
}
