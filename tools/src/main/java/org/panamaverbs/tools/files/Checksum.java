package org.panamaverbs.tools.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;

/** The CRC-32C of a mapped file, from its first byte to the one that was added last. */
public final class Checksum {
    /** Small enough for the processor's cache. */
    private static final int PIECE = 64 << 10;

    private final CRC32C crc = new CRC32C();
    private final byte[] piece = new byte[PIECE];

    /**
     * Adds the next part. By way of an array: the copy notices memory that cannot be read, the JDK's checksum of mapped memory would crash.
     *
     * @throws InternalError if the memory cannot be read
     */
    void add(MemorySegment memory) {
        for (long offset = 0; offset < memory.byteSize(); offset += PIECE) {
            int length = (int) Math.min(PIECE, memory.byteSize() - offset);
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, piece, 0, length);
            crc.update(piece, 0, length);
        }
    }

    public int value() {
        return (int) crc.getValue();
    }
}
