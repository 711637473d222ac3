package org.panamaverbs.tools.decode;

import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.panamaverbs.tools.shared.Printable;

/** The ULPDU of an FPDU: a DDP segment (RFC 5041, 4) of an RDMAP message (RFC 5040, 4; RFC 7306, 5 and 6), in words and fields. */
final class DdpSegment {
    private static final int TAGGED_SIZE = 14;
    private static final int UNTAGGED_SIZE = 18;
    private static final int READ_REQUEST = 1;
    private static final int TERMINATE = 7;
    private static final int IMMEDIATE = 8;
    private static final int IMMEDIATE_SOLICITED = 9;
    private static final int ATOMIC_REQUEST = 10;
    private static final int READ_REQUEST_SIZE = 28;
    private static final int ATOMIC_REQUEST_SIZE = 52;
    private static final String[] OPERATIONS = { "Write", "Read Request", "Read Response", "Send", "Send with Invalidate",
            "Send with Solicited Event", "Send with Solicited Event and Invalidate", "Terminate", "Immediate Data",
            "Immediate Data with Solicited Event", "Atomic Request", "Atomic Response" };

    private final Map<String, Object> fields = new LinkedHashMap<>();
    private final StringBuilder text = new StringBuilder();
    private boolean malformed;

    /** Reads a segment; the file has its first {@code readable} bytes and lacks all others. */
    DdpSegment(byte[] bytes, int readable) {
        ByteBuffer segment = ByteBuffer.wrap(bytes);
        if (bytes.length < 2 || bytes.length < headerSize(segment)) {
            malformed("a ULPDU of " + bytes.length + " bytes is shorter than its DDP header");
        } else {
            read(segment, readable);
        }
    }

    static int headerSize(ByteBuffer segment) {
        return (segment.get(0) & 0x80) != 0 ? TAGGED_SIZE : UNTAGGED_SIZE;
    }

    Map<String, Object> fields() {
        return fields;
    }

    String text() {
        return text.toString();
    }

    boolean isMalformed() {
        return malformed;
    }

    private void malformed(String how) {
        malformed = true;
        fields.put("malformed", how);
        text.append(text.isEmpty() ? "" : ", ").append("MALFORMED: ").append(how);
    }

    private void read(ByteBuffer segment, int readable) {
        int control = segment.get(0);
        int rdmap = segment.get(1);
        int opcode = rdmap & 0x0F;
        boolean tagged = (control & 0x80) != 0;
        int payload = segment.limit() - headerSize(segment);
        String operation = opcode < OPERATIONS.length ? OPERATIONS[opcode] : "opcode " + opcode;
        text.append(operation);
        fields.put("operation", operation);
        fields.put("opcode", opcode);
        fields.put("last", (control & 0x40) != 0);
        if ((control & 0x40) == 0) {
            text.append(" (more follows)");
        }
        fields.put("tagged", tagged);
        fields.put("ddpVersion", control & 0x03);
        fields.put("rdmapVersion", rdmap >> 6 & 0x03);
        if (tagged) {
            put("stag", "STag", hex(segment.getInt(2)));
            put("taggedOffset", "TO", "0x" + Long.toHexString(segment.getLong(6)));
        } else {
            number("queue", "queue", segment.getInt(6));
            number("messageSequence", "MSN", segment.getInt(10));
            number("messageOffset", "MO", segment.getInt(14));
        }
        fields.put("payload", payload);
        text.append(", ").append(payload).append(" bytes");
        if ((control & 0x03) != 1 || opcode >= OPERATIONS.length || tagged != (opcode == 0 || opcode == 2)) {
            malformed("version, opcode and T do not go together");
        } else if (!tagged) {
            readUntagged(segment, opcode, Math.min(readable - UNTAGGED_SIZE, payload));
        }
    }

    private void put(String name, String word, String value) {
        fields.put(name, value);
        text.append(", ").append(word).append(' ').append(value);
    }

    private void number(String name, String word, int value) {
        fields.put(name, Integer.toUnsignedLong(value));
        text.append(", ").append(word).append(' ').append(Integer.toUnsignedString(value));
    }

    private static String hex(int value) {
        return "0x%08x".formatted(value);
    }

