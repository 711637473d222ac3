package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Room on the file system ({@code statvfs}).
 *
 * @param total          in bytes
 * @param free           in bytes
 * @param available      in bytes, for the server's user
 * @param files          how many files there can be
 * @param filesFree      how many more
 * @param filesAvailable how many more, for the server's user
 */
public record Space(long total, long free, long available, long files, long filesFree, long filesAvailable) {
    private static final int LENGTH = 256;

    static Space of(Descriptor file) throws FileException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = arena.allocate(LENGTH, 8);
            int result = Libc.statVfs(file.number(), values);
            if (result < 0) {
                throw new FileException("fstatvfs", -result);
            }
            // On 64-bit systems: f_bsize, f_frsize, f_blocks, f_bfree, f_bavail, f_files, f_ffree, f_favail.
            long unit = at(values, 1);
            return new Space(unit * at(values, 2), unit * at(values, 3), unit * at(values, 4), at(values, 5), at(values, 6),
                    at(values, 7));
        }
    }

    private static long at(MemorySegment values, int index) {
        return values.getAtIndex(ValueLayout.JAVA_LONG, index);
    }
}
