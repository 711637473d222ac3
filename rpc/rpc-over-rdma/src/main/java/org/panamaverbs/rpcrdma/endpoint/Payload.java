package org.panamaverbs.rpcrdma.endpoint;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.memory.BufferArray;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * An encoded RPC message as parts: bytes of the stream, and items beside it that can be reduced (RFC 8166, 3.4.1). Parts can be copied with
 * any of the items left out.
 */
final class Payload {
    private final MessageXdr placed;
    private final Buffer stream;
    private final int streamLength;

    Payload(Xdr xdr) {
        placed = xdr instanceof MessageXdr message ? message : null;
        stream = xdr.asBuffer();
        streamLength = stream.remaining();
    }

    int items() {
        return placed == null ? 0 : placed.itemCount();
    }

    MemorySegment item(int index) {
        return placed.item(index);
    }

    /** The offset of an item in the unreduced stream. */
    long position(int index) {
        return placed.streamPosition(index);
    }

    /** The length of the stream, with those items that are not reduced. */
    long length(boolean[] reduced) {
        long length = streamLength;
        for (int i = 0; i < items(); i++) {
            length += reduced != null && reduced[i] ? 0 : MessageXdr.padded(item(i).byteSize());
        }
        return length;
    }

    /** Copies the stream with those items that are not reduced; returns the offset behind it. */
    long copy(MemorySegment into, long offset, boolean[] reduced) {
        long at = offset;
        int from = 0;
        for (int i = 0; i < items(); i++) {
            int until = placed.keptPosition(i);
            at = copyStream(into, at, from, until);
            from = until;
            if (reduced == null || !reduced[i]) {
                at = copyItem(into, at, item(i));
            }
        }
        return copyStream(into, at, from, streamLength);
    }

    private long copyStream(MemorySegment into, long offset, int from, int until) {
        if (from == until) {
            return offset;
        }
        int base = stream.position();
        if (stream.isComposite()) {
            long at = offset;
            BufferArray parts = stream.toBufferArray(base + from, base + until);
            Buffer[] array = parts.getArray();
            for (int i = 0; i < parts.size(); i++) {
                ByteBuffer part = array[i].toByteBuffer();
                MemorySegment.copy(MemorySegment.ofBuffer(part), 0, into, at, part.remaining());
                at += part.remaining();
            }
            parts.restore();
            parts.recycle();
            return at;
        }
        ByteBuffer part = stream.toByteBuffer(base + from, base + until);
        MemorySegment.copy(MemorySegment.ofBuffer(part), 0, into, offset, until - from);
        return offset + until - from;
    }

    private static long copyItem(MemorySegment into, long offset, MemorySegment item) {
        MemorySegment.copy(item, 0, into, offset, item.byteSize());
        long end = offset + MessageXdr.padded(item.byteSize());
        into.asSlice(offset + item.byteSize(), end - offset - item.byteSize()).fill((byte) 0);
        return end;
    }
}
