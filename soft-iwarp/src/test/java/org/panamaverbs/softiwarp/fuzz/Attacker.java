package org.panamaverbs.softiwarp.fuzz;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.zip.CRC32C;
import org.panamaverbs.softiwarp.fixtures.MarkedStream;

/**
 * The peer of a victim, by the text of the RFCs and without the classes under test: makes FPDUs, and reads those of the victim, which
 * must all be right.
 */
final class Attacker {
    static final int WRITE = 0x40;
    static final int READ_REQUEST = 0x41;
    static final int READ_RESPONSE = 0x42;
    static final int SEND = 0x43;
    static final int TERMINATE = 0x47;
    static final int IMMEDIATE = 0x48;
    private static final int IMMEDIATE_SOLICITED = 0x49;
    static final int ATOMIC_REQUEST = 0x4A;
    static final int ATOMIC_RESPONSE = 0x4B;
    private static final int QUEUES = 4;
    private static final int[] QUEUE_OF = { -1, 1, -1, 0, 0, 0, 0, 2, 0, 0, 1, 3 };

    /** A Read Request or Atomic Request of the victim that is not answered yet; {@code size} is -1 for an atomic. */
    static final class Asked {
        final int stag;
        final long offset;
        final int size;
        final int identifier;
        int answered;

        Asked(int stag, long offset, int size, int identifier) {
            this.stag = stag;
            this.offset = offset;
            this.size = size;
            this.identifier = identifier;
        }
    }

    private final boolean crc;
    private final MarkedStream marked;
    /** The next MSN and MO of what this side sends. */
    final int[] msn = { 1, 1, 1, 1 };
    final int[] offset = new int[QUEUES];
    private byte[] pending = {};
    private final int[] victimMsn = { 1, 1, 1, 1 };
    private final int[] victimOffset = new int[QUEUES];
    /** Per queue, the message of the victim under way; after an error it may stay a part. */
    private final ByteArrayOutputStream[] messages = new ByteArrayOutputStream[QUEUES];
    final Deque<Asked> asked = new ArrayDeque<>();
    /** The payload of Read Responses to this side, in order. */
    final ByteArrayOutputStream read = new ByteArrayOutputStream();
    /** How many Atomic Responses came, and the fields of the last one. */
    int atomicResponses;
    int identifier;
    long original;
    /** How many Immediate Data messages of the victim came. */
    int immediates;
    /** The payload of the victim's Terminate, or {@code null}. */
    byte[] terminate;

    Attacker(boolean crc, boolean markers) {
        this.crc = crc;
        Arrays.setAll(messages, i -> new ByteArrayOutputStream());
        this.marked = markers ? new MarkedStream(crc) : null;
    }

    // The messages that it sends.

    static byte[] tagged(boolean last, int ulp, int stag, long at, byte[] payload) {
        return ByteBuffer.allocate(14 + payload.length).put((byte) (last ? 0xC1 : 0x81)).put((byte) ulp).putInt(stag).putLong(at)
                .put(payload).array();
    }

    /** A Write of no bytes, whose address means nothing. */
    static byte[] zeroLength(int choice) {
        return tagged(true, WRITE, choice, choice, new byte[0]);
    }

