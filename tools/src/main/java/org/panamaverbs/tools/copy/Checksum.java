package org.panamaverbs.tools.copy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.zip.CRC32C;
import org.panamaverbs.tools.shared.Failure;

/** CRC-32C of a mapped file. */
final class Checksum {
    /** Small enough for the processor's cache. */
    private static final int PIECE = 64 << 10;

    private Checksum() {
    }

    /**
     * Computes it. By way of an array: the copy notices a file that was cut short, the JDK's checksum of mapped memory would crash.
     *
     * @throws Failure where the file was cut short
     */
    static int of(MemorySegment memory, String file) {
        CRC32C crc = new CRC32C();
        byte[] piece = new byte[PIECE];
        try {
            for (long offset = 0; offset < memory.byteSize(); offset += PIECE) {
                int length = (int) Math.min(PIECE, memory.byteSize() - offset);
                MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, piece, 0, length);
                crc.update(piece, 0, length);
            }
        } catch (InternalError e) {
            throw new Failure(file + ": was cut short while it was copied", e);
        }
        return (int) crc.getValue();
    }
}
