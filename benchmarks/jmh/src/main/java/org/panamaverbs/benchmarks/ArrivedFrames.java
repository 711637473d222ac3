package org.panamaverbs.benchmarks;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.memory.RegisteredMemory;
import org.panamaverbs.softiwarp.wire.Ddp;
import org.panamaverbs.softiwarp.wire.Fpdu;
import org.panamaverbs.softiwarp.wire.Rdmap;

/**
 * Stands for a socket that is always readable: FPDUs of one RDMA Write of about 4 MiB, end to end as a peer sends them, which begins again at
 * its end. Reading copies, as the kernel copies out of its buffers; there is no call of the system. The Write fills a registered segment
 * from its start to its end, so that neither the source nor the target of a copy is in the innermost caches.
 */
final class ArrivedFrames {
    private static final int LARGEST_PAYLOAD = Fpdu.MAXIMUM_ULPDU - Ddp.TAGGED_SIZE;
    private static final int ROOM = 4 << 20;

    private final MemorySegment bytes;
    private final int payload;
    private final int frameSize;
    private final int frames;
    private long position;

    /** Frames of this payload for memory of {@link #memoryFor} bytes, which has its STag. */
    ArrivedFrames(SegmentAllocator memory, RegisteredMemory target, int payload, boolean crc) {
        this.payload = payload;
        frameSize = frameSize(payload);
        frames = frames(payload);
        bytes = memory.allocate((long) frames * frameSize, 64);
        SplittableRandom random = new SplittableRandom(payload);
        CRC32C sum = new CRC32C();
        for (int i = 0; i < frames; i++) {
            put((long) i * frameSize, i == frames - 1, target.stag(), target.base() + (long) i * payload, crc ? sum : null, random);
        }
    }

    /** How much memory the frames of this payload fill. */
    static long memoryFor(int payload) {
        return (long) frames(payload) * payload;
    }

    private static int frameSize(int payload) {
        if (payload < 1 || payload > LARGEST_PAYLOAD) {
            throw new IllegalArgumentException("a frame has 1 to " + LARGEST_PAYLOAD + " bytes of payload, not " + payload);
        }
        return Fpdu.size(Ddp.TAGGED_SIZE + payload);
    }

    private static int frames(int payload) {
        return ROOM / frameSize(payload);
    }

    private void put(long at, boolean last, int stag, long taggedOffset, CRC32C crc, SplittableRandom random) {
        int ulpdu = Ddp.TAGGED_SIZE + payload;
        Fpdu.length(bytes, at, ulpdu);
        Ddp.putTagged(bytes, at + Fpdu.LENGTH_SIZE, last, Rdmap.control(Rdmap.WRITE), stag, taggedOffset);
        long start = at + Fpdu.LENGTH_SIZE + Ddp.TAGGED_SIZE;
        long whole = payload / Long.BYTES * Long.BYTES;
        for (long i = 0; i < whole; i += Long.BYTES) {
            bytes.set(ValueLayout.JAVA_LONG_UNALIGNED, start + i, random.nextLong());
        }
        for (long i = whole; i < payload; i++) {
            bytes.set(ValueLayout.JAVA_BYTE, start + i, (byte) random.nextInt());
        }
        long trailer = start + payload + Fpdu.pad(ulpdu);
        if (crc != null) {
            crc.reset();
            crc.update(bytes.asSlice(at, trailer - at).asByteBuffer());
            Fpdu.crc(bytes, trailer, (int) crc.getValue());
        }
    }

    /** The size of each frame. */
    int frameSize() {
        return frameSize;
    }

    /** Reads as much as the vector takes: a scattering read of the system. */
    void read(IoVector into) {
        for (int i = 0; i < into.size(); i++) {
            read(into.segment(i), into.offset(i), into.length(i));
        }
    }

    /** Reads bytes to one place. */
    void read(MemorySegment into, long offset, long length) {
        long done = 0;
        while (done < length) {
            long part = Math.min(length - done, bytes.byteSize() - position);
            MemorySegment.copy(bytes, position, into, offset + done, part);
            done += part;
            position += part;
            if (position == bytes.byteSize()) {
                position = 0;
            }
        }
    }

    /**
     * Compares the bytes that the first frames were to place with those that are there.
     *
     * @param placed how many frames have been placed, from the start on
     * @param target as long as the memory that the frames are for
     */
    void check(long placed, MemorySegment target) {
        for (int i = 0; i < Math.min(placed, frames); i++) {
            long start = (long) i * frameSize + Fpdu.LENGTH_SIZE + Ddp.TAGGED_SIZE;
            if (bytes.asSlice(start, payload).mismatch(target.asSlice((long) i * payload, payload)) >= 0) {
                throw new IllegalStateException("the payload of frame " + i + " is not in its place");
            }
        }
    }
}
