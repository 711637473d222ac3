package org.panamaverbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Memory of a peer that Writes, Reads and atomics name: what {@link MemoryRegion#remote()} gives at the peer. It travels in a message or in
 * the private data of a connection as {@value #ENCODED_LENGTH} bytes in network byte order:
 *
 * <pre>
 *  0 address 64 | 8 length 64 | 16 key 32
 * </pre>
 *
 * <p>An object of this class gives no right: the peer checks key, address and rights of each request.
 *
 * @param address the address of the first byte for the peer (on iWARP the Tagged Offset); an unsigned 64-bit number
 * @param key     the key (on iWARP the STag); 32 bits, any pattern
 * @param length  the length in bytes, 0 or more
 */
public record RemoteMemory(long address, int key, long length) {
    /** The length of the encoding, in bytes. */
    public static final int ENCODED_LENGTH = 20;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long LENGTH_AT = 8;
    private static final long KEY_AT = 16;

    /**
     * Checks the length.
     *
     * @throws IllegalArgumentException for a negative length
     */
    public RemoteMemory {
        if (length < 0) {
            throw new IllegalArgumentException("the length of a peer's memory is 0 or more, not " + length);
        }
    }

    /**
     * A part of this memory.
     *
     * @param offset the start of the part, in bytes from the start of this memory
     * @param part   the length of the part in bytes
     * @return memory with the same key
     * @throws IndexOutOfBoundsException if the part is not within this memory
     */
    public RemoteMemory slice(long offset, long part) {
        return new RemoteMemory(address(offset, part), key, part);
    }

    /**
     * The address of a part of this memory; allocates nothing.
     *
     * @param offset the start of the part, in bytes from the start of this memory
     * @param part   the length of the part in bytes
     * @return the address for the peer
     * @throws IndexOutOfBoundsException if the part is not within this memory
     */
    public long address(long offset, long part) {
        if (offset < 0 || part < 0 || offset > length - part) {
            throw new IndexOutOfBoundsException(
                    part + " bytes at offset " + offset + " are not within the peer's memory of " + length + " bytes");
        }
        return address + offset;
    }

    /**
     * Writes the encoding.
     *
     * @param into   the message
     * @param offset the start of the encoding, in bytes
     * @throws IndexOutOfBoundsException if the message has no room for {@value #ENCODED_LENGTH} bytes there
     */
    public void encode(MemorySegment into, long offset) {
        Objects.checkFromIndexSize(offset, ENCODED_LENGTH, into.byteSize());
        into.set(LONG, offset, address);
        into.set(LONG, offset + LENGTH_AT, length);
        into.set(INT, offset + KEY_AT, key);
    }

    /**
     * The encoding as an array, for example as private data.
     *
     * @return {@value #ENCODED_LENGTH} bytes
     */
    public byte[] encode() {
        byte[] bytes = new byte[ENCODED_LENGTH];
        encode(MemorySegment.ofArray(bytes), 0);
        return bytes;
    }

    /**
     * Reads an encoding.
     *
     * @param from   the message
     * @param offset the start of the encoding, in bytes
     * @return the memory that the peer advertised; the peer may lie, and then its device refuses the requests
     * @throws IndexOutOfBoundsException if the message ends before the encoding
     * @throws IllegalArgumentException  if no memory can have that address and length
     */
    public static RemoteMemory decode(MemorySegment from, long offset) {
        if (offset < 0 || offset > from.byteSize() - ENCODED_LENGTH) {
            throw new IndexOutOfBoundsException("the encoding of a peer's memory has " + ENCODED_LENGTH + " bytes; at offset " + offset
                    + " the message of " + from.byteSize() + " bytes has fewer");
        }
        RemoteMemory decoded = new RemoteMemory(from.get(LONG, offset), from.get(INT, offset + KEY_AT), from.get(LONG, offset + LENGTH_AT));
        if (decoded.length != 0 && Long.compareUnsigned(decoded.address + (decoded.length - 1), decoded.address) < 0) {
            throw new IllegalArgumentException("a peer advertised " + decoded + ", which goes beyond the last address");
        }
        return decoded;
    }

    /**
     * Reads an encoding from an array, for example from private data.
     *
     * @param from the encoding from its start; bytes after it are ignored, since InfiniBand fills private data up with zeros
     * @return the memory that the peer advertised
     * @throws IndexOutOfBoundsException if the array is shorter than {@value #ENCODED_LENGTH} bytes
     * @throws IllegalArgumentException  if no memory can have that address and length
     */
    public static RemoteMemory decode(byte[] from) {
        return decode(MemorySegment.ofArray(from), 0);
    }

    @Override
    public String toString() {
        return length + " bytes at 0x" + Long.toHexString(address) + ", key 0x" + Integer.toHexString(key);
    }
}
