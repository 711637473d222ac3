package org.panamaverbs.device;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * The address of a port ({@code ibv_gid}), 128 bits as in IPv6. On RoCE it is the interface's IP address, IPv4 as {@code ::ffff:a.b.c.d}.
 *
 * @param prefix    the first 64 bits: the subnet
 * @param interfaceIdentifier the last 64 bits
 */
public record GlobalIdentifier(long prefix, long interfaceIdentifier) {
    private static final long IPV4 = 0xFFFFL << 32;

    /**
     * Reads it from 16 bytes, most significant first.
     *
     * @param bytes 16 bytes
     * @return the address
     */
    public static GlobalIdentifier of(byte[] bytes) {
        if (bytes.length != 16) {
            throw new IllegalArgumentException("a global identifier has 16 bytes, not " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new GlobalIdentifier(buffer.getLong(), buffer.getLong());
    }

    /**
     * The identifier that a RoCE port with an IP address has.
     *
     * @param address IPv4 or IPv6
     * @return the address
     */
    public static GlobalIdentifier of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4 ? new GlobalIdentifier(0, IPV4 | Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt())) : of(bytes);
    }

    /**
     * It as bytes.
     *
     * @return 16 bytes, most significant first
     */
    public byte[] toBytes() {
        return ByteBuffer.allocate(16).putLong(prefix).putLong(interfaceIdentifier).array();
    }

    /** {@return whether the place in the table is empty; whether all bits are 0} */
    public boolean isEmpty() {
        return prefix == 0 && interfaceIdentifier == 0;
    }

    /** As IPv6, or as {@code ::ffff:a.b.c.d} if it stands for IPv4. */
    @Override
    public String toString() {
        try {
            String text = InetAddress.getByAddress(toBytes()).getHostAddress();
            return prefix == 0 && interfaceIdentifier >>> 32 == 0xFFFF ? "::ffff:" + text : text;
        } catch (UnknownHostException e) {
            throw new IllegalStateException("16 bytes are an address", e);
        }
    }
}