    /** Bytes that differ, and depend on how many they are. */
    static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length + 3 * i);
        }
        return bytes;
    }

    /** The next segment of a queue. */
    byte[] untagged(boolean last, int ulp, int word, int queue, byte[] payload) {
        byte[] segment = ByteBuffer.allocate(18 + payload.length).put((byte) (last ? 0x41 : 0x01)).put((byte) ulp).putInt(word)
                .putInt(queue).putInt(msn[queue]).putInt(offset[queue]).put(payload).array();
        offset[queue] = last ? 0 : offset[queue] + payload.length;
        msn[queue] += last ? 1 : 0;
        return segment;
    }

    static byte[] readRequest(int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
        return ByteBuffer.allocate(28).putInt(sinkStag).putLong(sinkOffset).putInt(size).putInt(sourceStag).putLong(sourceOffset).array();
    }

    static byte[] atomicRequest(int operation, int identifier, int stag, long at, long data, long mask, long compareData,
            long compareMask) {
        return ByteBuffer.allocate(52).putInt(operation).putInt(identifier).putInt(stag).putLong(at).putLong(data).putLong(mask)
                .putLong(compareData).putLong(compareMask).array();
    }

    byte[] fpdu(byte[] ulpdu) {
        byte[] fpdu = new byte[(2 + ulpdu.length + 3) / 4 * 4 + 4];
        ByteBuffer.wrap(fpdu).putShort((short) ulpdu.length).put(ulpdu);
        seal(fpdu);
        return fpdu;
    }

    /** Makes the CRC fit what is before it. */
    void seal(byte[] fpdu) {
        ByteBuffer.wrap(fpdu).order(ByteOrder.LITTLE_ENDIAN).putInt(fpdu.length - 4, crc ? sum(fpdu, 0, fpdu.length - 4) : 0);
    }

    private static int sum(byte[] bytes, int at, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, at, length);
        return (int) sum.getValue();
    }

    // The messages that it receives.

    /** Bytes of the victim have come. Throws if something in them is wrong. */
    void receive(byte[] bytes) {
        byte[] plain = bytes;
        if (marked != null) {
            marked.add(bytes);
            plain = marked.takePlain();
        }
        byte[] all = Arrays.copyOf(pending, pending.length + plain.length);
        System.arraycopy(plain, 0, all, pending.length, plain.length);
        int at = 0;
        while (all.length - at >= 2) {
            int length = (all[at] & 0xFF) << 8 | all[at + 1] & 0xFF;
            int size = (2 + length + 3) / 4 * 4 + 4;
            if (all.length - at < size) {
                break;
            }
            int check = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).getInt(at + size - 4);
            require(check == (crc ? sum(all, at, size - 4) : 0), "a CRC of the victim is wrong");
            require(terminate == null, "a message behind the Terminate");
            receiveSegment(Arrays.copyOfRange(all, at + 2, at + 2 + length));
            at += size;
        }
        pending = Arrays.copyOfRange(all, at, all.length);
    }

    /** Whether an FPDU of the victim has begun and is not whole. */
    boolean isInFpdu() {
        return pending.length > 0 || marked != null && marked.isInFpdu();
    }

    private void receiveSegment(byte[] segment) {
        ByteBuffer header = ByteBuffer.wrap(segment);
        boolean last = (segment[0] & 0x40) != 0;
        int opcode = segment[1] & 0x0F;
        require((segment[0] & 0x3F) == 1 && (segment[1] & 0xF0) == 0x40, "a version or reserved bit of the victim");
        require(opcode < QUEUE_OF.length, "an opcode of the victim");
        if (segment[0] < 0) {
            require(QUEUE_OF[opcode] == -1, "a tagged message of the victim with opcode " + opcode);
            if (opcode == (READ_RESPONSE & 0x0F)) {
                read.write(segment, 14, segment.length - 14);
            }
            return;
        }
        int queue = header.getInt(6);
        require(queue >= 0 && queue == QUEUE_OF[opcode], "queue " + queue + " of the victim for opcode " + opcode);
        require(header.getInt(10) == victimMsn[queue] && header.getInt(14) == victimOffset[queue], "MSN or MO of the victim");
        victimOffset[queue] += segment.length - 18;
        messages[queue].write(segment, 18, segment.length - 18);
        if (last) {
            victimMsn[queue]++;
            victimOffset[queue] = 0;
            receiveMessage(opcode, messages[queue].toByteArray());
            messages[queue].reset();
        }
    }

    private void receiveMessage(int opcode, byte[] payload) {
        ByteBuffer fields = ByteBuffer.wrap(payload);
        switch (opcode | 0x40) {
            case READ_REQUEST -> {
                require(payload.length == 28, "a Read Request of " + payload.length + " bytes");
                asked.add(new Asked(fields.getInt(0), fields.getLong(4), fields.getInt(12), 0));
            }
            case ATOMIC_REQUEST -> {
                require(payload.length == 52, "an Atomic Request of " + payload.length + " bytes");
                require(fields.getInt(0) == 0 || fields.getInt(0) == 2, "operation " + fields.getInt(0) + " of an Atomic Request");
                for (int i = 0; i < Victim.OPERANDS.length; i++) {
                    require(fields.getLong(20 + 8 * i) == Victim.OPERANDS[i], "operand " + i + " of an Atomic Request");
                }
                asked.add(new Asked(0, 0, -1, fields.getInt(4)));
            }
            case ATOMIC_RESPONSE -> {
                require(payload.length == 12, "an Atomic Response of " + payload.length + " bytes");
                atomicResponses++;
                identifier = fields.getInt(0);
                original = fields.getLong(4);
            }
            case TERMINATE -> {
                terminate = payload;
                checkTerminate(fields);
            }
            case IMMEDIATE, IMMEDIATE_SOLICITED -> {
                require(payload.length == 8 && fields.getLong(0) == Victim.IMMEDIATE, "the Immediate Data of the victim");
                immediates++;
            }
            default -> {
                // A Send: nothing depends on it.
            }
        }
    }

    /** The headers in a Terminate are those that its bits name (RFC 5040, 4.8 and figure 10). */
    private void checkTerminate(ByteBuffer fields) {
        int bits = fields.get(2) & 0xFF;
        require((bits & 0x1F) == 0 && fields.get(3) == 0, "reserved bits of the Terminate");
        int size = 4;
        if ((bits & 0x80) != 0) {
            require((bits & 0x40) != 0, "a Terminate with a segment length and no DDP header");
            size += 2 + (fields.get(6) < 0 ? 14 : 18);
        } else {
            require(bits == 0, "a Terminate with headers and no segment length");
        }
        size += (bits & 0x20) != 0 ? 28 : 0;
        require(fields.limit() == size, "a Terminate of " + fields.limit() + " bytes with the bits " + Integer.toHexString(bits));
        int layer = fields.get(0) >> 4 & 0x0F;
        require(layer <= 2 && (layer < 2 || bits == 0), "layer " + layer + " in the Terminate");
    }

    /** The error in the Terminate of the victim: {@code 0xLTCC}. */
    int error() {
        return ByteBuffer.wrap(terminate).getShort() & 0xFFFF;
    }

    private static void require(boolean right, String otherwise) {
        if (!right) {
            throw new AssertionError(otherwise);
        }
    }
}
