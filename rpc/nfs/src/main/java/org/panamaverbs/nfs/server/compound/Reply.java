package org.panamaverbs.nfs.server.compound;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.nfs.xdr.Status;
import org.panamaverbs.rpcrdma.OpaqueSegment;

/**
 * COMPOUND4res: bytes that are encoded already, and between them data of READs, each in a buffer. It is encoded whole after the last
 * operation, since oncrpc4j encodes a reply over its call. Closing it gives the buffers back.
 */
public final class Reply implements XdrAble, AutoCloseable {
    private final byte[] tag;
    private final List<byte[]> pieces = new ArrayList<>();
    /** The data behind the piece of that index, or {@code null}. */
    private final List<MemorySegment> items = new ArrayList<>();
    private final List<BufferPool.Buffer> buffers = new ArrayList<>();
    private Status status = Status.OK;
    private int results;
    private int length;
    private byte[] whole;

    Reply(byte[] tag) {
        this.tag = tag;
        length = 3 * Integer.BYTES + padded(tag.length);
    }

    /** Adds the result of an operation; buffers pass to this object. */
    void add(Status result, byte[] piece, MemorySegment item, BufferPool.Buffer buffer) {
        status = result;
        results++;
        pieces.add(piece);
        items.add(item);
        length += piece.length + lengthOf(item);
        if (buffer != null) {
            buffers.add(buffer);
        }
    }

    void fail(Status failure) {
        status = failure;
    }

    static int lengthOf(MemorySegment item) {
        return item == null ? 0 : Integer.BYTES + padded((int) item.byteSize());
    }

    private static int padded(int length) {
        return length + (-length & 3);
    }

    /** The reply that was kept from the first time, in the place of all else. */
    void replaceBy(byte[] kept) {
        whole = kept;
    }

    /** The status of the last operation. */
    public Status status() {
        return status;
    }

    /** The bytes that were added. */
    int length() {
        return length;
    }

    /** The whole reply to be kept; {@code null} if it has data in buffers, which are not kept. */
    byte[] kept() {
        if (!buffers.isEmpty()) {
            return null;
        }
        try (Xdr xdr = new Xdr(length + Integer.BYTES)) {
            xdr.beginEncoding();
            xdrEncode(xdr);
            xdr.endEncoding();
            return xdr.getBytes();
        }
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) {
        if (whole != null) {
            xdr.xdrEncodeOpaque(whole, 0, whole.length);
            return;
        }
        xdr.xdrEncodeInt(status.code());
        xdr.xdrEncodeDynamicOpaque(tag);
        xdr.xdrEncodeInt(results);
        for (int i = 0; i < pieces.size(); i++) {
            xdr.xdrEncodeOpaque(pieces.get(i), 0, pieces.get(i).length);
            if (items.get(i) != null) {
                OpaqueSegment.encode(xdr, items.get(i));
            }
        }
    }

    @Override
    public void xdrDecode(XdrDecodingStream xdr) {
        throw new UnsupportedOperationException("a reply is only encoded");
    }

    @Override
    public void close() {
        buffers.forEach(BufferPool.Buffer::close);
    }
}
