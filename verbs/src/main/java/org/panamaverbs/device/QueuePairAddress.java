package org.panamaverbs.device;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * The address of a queue pair on InfiniBand or RoCE: all that a peer needs to connect its own queue pair
 * ({@link org.panamaverbs.AddressedQueuePair#connectTo}) or to send datagrams. The programs carry it to each other, for example over TCP, as
 * {@value #ENCODED_LENGTH} bytes in network byte order:
 *
 * <pre>
 *  0 version 16 (1) | 2 LID 16 | 4 number 32 | 8 sequence number 32 | 12 queue key 32 | 16 GID 128 | 32 MTU 16 | 34 Reads 16
 * </pre>
 *
 * <p>A third party that reads or changes it on its way can send packets as the peer: carry it over a channel that the programs trust.
 *
 * @param number          the number of the queue pair, 2 to 0xFFFFFE
 * @param sequenceNumber  the number of the first packet that it sends (PSN), 24 bits; 0 for datagrams
 * @param queueKey        the key that datagrams to it carry (Q_Key), any 32 bits; 0 for a connection
 * @param identifier      the GID of its port; empty if it has a LID alone
 * @param localIdentifier the LID of its port, 0 to 0xBFFF; 0 on Ethernet
 * @param mtu             the longest packet that its port takes, in bytes: 256, 512, 1024, 2048 or 4096
 * @param inboundReads    how many Reads of a peer it serves at a time if the program chooses no other number, 0 to 255
 */
public record QueuePairAddress(int number, int sequenceNumber, int queueKey, GlobalIdentifier identifier, int localIdentifier, int mtu,
        int inboundReads) {
    /** The length of the encoding, in bytes. */
    public static final int ENCODED_LENGTH = 36;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final int VERSION = 1;
    private static final long LID_AT = 2;
    private static final long NUMBER_AT = 4;
    private static final long SEQUENCE_NUMBER_AT = 8;
    private static final long QUEUE_KEY_AT = 12;
    private static final long GID_AT = 16;
    private static final long MTU_AT = 32;
    private static final long READS_AT = 34;

    /** 0 and 1 are the queue pairs of management, 0xFFFFFF is multicast. */
    private static final int FIRST_NUMBER = 2;
    private static final int LAST_NUMBER = 0xFFFFFE;
    private static final int LAST_SEQUENCE_NUMBER = 0xFFFFFF;
    /** LIDs from 0xC000 on are multicast. */
    private static final int LAST_UNICAST_LID = 0xBFFF;
    private static final int SHORTEST_MTU = 256;
    private static final int LONGEST_MTU = 4096;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException for a number out of its range, a multicast address, or no address at all
     */
    public QueuePairAddress {
        Objects.requireNonNull(identifier);
        within("the number of a queue pair", number, FIRST_NUMBER, LAST_NUMBER);
        within("a packet sequence number", sequenceNumber, 0, LAST_SEQUENCE_NUMBER);
        within("the LID of a queue pair", localIdentifier, 0, LAST_UNICAST_LID);
        within("the number of Reads", inboundReads, 0, 255);
        if (!isMtu(mtu)) {
            throw new IllegalArgumentException("an MTU is 256, 512, 1024, 2048 or 4096 bytes, not " + mtu);
        }
        if (identifier.prefix() >>> 56 == 0xFF) {
            throw new IllegalArgumentException("the GID of a queue pair is no multicast address, as " + identifier + " is");
        }
        if (identifier.isEmpty() && localIdentifier == 0) {
            throw new IllegalArgumentException(
                    "the address of queue pair " + number + " has neither a GID nor a LID: the port has none, or "
                            + "the place that was chosen in its table is empty (see Device.addresses)");
        }
    }

    static void within(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(name + " is " + least + " to " + most + ", not " + value);
        }
    }

    static boolean isMtu(int bytes) {
        return bytes >= SHORTEST_MTU && bytes <= LONGEST_MTU && Integer.bitCount(bytes) == 1;
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
        into.set(SHORT, offset, (short) VERSION);
        into.set(SHORT, offset + LID_AT, (short) localIdentifier);
        into.set(INT, offset + NUMBER_AT, number);
        into.set(INT, offset + SEQUENCE_NUMBER_AT, sequenceNumber);
        into.set(INT, offset + QUEUE_KEY_AT, queueKey);
        into.set(LONG, offset + GID_AT, identifier.prefix());
        into.set(LONG, offset + GID_AT + Long.BYTES, identifier.interfaceIdentifier());
        into.set(SHORT, offset + MTU_AT, (short) mtu);
        into.set(SHORT, offset + READS_AT, (short) inboundReads);
    }

    /**
     * The encoding as an array.
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
     * @return the peer's address; the peer may lie, and then no packet arrives
     * @throws IndexOutOfBoundsException if the message ends before the encoding
     * @throws IllegalArgumentException  for another version, or if no queue pair can have that address
     */
    public static QueuePairAddress decode(MemorySegment from, long offset) {
        if (offset < 0 || offset > from.byteSize() - ENCODED_LENGTH) {
            throw new IndexOutOfBoundsException("the encoding of a queue pair's address has " + ENCODED_LENGTH + " bytes; at offset "
                    + offset + " the message of " + from.byteSize() + " bytes has fewer");
        }
        int version = unsigned(from, offset);
        if (version != VERSION) {
            throw new IllegalArgumentException("the address of a queue pair has version " + VERSION + ", not " + version
                    + ": the peer uses another encoding, or the message is not an address");
        }
        GlobalIdentifier identifier = new GlobalIdentifier(from.get(LONG, offset + GID_AT), from.get(LONG, offset + GID_AT + Long.BYTES));
        return new QueuePairAddress(from.get(INT, offset + NUMBER_AT), from.get(INT, offset + SEQUENCE_NUMBER_AT),
                from.get(INT, offset + QUEUE_KEY_AT), identifier, unsigned(from, offset + LID_AT), unsigned(from, offset + MTU_AT),
                unsigned(from, offset + READS_AT));
    }

    private static int unsigned(MemorySegment from, long offset) {
        return Short.toUnsignedInt(from.get(SHORT, offset));
    }

    /**
     * Reads an encoding from an array.
     *
     * @param from the encoding from its start; bytes after it are ignored
     * @return the peer's address
     * @throws IndexOutOfBoundsException if the array is shorter than {@value #ENCODED_LENGTH} bytes
     * @throws IllegalArgumentException  for another version, or if no queue pair can have that address
     */
    public static QueuePairAddress decode(byte[] from) {
        return decode(MemorySegment.ofArray(from), 0);
    }

    @Override
    public String toString() {
        return "queue pair " + number + " at " + (identifier.isEmpty() ? "LID " + localIdentifier : identifier.toString());
    }
}
