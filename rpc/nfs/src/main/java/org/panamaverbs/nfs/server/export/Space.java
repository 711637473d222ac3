package org.panamaverbs.nfs.server.export;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.panamaverbs.bindings.libc.statvfs;
import org.panamaverbs.posix.FileCalls;

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
    static Space of(Descriptor file) throws FileException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment values = statvfs.allocate(arena);
            int result = FileCalls.statVfs(file.number(), values);
            if (result < 0) {
                throw new FileException("fstatvfs", -result);
            }
            long unit = statvfs.f_frsize(values);
            return new Space(unit * statvfs.f_blocks(values), unit * statvfs.f_bfree(values), unit * statvfs.f_bavail(values),
                    statvfs.f_files(values), statvfs.f_ffree(values), statvfs.f_favail(values));
        }
    }
}
