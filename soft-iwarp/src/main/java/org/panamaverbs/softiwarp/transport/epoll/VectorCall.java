package org.panamaverbs.softiwarp.transport.epoll;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import org.panamaverbs.bindings.libc.iovec;
import org.panamaverbs.posix.Errno;
import org.panamaverbs.posix.Native;
import org.panamaverbs.posix.SocketCalls;
import org.panamaverbs.softiwarp.memory.IoVector;
import org.panamaverbs.softiwarp.transport.Channel;

/**
 * One direction of a stream through {@code readv} or {@code writev}: the array of addresses that the call wants, and its result.
 *
 * <p>One call takes at most {@value #PARTS} parts, three different segments (so many can be kept alive, see
 * {@link SocketCalls#transfer}) and 1 GiB. A longer vector takes several calls, because a count that is short must mean that the socket has no
 * more bytes, or takes none: that is what the caller of {@link Channel} waits for the next edge upon. If it means something else,
 * {@link #isUnsure()} says so. For one thread at a time; nothing is allocated after the first vector of many parts.
 */
// Tested by EpollMultiplexerTest, FaultySystemTest.
final class VectorCall {
    private static final int PARTS = 64;
    /** As many as a connection needs that carries little. */
    private static final int FEW_PARTS = 4;
    /** Below the 2 GiB less a page at which Linux cuts a call short. */
    private static final long BYTES = 1L << 30;

    /** Of a call, which is to be made again. */
    private static final long INTERRUPTED = Long.MIN_VALUE;

    private static final long ENTRY = iovec.sizeof();
    private static final long BASE = iovec.iov_base$offset();
    private static final long LENGTH = iovec.iov_len$offset();

    private final SegmentAllocator memory;
    private final boolean reads;
    private final MemorySegment errno;
    private MemorySegment entries;

    // The result of load() for the next call.
    private int count;
    private long bytes;
    private MemorySegment first;
    private MemorySegment second;
    private MemorySegment third;
    // The place at which the next load() goes on.
    private int part;
    private long skip;

    private boolean unsure;
    private int failure;

    VectorCall(SegmentAllocator memory, boolean reads) {
        this.memory = memory;
        this.reads = reads;
        this.errno = Native.newErrno(memory);
        this.entries = memory.allocate(FEW_PARTS * ENTRY, Long.BYTES);
    }

    /** Whether the last transfer came back short for another reason than the socket's, so that no edge need follow. */
    boolean isUnsure() {
        return unsure;
    }

    /** The error number that broke the stream, or 0. */
    int failure() {
        return failure;
    }

    /** Reads or writes; returns what {@link Channel#read} and {@link Channel#write} do. */
    long transfer(int fd, IoVector vector) {
        if (failure != 0) {
            // The system tells an error once; after that the stream would look ended, or merely empty.
            return Channel.BROKEN;
        }
        unsure = false;
        if (vector.size() == 1 && vector.length(0) <= BYTES) {
            return transferPart(fd, vector);
        }
        part = 0;
        skip = 0;
        long total = 0;
        while (part < vector.size()) {
            long result = load(vector) ? call(fd) : Channel.BAD_MEMORY;
            if (result < 0) {
                // The bytes that were transferred count; the next transfer tells the rest.
                unsure = total > 0;
                total = total > 0 ? total : result;
                break;
            }
            total += result;
            if (result < bytes) {
                break;
            }
        }
        first = null;
        second = null;
        third = null;
        return total;
    }

    /** Puts as many parts as one call takes into the array; {@code false} if memory cannot be written. */
    private boolean load(IoVector vector) {
        MemorySegment a = null;
        MemorySegment b = null;
        MemorySegment c = null;
        int used = 0;
        long sum = 0;
        if (vector.size() - part > FEW_PARTS && entries.byteSize() < PARTS * ENTRY) {
            entries = memory.allocate(PARTS * ENTRY, Long.BYTES);
        }
        while (part < vector.size() && used < PARTS && sum < BYTES) {
            MemorySegment segment = vector.segment(part);
            if (segment != a && segment != b && segment != c) {
                if (a == null) {
                    a = segment;
                } else if (b == null) {
                    b = segment;
                } else if (c == null) {
                    c = segment;
                } else {
                    break;
                }
                if (reads && segment.isReadOnly()) {
                    part = vector.size();
                    bytes = 0;
                    return false;
                }
                // A fault in the middle leaves a short count, and mapped files are what faults.
                unsure |= segment.isMapped();
            }
            long offset = vector.offset(part) + skip;
            long length = vector.length(part) - skip;
            Objects.checkFromIndexSize(offset, length, segment.byteSize());
            long taken = Math.min(length, BYTES - sum);
            entries.set(ValueLayout.JAVA_LONG, used * ENTRY + BASE, segment.address() + offset);
            entries.set(ValueLayout.JAVA_LONG, used * ENTRY + LENGTH, taken);
            sum += taken;
            used++;
            if (taken < length) {
                skip += taken;
            } else {
                skip = 0;
                part++;
            }
        }
        first = a;
        second = b == null ? a : b;
        third = c == null ? a : c;
        count = used;
        bytes = sum;
        return true;
    }

    private long call(int fd) {
        while (true) {
            long result;
            try {
                result = SocketCalls.transfer(errno, reads, fd, entries, count, first, second, third);
            } catch (IllegalStateException | WrongThreadException e) {
                // The arena of a segment is closed, or is confined to another thread.
                return Channel.BAD_MEMORY;
            }
            long meaning = meaning(result);
            if (meaning != INTERRUPTED) {
                return meaning;
            }
        }
    }

    /** One part needs no array, and is what most short messages are. */
    private long transferPart(int fd, IoVector vector) {
        MemorySegment segment = vector.segment(0);
        long offset = vector.offset(0);
        long length = vector.length(0);
        Objects.checkFromIndexSize(offset, length, segment.byteSize());
        if (reads && segment.isReadOnly()) {
            return Channel.BAD_MEMORY;
        }
        unsure = segment.isMapped();
        while (true) {
            long result;
            try {
                result = SocketCalls.transferPart(errno, reads, fd, segment, offset, length);
            } catch (IllegalStateException | WrongThreadException e) {
                return Channel.BAD_MEMORY;
            }
            long meaning = meaning(result);
            if (meaning != INTERRUPTED) {
                return meaning;
            }
        }
    }

    /** The result of a call in the terms of {@link Channel}, or {@link #INTERRUPTED}. */
    private long meaning(long result) {
        if (result > 0) {
            return result;
        } else if (result == 0) {
            return reads ? Channel.END_OF_STREAM : 0;
        }
        int number = Native.errno(errno);
        if (number == Errno.EAGAIN) {
            return 0;
        } else if (number == Errno.EFAULT) {
            return Channel.BAD_MEMORY;
        } else if (number == Errno.EINTR) {
            return INTERRUPTED;
        }
        failure = number;
        return Channel.BROKEN;
    }
}
