package org.panamaverbs.softiwarp.transport.capture;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** Made-up packets: an IPv4 or IPv6 header (RFC 791, RFC 8200) and a TCP header (RFC 9293), without a link-layer header. */
final class Packet {
    static final int FIN = 0x01;
    static final int SYN = 0x02;
    static final int RESET = 0x04;
    static final int PUSH = 0x08;
    static final int ACK = 0x10;

    /** The size of both headers, with options, in bytes. */
    static final int LARGEST_HEADERS = 40 + 20 + 8;

    private static final int IPV4_SIZE = 20;
    private static final int IPV6_SIZE = 40;
    private static final int TCP_SIZE = 20;
    private static final int TCP = 6;
    private static final int HOP_LIMIT = 64;
    /** Maximum segment size 65,467; no operation; window scale 14 (RFC 9293, 3.2; RFC 7323, 2.2): no window looks full. */
    private static final byte[] SYN_OPTIONS = { 2, 4, (byte) 0xFF, (byte) 0xBB, 1, 3, 3, 14 };

    private Packet() {
    }

    /** The headers of a direction, with their constant fields. */
    static byte[] template(InetSocketAddress from, InetSocketAddress to) {
        byte[] source = address(from);
        byte[] target = address(to);
        boolean four = source.length == 4 && target.length == 4;
        ByteBuffer headers = ByteBuffer.allocate((four ? IPV4_SIZE : IPV6_SIZE) + TCP_SIZE);
        if (four) {
            headers.put((byte) 0x45).put((byte) 0).putShort((short) 0).putShort((short) 0).putShort((short) 0x4000).put((byte) HOP_LIMIT)
                    .put((byte) TCP).putShort((short) 0).put(source).put(target);
        } else {
            headers.putInt(6 << 28).putShort((short) 0).put((byte) TCP).put((byte) HOP_LIMIT).put(mapped(source)).put(mapped(target));
        }
        return headers.putShort((short) from.getPort()).putShort((short) to.getPort()).array();
    }

    /** An address; loopback where a channel does not know one, as one that has failed. */
    private static byte[] address(InetSocketAddress address) {
        return (address == null || address.getAddress() == null ? InetAddress.getLoopbackAddress() : address.getAddress()).getAddress();
    }

    private static byte[] mapped(byte[] address) {
        if (address.length == 16) {
            return address;
        }
        byte[] mapped = new byte[16];
        mapped[10] = (byte) 0xFF;
        mapped[11] = (byte) 0xFF;
        System.arraycopy(address, 0, mapped, 12, address.length);
        return mapped;
    }

    /** The size of the headers of a packet in bytes. */
    static int headersSize(byte[] template, int flags) {
        return template.length + ((flags & SYN) != 0 ? SYN_OPTIONS.length : 0);
    }

    /** Writes the headers of a packet at the buffer's position. The checksum of TCP stays 0. */
    static void putHeaders(ByteBuffer into, byte[] template, int flags, int sequence, int acknowledged, int length) {
        int at = into.position();
        boolean four = template[0] >> 4 == 4;
        int tcp = at + (four ? IPV4_SIZE : IPV6_SIZE);
        int size = headersSize(template, flags);
        into.put(template);
        if (four) {
            into.putShort(at + 2, (short) (size + length));
            into.putShort(at + 10, (short) checksum(sum(into, at, IPV4_SIZE, 0)));
        } else {
            into.putShort(at + 4, (short) (size - IPV6_SIZE + length));
        }
        into.putInt(tcp + 4, sequence);
        into.putInt(tcp + 8, (flags & ACK) != 0 ? acknowledged : 0);
        int words = (size - (tcp - at)) / 4;
        into.putShort(tcp + 12, (short) (words << 12 | flags));
        into.putShort(tcp + 14, (short) 0xFFFF);
        if ((flags & SYN) != 0) {
            into.put(SYN_OPTIONS);
        }
    }

    /** Fills in the checksum of TCP, of a packet that is whole in the buffer. */
    static void seal(ByteBuffer packet, int at, byte[] template, int size) {
        boolean four = template[0] >> 4 == 4;
        int tcp = at + (four ? IPV4_SIZE : IPV6_SIZE);
        int length = at + size - tcp;
        // The pseudo-header: both addresses, the protocol and the length (RFC 9293, 3.1).
        long sum = sum(packet, at + (four ? 12 : 8), four ? 8 : 32, TCP + length);
        packet.putShort(tcp + 16, (short) checksum(sum(packet, tcp, length, sum)));
    }

    private static long sum(ByteBuffer buffer, int from, int length, long before) {
        long sum = before;
        int at = from;
        int end = from + length;
        for (; end - at >= 4; at += 4) {
            sum += Integer.toUnsignedLong(buffer.getInt(at));
        }
        if (end - at >= 2) {
            sum += Short.toUnsignedInt(buffer.getShort(at));
            at += 2;
        }
        if (end > at) {
            sum += Byte.toUnsignedInt(buffer.get(at)) << 8;
        }
        return sum;
    }

    /** Folds a sum of words to the one's complement checksum (RFC 1071). */
    private static int checksum(long sum) {
        long folded = sum;
        while (folded >>> 16 != 0) {
            folded = (folded & 0xFFFF) + (folded >>> 16);
        }
        return (int) ~folded & 0xFFFF;
    }

}
