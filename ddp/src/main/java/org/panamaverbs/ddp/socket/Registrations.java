package org.panamaverbs.ddp.socket;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Objects;
import org.panamaverbs.ddp.BufferAttributes;
import org.panamaverbs.ddp.PlacementListener;
import org.panamaverbs.ddp.RegisteredBuffer;
import org.panamaverbs.ddp.buffers.Buffer;
import org.panamaverbs.ddp.buffers.Buffers;
import org.panamaverbs.ddp.buffers.PlacedBytes;
import org.panamaverbs.spi.support.ArenaHold;

/** The checks of memory that a program registers or sends, for sockets and groups. */
final class Registrations {
    /** A thread to which no confined arena belongs. */
    private static final Thread ANY_THREAD = Thread.ofPlatform().unstarted(() -> {
        // Never runs.
    });

    private Registrations() {
    }

    /** Registers memory whose arena it holds; {@code listener} may be {@code null}. */
    static Buffer register(Buffers buffers, MemorySegment memory, BufferAttributes attributes, PlacementListener listener) {
        Objects.requireNonNull(attributes);
        requireNative(memory);
        if (memory.isReadOnly()) {
            throw new IllegalArgumentException("the segment is read-only: data cannot be placed into it");
        }
        if (memory.byteSize() == 0) {
            throw new IllegalArgumentException("the segment is empty: a buffer has 1 byte or more");
        }
        ArenaHold hold = ArenaHold.of(memory);
        PlacedBytes placed = listener == null ? null
                : (offset, length, source) -> listener.onPlaced(offset, length, (InetSocketAddress) source);
        return buffers.register(memory, attributes, placed, hold::release);
    }

    /** Refuses memory that the stack could not use on its own threads. */
    static void requireNative(MemorySegment memory) {
        if (!memory.isNative()) {
            throw new IllegalArgumentException(
                    "the segment is in the Java heap, which the system cannot use: allocate it from an Arena, or map a file");
        }
        if (!memory.isAccessibleBy(ANY_THREAD)) {
            throw new IllegalArgumentException(
                    "the segment belongs to one thread, and others must use it: allocate it from Arena.ofShared()");
        }
    }

    /** The buffer of a receive: memory that is registered in one of the scopes. */
    static Buffer forReceive(RegisteredBuffer buffer, long offset, long length, Buffers... scopes) {
        Objects.checkFromIndexSize(offset, length, buffer.size());
        if (buffer instanceof Buffer own) {
            for (Buffers scope : scopes) {
                if (own.isOf(scope)) {
                    if (own.segment().isEmpty()) {
                        throw new IllegalArgumentException("the buffer is a DdpBuffer, for tagged messages alone: post memory");
                    }
                    return own;
                }
            }
        }
        throw new IllegalArgumentException("the buffer is not registered on this socket or group");
    }
}
