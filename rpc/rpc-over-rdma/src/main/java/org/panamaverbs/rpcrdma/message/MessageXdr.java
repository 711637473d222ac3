package org.panamaverbs.rpcrdma.message;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.dcache.oncrpc4j.grizzly.GrizzlyMemoryManager;
import org.dcache.oncrpc4j.xdr.BadXdrOncRpcException;
import org.dcache.oncrpc4j.xdr.Xdr;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.memory.ByteBufferArray;
import org.glassfish.grizzly.memory.ByteBufferWrapper;

/**
 * An RPC message as an XDR stream, beside which some items lie in segments: opaque data that {@code OpaqueSegment} encodes are noted with
 * their position, and copied nowhere. The transport decides later whether they travel in the stream or by direct data placement.
 *
 * <p>A stream that was received knows the results that the peer placed; decoding takes them in their order.
 */
public final class MessageXdr extends Xdr {
    private static final MemorySegment[] NONE = {};
    private static final int ALIGNMENT = 4;

    /** Items of a message that is encoded: the place of each in the kept stream, and its data. */
    private int[] itemPositions = new int[2];
    private MemorySegment[] items = new MemorySegment[2];
    private int itemCount;

    /** Results that the peer placed, in their order; {@code null} if the peer returned one in the stream. */
    private MemorySegment[] placed = NONE;
    private int nextPlaced;

    /** The message that was received, if its memory is native. */
    private MemorySegment received;
    private boolean decoding;
    private Object context;

    /** A stream to encode a message to. */
    public MessageXdr() {
        super(INITIAL_XDR_SIZE);
    }

    private MessageXdr(Buffer buffer) {
        super(buffer, GrizzlyMemoryManager.getDefaultMemoryManager());
    }

    /**
     * A stream to decode a message from.
     *
     * @param message the payload, in its unreduced form but for results that were placed
     * @param placed  results that the peer placed, in their order
     */
    public static MessageXdr received(MemorySegment message, MemorySegment... placed) {
        ByteBuffer bytes = message.asByteBuffer();
        MessageXdr xdr = new MessageXdr(new ByteBufferWrapper(bytes));
        xdr.received = message;
        xdr.placed = placed;
        xdr.decoding = true;
        return xdr;
    }

    /** The transport's attachment: of a call that was received, the way of its reply. */
    public Object context() {
        return context;
    }

    public void attach(Object object) {
        context = object;
    }

    /** oncrpc4j encodes the reply into the stream of the call; the call's memory, and views of it, stay as they are. */
    @Override
    public void beginEncoding() {
        itemCount = 0;
        if (decoding) {
            decoding = false;
            _buffer = GrizzlyMemoryManager.allocate(INITIAL_XDR_SIZE);
        }
        super.beginEncoding();
    }

    /** Encodes a counted opaque: the count into the stream, the data beside it. */
    public void encodeSegment(MemorySegment data) {
        xdrEncodeInt(Math.toIntExact(data.byteSize()));
        // Data of no bytes are noted, too: results match Write chunks by their order (RFC 8166, 4.3.2.1).
        if (itemCount == items.length) {
            items = Arrays.copyOf(items, 2 * itemCount);
            itemPositions = Arrays.copyOf(itemPositions, 2 * itemCount);
        }
        items[itemCount] = data;
        itemPositions[itemCount] = _buffer.position();
        itemCount++;
    }

    public int itemCount() {
        return itemCount;
    }

    public MemorySegment item(int index) {
        return items[index];
    }

    /** The place of an item in the kept stream: behind so many bytes of it. */
    public int keptPosition(int index) {
        return itemPositions[index];
    }

    /** The offset of an item in the unreduced stream (RFC 8166, 3.4.5). */
    public long streamPosition(int index) {
        long position = itemPositions[index];
        for (int i = 0; i < index; i++) {
            position += padded(items[i].byteSize());
        }
        return position;
    }

    /** The length of the unreduced stream, after {@link #endEncoding}. */
    public long streamLength() {
        long length = asBuffer().remaining();
        for (int i = 0; i < itemCount; i++) {
            length += padded(items[i].byteSize());
        }
        return length;
    }

    /** The unreduced stream, after {@link #endEncoding}, in its order: views of the kept stream, and the items in their memory. */
    public List<ByteBuffer> parts() {
        List<ByteBuffer> parts = new ArrayList<>();
        Buffer stream = asBuffer();
        int from = 0;
        for (int i = 0; i < itemCount; i++) {
            addStream(parts, stream, from, itemPositions[i]);
            from = itemPositions[i];
            parts.add(items[i].asByteBuffer());
            parts.add(ByteBuffer.allocate((int) (padded(items[i].byteSize()) - items[i].byteSize())));
        }
        addStream(parts, stream, from, stream.remaining());
        return parts;
    }

