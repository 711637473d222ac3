package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The huge pages that the system has reserved, and gives as files.
 *
 * @param size of one, in bytes
 */
record HugePages(long size) {
    /** Where hugetlbfs is mounted. */
    private static final Path FILES = Path.of("/dev/hugepages");
    private static final Path INFORMATION = Path.of("/proc/meminfo");
    private static final Path MAPPINGS = Path.of("/proc/self/smaps");

    /** {@return the huge pages of this system; the test is skipped where two cannot be had} */
    static HugePages assumed() throws IOException {
        assumeTrue(Files.isReadable(INFORMATION) && Files.isWritable(FILES), "no hugetlbfs is mounted at " + FILES);
        HugePages pages = new HugePages(number("Hugepagesize") * 1024);
        assumeTrue(number("HugePages_Free") - number("HugePages_Rsvd") >= 2, "fewer than two huge pages are reserved and free");
        return pages;
    }

    /** {@return whether memory is in such pages} */
    boolean have(MemorySegment memory) throws IOException {
        String mapping = "%x-".formatted(memory.address());
        return Files.readAllLines(MAPPINGS).stream().dropWhile(line -> !line.startsWith(mapping))
                .filter(line -> line.startsWith("KernelPageSize:")).findFirst().filter(line -> line.contains(" " + size / 1024 + " kB"))
                .isPresent();
    }

    /** {@return one page, which is freed with the arena} */
    MemorySegment map(Arena arena) throws IOException {
        Path file = Files.createTempFile(FILES, "contract", "");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE,
                StandardOpenOption.DELETE_ON_CLOSE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
        }
    }

    private static long number(String name) throws IOException {
        return Files.readAllLines(INFORMATION).stream().filter(line -> line.startsWith(name + ":")).map(line -> line.split("\\s+")[1])
                .mapToLong(Long::parseLong).findFirst().orElse(0);
    }
}
