package org.panamaverbs.tools.decode;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;

/**
 * A TCP segment of a packet.
 *
 * @param payload the bytes of the payload that the file has
 * @param length  the length of the payload in bytes; more than the file has if the packet is cut
 */
record TcpSegment(InetSocketAddress from, InetSocketAddress to, int sequence, int flags, byte[] payload, int length) {
    static final int FIN = 0x01;
    static final int SYN = 0x02;
    static final int RESET = 0x04;

    private static final int IPV4 = 0x0800;
    private static final int IPV6 = 0x86DD;
    private static final int TCP = 6;
    private static final int MORE_FRAGMENTS = 0x3FFF;

    /** The segment in a packet; {@code null} if there is none, or if it is in IP fragments. */
    static TcpSegment of(Frame frame) {
        ByteBuffer packet = ByteBuffer.wrap(frame.bytes());
        int at = headerOfIp(packet, frame.linkType());
        if (at < 0 || packet.limit() - at < 20) {
            return null;
        }
        int length = frame.length() - at;
        return switch (packet.get(at) >> 4 & 0x0F) {
            case 4 -> four(packet, at, length);
            case 6 -> six(packet, at, length);
            default -> null;
        };
    }

    /** The offset of the IP header; -1 if there is none. The numbers are those of tcpdump.org/linktypes.html. */
    private static int headerOfIp(ByteBuffer packet, int linkType) {
        return switch (linkType) {
            case 0, 108 -> 4;
            case 1 -> ethernet(packet);
            case 12, 14, 101, 228, 229 -> 0;
            case 113 -> ofType(packet, 14, 16);
            case 276 -> ofType(packet, 0, 20);
            default -> -1;
        };
    }

    private static int ofType(ByteBuffer packet, int typeAt, int size) {
        if (packet.limit() < size) {
            return -1;
        }
        int type = Short.toUnsignedInt(packet.getShort(typeAt));
        return type == IPV4 || type == IPV6 ? size : -1;
    }

    private static int ethernet(ByteBuffer packet) {
        int at = 12;
        while (packet.limit() - at >= 2) {
            int type = Short.toUnsignedInt(packet.getShort(at));
            if (type != 0x8100 && type != 0x88A8) {
                return type == IPV4 || type == IPV6 ? at + 2 : -1;
            }
            at += 4;
        }
        return -1;
    }

    private static TcpSegment four(ByteBuffer packet, int at, int onWire) {
        int header = (packet.get(at) & 0x0F) * 4;
        int total = Short.toUnsignedInt(packet.getShort(at + 2));
        boolean whole = (packet.getShort(at + 6) & MORE_FRAGMENTS) == 0;
        if (header < 20 || packet.get(at + 9) != TCP || !whole) {
            return null;
        }
        // If a network card cuts segments, the captured packet can be longer than its length field can hold: the field is 0.
        int length = total == 0 ? onWire : Math.min(total, onWire);
        return tcp(packet, at + header, length - header, address(packet, at + 12, 4), address(packet, at + 16, 4));
    }

    private static TcpSegment six(ByteBuffer packet, int at, int onWire) {
        if (packet.limit() - at < 40) {
            return null;
        }
        int payload = Short.toUnsignedInt(packet.getShort(at + 4));
        int length = payload == 0 ? onWire - 40 : Math.min(payload, onWire - 40);
        int next = Byte.toUnsignedInt(packet.get(at + 6));
        int header = at + 40;
        // Hop-by-hop options, routing, destination options (RFC 8200, 4).
        while ((next == 0 || next == 43 || next == 60) && packet.limit() - header >= 8) {
            next = Byte.toUnsignedInt(packet.get(header));
            int size = (Byte.toUnsignedInt(packet.get(header + 1)) + 1) * 8;
            header += size;
            length -= size;
        }
        return next == TCP ? tcp(packet, header, length, address(packet, at + 8, 16), address(packet, at + 24, 16)) : null;
    }

    private static InetAddress address(ByteBuffer packet, int at, int size) {
        byte[] bytes = new byte[size];
        packet.get(at, bytes);
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code length} is that of header and payload on the wire. */
    private static TcpSegment tcp(ByteBuffer packet, int at, int length, InetAddress source, InetAddress target) {
        if (packet.limit() - at < 20) {
            return null;
        }
        int header = (packet.get(at + 12) >> 4 & 0x0F) * 4;
        int payload = length - header;
        if (header < 20 || payload < 0) {
            return null;
        }
        byte[] bytes = new byte[Math.clamp((long) packet.limit() - at - header, 0, payload)];
        if (bytes.length > 0) {
            packet.get(at + header, bytes);
        }
        return new TcpSegment(new InetSocketAddress(source, Short.toUnsignedInt(packet.getShort(at))),
                new InetSocketAddress(target, Short.toUnsignedInt(packet.getShort(at + 2))), packet.getInt(at + 4), packet.get(at + 13),
                bytes, payload);
    }
}