    private static void addStream(List<ByteBuffer> parts, Buffer stream, int from, int until) {
        if (from == until) {
            return;
        }
        int base = stream.position();
        ByteBufferArray views = stream.toByteBufferArray(base + from, base + until);
        for (int i = 0; i < views.size(); i++) {
            parts.add(views.getArray()[i].duplicate());
        }
        views.restore();
        views.recycle();
    }

    /** A length with its padding (RFC 4506, 4.10). */
    public static long padded(long length) {
        return length + (-length & ALIGNMENT - 1);
    }

    /** Decodes a counted opaque into a segment; returns how many bytes it has. */
    public long decodeSegment(MemorySegment into) throws IOException {
        long count = Integer.toUnsignedLong(xdrDecodeInt());
        if (count > into.byteSize()) {
            throw new GarbledXdrException("a result of " + count + " bytes does not fit into " + into.byteSize());
        }
        MemorySegment result = nextPlaced < placed.length ? placed[nextPlaced++] : null;
        if (result != null) {
            // RFC 8166, 3.4.6.2: the written part is as long as the item.
            if (result.byteSize() != count) {
                throw new GarbledXdrException("the peer placed " + result.byteSize() + " bytes of a result that has " + count);
            }
            if (result.address() != into.address() && count > 0) {
                into.asSlice(0, count).copyFrom(result);
            }
            return count;
        }
        copyOut(into, count);
        return count;
    }

    private void copyOut(MemorySegment into, long count) throws IOException {
        if (padded(count) > _buffer.remaining()) {
            throw new GarbledXdrException("xdr stream too short");
        }
        int at = _buffer.position();
        MemorySegment source = received != null && decoding ? received : MemorySegment.ofBuffer(_buffer.toByteBuffer(0, _buffer.limit()));
        MemorySegment.copy(source, at, into, 0, count);
        _buffer.position(at + (int) padded(count));
    }

    /*
     * oncrpc4j makes an array of any length that a peer names before it looks whether the stream has as much, and adds the padding to it
     * without regard to overflow. Here the stream is looked at first.
     */

    @Override
    public byte[] xdrDecodeDynamicOpaque() throws BadXdrOncRpcException {
        checkCounted(1);
        return super.xdrDecodeDynamicOpaque();
    }

    @Override
    public String xdrDecodeString() throws BadXdrOncRpcException {
        checkCounted(1);
        return super.xdrDecodeString();
    }

    @Override
    public ByteBuffer xdrDecodeByteBuffer() throws BadXdrOncRpcException {
        checkCounted(1);
        return super.xdrDecodeByteBuffer();
    }

    @Override
    public byte[] xdrDecodeByteVector() throws BadXdrOncRpcException {
        checkCounted(Integer.BYTES);
        return super.xdrDecodeByteVector();
    }

    @Override
    public short[] xdrDecodeShortVector() throws BadXdrOncRpcException {
        checkCounted(Integer.BYTES);
        return super.xdrDecodeShortVector();
    }

    @Override
    public int[] xdrDecodeIntVector() throws BadXdrOncRpcException {
        checkCounted(Integer.BYTES);
        return super.xdrDecodeIntVector();
    }

    @Override
    public long[] xdrDecodeLongVector() throws BadXdrOncRpcException {
        checkCounted(Long.BYTES);
        return super.xdrDecodeLongVector();
    }

    @Override
    public float[] xdrDecodeFloatVector() throws BadXdrOncRpcException {
        checkCounted(Float.BYTES);
        return super.xdrDecodeFloatVector();
    }

    @Override
    public double[] xdrDecodeDoubleVector() throws BadXdrOncRpcException {
        checkCounted(Double.BYTES);
        return super.xdrDecodeDoubleVector();
    }

    private void checkCounted(int elementSize) throws BadXdrOncRpcException {
        int left = _buffer.remaining() - Integer.BYTES;
        if (left < 0 || padded(Integer.toUnsignedLong(_buffer.getInt(_buffer.position())) * elementSize) > left) {
            // Only oncrpc4j can make this exception: it does at the end of a stream.
            _buffer.position(_buffer.limit());
            xdrDecodeInt();
        }
    }

    /** Decodes a counted opaque as a part of the message that was received: nothing is copied. */
    public MemorySegment decodeView() throws IOException {
        long count = Integer.toUnsignedLong(xdrDecodeInt());
        if (padded(count) > _buffer.remaining()) {
            throw new GarbledXdrException("xdr stream too short");
        }
        int at = _buffer.position();
        _buffer.position(at + (int) padded(count));
        return received.asSlice(at, count);
    }
}
