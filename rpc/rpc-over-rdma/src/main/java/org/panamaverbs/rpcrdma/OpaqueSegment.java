package org.panamaverbs.rpcrdma;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.dcache.oncrpc4j.xdr.XdrAble;
import org.dcache.oncrpc4j.xdr.XdrDecodingStream;
import org.dcache.oncrpc4j.xdr.XdrEncodingStream;
import org.panamaverbs.rpcrdma.message.GarbledXdrException;
import org.panamaverbs.rpcrdma.message.MessageXdr;

/**
 * Variable-length opaque data (RFC 4506, 4.10) in a memory segment, eligible for direct data placement (RFC 8166, 3.4.2). A program encodes
 * exactly those data by this class that its upper-layer binding names. Over RDMA large data are not copied: the peer reads arguments out of
 * the segment, and writes results into it. Over other transports the data are part of the message.
 *
 * <p>Data have at most 2,147,483,647 bytes, the most that oncrpc4j can count.
 */
public final class OpaqueSegment implements XdrAble {
    private final MemorySegment memory;
    private long length;

    /**
     * Data of the whole segment; or room for data that are decoded.
     *
     * @param memory native memory, so that a device can use it; memory of the heap is copied
     */
    public OpaqueSegment(MemorySegment memory) {
        this.memory = Objects.requireNonNull(memory);
        length = memory.byteSize();
    }

    /**
     * The memory.
     *
     * @return the whole segment
     */
    public MemorySegment memory() {
        return memory;
    }

    /**
     * How many bytes there are.
     *
     * @return the length of the segment, or after decoding that of the data, in bytes
     */
    public long length() {
        return length;
    }

    @Override
    public void xdrEncode(XdrEncodingStream xdr) throws IOException {
        encode(xdr, memory.asSlice(0, length));
    }

    /**
     * Decodes into the segment.
     *
     * @throws IOException if the data do not fit, or the stream ends before them
     */
    @Override
    public void xdrDecode(XdrDecodingStream xdr) throws IOException {
        length = decode(xdr, memory);
    }

    /**
     * Encodes data. They must stay as they are until the message was sent: of an argument, until the call is done; of a result, until the
     * listener of {@link org.dcache.oncrpc4j.rpc.RpcCall#registerSendOnceListener} hears that the reply was sent.
     *
     * @param xdr  the stream of a message
     * @param data 0 to 2,147,483,647 bytes
     */
    public static void encode(XdrEncodingStream xdr, MemorySegment data) {
        if (xdr instanceof MessageXdr message) {
            message.encodeSegment(data);
        } else if (xdr instanceof Xdr plain && data.byteSize() > 0) {
            plain.xdrEncodeShallowByteBuffer(data.asByteBuffer());
        } else {
            xdr.xdrEncodeByteBuffer(data.asByteBuffer());
        }
    }

    /**
     * Decodes data into a segment: those that the peer placed there are there already.
     *
     * @param xdr  the stream of a message
     * @param into room for the data
     * @return how many bytes there are
     * @throws IOException if the data do not fit, or the stream ends before them
     */
    public static long decode(XdrDecodingStream xdr, MemorySegment into) throws IOException {
        if (xdr instanceof MessageXdr message) {
            return message.decodeSegment(into);
        }
        ByteBuffer data = xdr.xdrDecodeByteBuffer();
        if (data.remaining() > into.byteSize()) {
            throw new GarbledXdrException("a result of " + data.remaining() + " bytes does not fit into " + into.byteSize());
        }
        into.asSlice(0, data.remaining()).copyFrom(MemorySegment.ofBuffer(data));
        return data.remaining();
    }

    /**
     * Decodes data without copying them, for a service: the data are part of the call, and valid until its reply is sent.
     *
     * @param xdr the stream of a call
     * @return the data, which must not be changed
     * @throws IOException if the stream ends before them
     */
    public static MemorySegment view(XdrDecodingStream xdr) throws IOException {
        if (xdr instanceof MessageXdr message) {
            return message.decodeView();
        }
        return MemorySegment.ofBuffer(xdr.xdrDecodeByteBuffer());
    }
}