    private void readUntagged(ByteBuffer segment, int opcode, int payload) {
        if (opcode == 4 || opcode == 6) {
            put("invalidates", "invalidates STag", hex(segment.getInt(2)));
        } else if (opcode == READ_REQUEST) {
            readRequest(segment, UNTAGGED_SIZE, payload);
        } else if (opcode == ATOMIC_REQUEST) {
            atomicRequest(segment, payload);
        } else if (opcode == TERMINATE) {
            terminate(segment, payload);
        } else if ((opcode == IMMEDIATE || opcode == IMMEDIATE_SOLICITED) && payload >= 8) {
            put("immediate", "data", "0x%016x".formatted(segment.getLong(UNTAGGED_SIZE)));
        }
    }

    private void readRequest(ByteBuffer segment, int at, int payload) {
        if (payload < READ_REQUEST_SIZE) {
            malformed("a Read Request of " + payload + " bytes instead of " + READ_REQUEST_SIZE);
            return;
        }
        number("readLength", "reads bytes:", segment.getInt(at + 12));
        put("sourceStag", "from STag", hex(segment.getInt(at + 16)));
        put("sourceOffset", "TO", "0x" + Long.toHexString(segment.getLong(at + 20)));
        put("sinkStag", "to STag", hex(segment.getInt(at)));
        put("sinkOffset", "TO", "0x" + Long.toHexString(segment.getLong(at + 4)));
    }

    /** RFC 7306, 5.2.1. */
    private void atomicRequest(ByteBuffer segment, int payload) {
        if (payload < ATOMIC_REQUEST_SIZE) {
            malformed("an Atomic Request of " + payload + " bytes instead of " + ATOMIC_REQUEST_SIZE);
            return;
        }
        int operation = segment.getInt(UNTAGGED_SIZE) & 0x0F;
        put("atomic", "does", operation == 0 ? "FetchAdd" : operation == 2 ? "CmpSwap" : "operation " + operation);
        put("targetStag", "at STag", hex(segment.getInt(UNTAGGED_SIZE + 8)));
        put("targetOffset", "TO", "0x" + Long.toHexString(segment.getLong(UNTAGGED_SIZE + 12)));
    }

    private void terminate(ByteBuffer segment, int payload) {
        if (payload < 4) {
            malformed("a Terminate of " + payload + " bytes");
            return;
        }
        int layerType = Byte.toUnsignedInt(segment.get(UNTAGGED_SIZE));
        int code = Byte.toUnsignedInt(segment.get(UNTAGGED_SIZE + 1));
        int headers = Byte.toUnsignedInt(segment.get(UNTAGGED_SIZE + 2));
        int error = layerType << 8 | code;
        // The Linux siw driver swaps both halves of the byte, and puts the three bits at the other end of their field.
        int swapped = (layerType & 0x0F) << 12 | (layerType & 0xF0) << 4 | code;
        boolean isSwapped = (headers & 0xE0) == 0 && ((headers & 0x07) != 0 || !Terminates.isKnown(error) && Terminates.isKnown(swapped));
        int meant = isSwapped ? swapped : error;
        fields.put("layer", meant >>> 12);
        fields.put("errorType", meant >>> 8 & 0x0F);
        fields.put("errorCode", meant & 0xFF);
        fields.put("siwForm", isSwapped);
        put("error", "because:", Printable.of(Terminates.describe(meant)));
        boolean header = (isSwapped ? headers & 0x02 : headers & 0x40) != 0;
        if (header && payload >= 6 + TAGGED_SIZE) {
            terminated(segment, UNTAGGED_SIZE + 6, payload - 6);
        }
    }

    /** The header of the segment that the sender of a Terminate did not accept. */
    private void terminated(ByteBuffer segment, int at, int there) {
        boolean tagged = (segment.get(at) & 0x80) != 0;
        int opcode = segment.get(at + 1) & 0x0F;
        String operation = opcode < OPERATIONS.length ? OPERATIONS[opcode] : "opcode " + opcode;
        put("terminatedOperation", "of:", operation);
        if (tagged) {
            put("terminatedStag", "STag", hex(segment.getInt(at + 2)));
            put("terminatedOffset", "TO", "0x" + Long.toHexString(segment.getLong(at + 6)));
        } else if (there >= UNTAGGED_SIZE) {
            number("terminatedSequence", "MSN", segment.getInt(at + 10));
        }
    }
}
