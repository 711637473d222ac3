package org.panamaverbs.sockets.protocol;

import java.nio.ByteBuffer;

/**
 * The private data with which both sides begin: 40 bytes, big-endian. 8 more, which rsocket passes over, say that messages may carry bytes.
 *
 * <pre>
 *  0  version, 1
 *  1  flags: 1 = the sender is big-endian, 2 = it has a table of mapped memory behind its targets
 *  2  credits, 16 bits: how many messages with data the sender can take
 *  4  reserved, 3 bytes
 *  7  size of the table of mapped memory, scaled
 *  8  the table of targets: address (64 bits), key (32), entries (32)
 * 24  the first target: address (64 bits), key (32), length in bytes (32)
 * 40  "panama", in 6 bytes
 * 46  flags, 16 bits: 1 = messages may carry bytes
 * </pre>
 *
 * @param bigEndian    the order of messages (if they travel as Sends) and of entries in its memory
 * @param credits      0 to 65,535
 * @param tableAddress the address of its table of targets
 * @param tableKey     the key of that table
 * @param tableEntries how many entries the table has, 2 to 1,024
 * @param address      the address of its first target
 * @param key          the key of that target
 * @param length       the length of that target in bytes, 1 or more
 * @param carries      whether it takes messages that carry bytes, if its peer does
 */
public record PrivateData(boolean bigEndian, int credits, long tableAddress, int tableKey, int tableEntries, long address, int key,
        int length, boolean carries) {
    /** How long it is, in bytes. */
    public static final int LENGTH = 40;
    /** How long it is if it says that messages may carry bytes. InfiniBand has room for 56 bytes. */
    public static final int CARRYING_LENGTH = 48;
    /** The version that this is about. */
    public static final int VERSION = 1;

    private static final int MOST_ENTRIES = 1024;
    private static final int BIG_ENDIAN = 1;
    private static final int RESERVED = 4;
    private static final long NAME = 0x70616E616D61L;
    private static final int CARRIES = 1;

    /** {@return the bytes of it} */
    public byte[] encode() {
        ByteBuffer buffer = ByteBuffer.allocate(carries ? CARRYING_LENGTH : LENGTH).put((byte) VERSION)
                .put((byte) (bigEndian ? BIG_ENDIAN : 0)).putShort((short) credits).put(new byte[RESERVED]).putLong(tableAddress)
                .putInt(tableKey).putInt(tableEntries).putLong(address).putInt(key).putInt(length);
        return (carries ? buffer.putLong(NAME << Short.SIZE | CARRIES) : buffer).array();
    }

    /**
     * Reads the private data of a peer. Other bytes behind it do not count: InfiniBand fills private data up.
     *
     * @throws StreamProtocolException if it is too short, of another version, or has values that cannot be
     */
    public static PrivateData decode(byte[] data) throws StreamProtocolException {
        if (data.length < LENGTH) {
            throw new StreamProtocolException(
                    "its private data has " + data.length + " bytes, not " + LENGTH + ": does the program at the other end speak rsocket?");
        }
        ByteBuffer buffer = ByteBuffer.wrap(data);
        int version = Byte.toUnsignedInt(buffer.get());
        if (version != VERSION) {
            throw new StreamProtocolException(
                    "its private data has version " + version + ", not " + VERSION + ": does the program at the other end speak rsocket?");
        }
        boolean bigEndian = (buffer.get() & BIG_ENDIAN) != 0;
        int credits = Short.toUnsignedInt(buffer.getShort());
        buffer.position(buffer.position() + RESERVED);
        PrivateData decoded = new PrivateData(bigEndian, credits, buffer.getLong(), buffer.getInt(), buffer.getInt(), buffer.getLong(),
                buffer.getInt(), buffer.getInt(), data.length >= CARRYING_LENGTH && carries(buffer.getLong()));
        decoded.check();
        return decoded;
    }

    private static boolean carries(long words) {
        return words >>> Short.SIZE == NAME && (words & CARRIES) != 0;
    }

    private void check() throws StreamProtocolException {
        if (tableEntries < 2 || tableEntries > MOST_ENTRIES) {
            throw new StreamProtocolException(
                    "its table of targets has " + Integer.toUnsignedString(tableEntries) + " entries, not 2 to " + MOST_ENTRIES);
        }
        Target.check(tableAddress, (long) tableEntries * Target.LENGTH);
        Target.check(address, Integer.toUnsignedLong(length));
        if (length <= 0) {
            throw new StreamProtocolException("its first target has " + Integer.toUnsignedString(length) + " bytes");
        }
    }
}
