package org.panamaverbs.tools.files;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import org.panamaverbs.tools.shared.Failure;

/** The CRC-32C of a mapped file, from its first byte to the one that was added last. */
public final class Checksum {
    /** Small enough for the processor's cache. */
    private static final int PIECE = 64 << 10;

    private final CRC32C crc = new CRC32C();
    private final byte[] piece = new byte[PIECE];

    /**
     * Adds the next part. By way of an array: the copy notices a file that was cut short, the JDK's checksum of mapped memory would crash.
     *
     * @throws Failure if the file was cut short
     */
    public void add(MemorySegment memory, Path file) {
        try {
            for (long offset = 0; offset < memory.byteSize(); offset += PIECE) {
                int length = (int) Math.min(PIECE, memory.byteSize() - offset);
                MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, piece, 0, length);
                crc.update(piece, 0, length);
            }
        } catch (InternalError e) {
            throw new Failure(Failure.Kind.FILE, file + ": was cut short while it was copied", e);
        }
    }

    public int value() {
        return (int) crc.getValue();
    }
}
