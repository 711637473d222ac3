package org.panamaverbs.tools.decode;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** The newer format (draft-ietf-opsawg-pcapng): sections of blocks, each of which may have another byte order. */
// Tested by DecodeCommandTest.
final class Pcapng extends PacketFile {
    private static final int SECTION = 0x0A0D0D0A;
    private static final int INTERFACE = 1;
    private static final int PACKET = 2;
    private static final int SIMPLE_PACKET = 3;
    private static final int ENHANCED_PACKET = 6;
    private static final int BYTE_ORDER = 0x1A2B3C4D;
    private static final int OPTION_RESOLUTION = 9;
    private static final int MOST_INTERFACES = 1 << 16;
    /** Type and both lengths. */
    private static final int OVERHEAD = 12;
    private static final int SECTION_BODY = 16;
    private static final int PACKET_BODY = 20;

    /** An interface: its link type, and the unit of its times: 10 or 2 to the power of minus so much. */
    private record Interface(int linkType, boolean binary, int exponent) {
        private static final int NANOSECONDS = 9;
        private static final int LARGEST = 18;

        long nanos(long time) {
            if (binary) {
                // For a time since 1970, whole units come first, so no sensible time overflows.
                return exponent > 62 ? 0
                        : (time >>> exponent) * 1_000_000_000L + (long) ((time & (1L << exponent) - 1) * 1e9 / (1L << exponent));
            }
            long nanos = time;
            for (int i = exponent; i < NANOSECONDS; i++) {
                nanos *= 10;
            }
            for (int i = NANOSECONDS; i < Math.min(exponent, NANOSECONDS + LARGEST); i++) {
                nanos /= 10;
            }
            return nanos;
        }
    }

    private ByteOrder order = ByteOrder.BIG_ENDIAN;
    private final List<Interface> interfaces = new ArrayList<>();
    /** Whether the type of the first block was read already. */
    private boolean first = true;

    Pcapng(String name, InputStream in) {
        super(name, in, 4);
    }

    @Override
    Frame next() throws IOException {
        while (true) {
            long at = first ? 0 : offset();
            int type = SECTION;
            if (!first) {
                ByteBuffer word = readOrEnd(4, order);
                if (word == null) {
                    return null;
                }
                type = word.getInt();
            }
            first = false;
            Frame frame = type == SECTION ? section(at) : block(at, type);
            if (frame != null) {
                return frame;
            }
        }
    }

    private Frame section(long at) throws IOException {
        ByteBuffer begin = read(8, ByteOrder.BIG_ENDIAN);
        int magic = begin.getInt(4);
        if (magic != BYTE_ORDER && magic != Integer.reverseBytes(BYTE_ORDER)) {
            throw corrupt(at, "a section without a byte order");
        }
        order = magic == BYTE_ORDER ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        int length = checkedLength(at, begin.order(order).getInt(0), SECTION_BODY);
        interfaces.clear();
        skip(length - OVERHEAD - 4);
        end(at, length);
        return null;
    }

    private int checkedLength(long at, int length, int body) {
        long unsigned = Integer.toUnsignedLong(length);
        if (unsigned < OVERHEAD + body || unsigned % 4 != 0) {
            throw corrupt(at, "a block of " + unsigned + " bytes");
        }
        if (unsigned > LONGEST) {
            throw corrupt(at, "a block of " + unsigned + " bytes, and " + LONGEST + " is the limit");
        }
        return length;
    }

    private void end(long at, int length) throws IOException {
        int again = read(4, order).getInt();
        if (again != length) {
            throw corrupt(at, "a block of " + length + " bytes that ends with the length " + Integer.toUnsignedString(again));
        }
    }

    private Frame block(long at, int type) throws IOException {
        int length = checkedLength(at, read(4, order).getInt(), 0);
        if (type != INTERFACE && type != PACKET && type != SIMPLE_PACKET && type != ENHANCED_PACKET) {
            skip(length - OVERHEAD);
            end(at, length);
            return null;
        }
        ByteBuffer body = read(length - OVERHEAD, order);
        end(at, length);
        if (type == INTERFACE) {
            addInterface(at, body);
            return null;
        }
        return type == SIMPLE_PACKET ? simple(at, body) : packet(at, body, type == PACKET);
    }

    private void addInterface(long at, ByteBuffer body) {
        if (body.remaining() < 8 || interfaces.size() == MOST_INTERFACES) {
            throw corrupt(at, "a short description of an interface, or too many of them");
        }
        int linkType = Short.toUnsignedInt(body.getShort());
        body.position(8);
        boolean binary = false;
        int exponent = 6;
        while (body.remaining() >= 4) {
            int code = Short.toUnsignedInt(body.getShort());
            int length = Short.toUnsignedInt(body.getShort());
            if (code == 0) {
                break;
            }
            if (length > body.remaining()) {
                throw corrupt(at, "an option of " + length + " bytes in a block that has " + body.remaining());
            }
            if (code == OPTION_RESOLUTION && length == 1) {
                int resolution = Byte.toUnsignedInt(body.get(body.position()));
                binary = resolution >= 0x80;
                exponent = resolution & 0x7F;
            }
            body.position(Math.min(body.limit(), body.position() + (length + 3 & ~3)));
        }
        interfaces.add(new Interface(linkType, binary, exponent));
    }

    private Frame packet(long at, ByteBuffer body, boolean old) {
        if (body.remaining() < PACKET_BODY) {
            throw corrupt(at, "a short packet block");
        }
        // The obsolete block has 16 bits of drop count behind 16 bits of interface.
        long number = old ? Short.toUnsignedLong(body.getShort()) : Integer.toUnsignedLong(body.getInt());
        if (old) {
            body.getShort();
        }
        long time = Integer.toUnsignedLong(body.getInt()) << 32 | Integer.toUnsignedLong(body.getInt());
        long kept = Integer.toUnsignedLong(body.getInt());
        long length = Integer.toUnsignedLong(body.getInt());
        Interface from = interfaceOf(at, number);
        return frame(from.nanos(time), from.linkType(), bytes(at, body, kept), length);
    }

    private Frame simple(long at, ByteBuffer body) {
        if (body.remaining() < 4) {
            throw corrupt(at, "a short packet block");
        }
        long length = Integer.toUnsignedLong(body.getInt());
        return frame(0, interfaceOf(at, 0).linkType(), bytes(at, body, Math.min(length, body.remaining())), length);
    }

    private Interface interfaceOf(long at, long number) {
        if (number >= interfaces.size()) {
            throw corrupt(at, "a packet of interface " + number + ", and " + interfaces.size() + " are described");
        }
        return interfaces.get((int) number);
    }

    private byte[] bytes(long at, ByteBuffer body, long kept) {
        if (kept > body.remaining()) {
            throw corrupt(at, "a packet of " + kept + " bytes in a block that has " + body.remaining());
        }
        byte[] bytes = new byte[(int) kept];
        body.get(bytes);
        return bytes;
    }
}
