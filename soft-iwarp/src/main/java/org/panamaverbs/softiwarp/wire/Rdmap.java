package org.panamaverbs.softiwarp.wire;

/**
 * RDMAP's control field, which DDP carries as its first ULP byte (RFC 5040, 4.1), its opcodes and its queues, with those of RFC 7306, 4.1.
 *
 * <pre>
 * | RV 2 | Rsv 2 | Opcode 4 |
 * </pre>
 */
public final class Rdmap {
    /** The version of RFC 5040. */
    public static final int VERSION = 1;

    /** RDMA Write; tagged. */
    public static final int WRITE = 0;
    /** RDMA Read Request; untagged, queue 1. */
    public static final int READ_REQUEST = 1;
    /** RDMA Read Response; tagged. */
    public static final int READ_RESPONSE = 2;
    /** Send; untagged, queue 0. */
    public static final int SEND = 3;
    /** Send with Invalidate. */
    public static final int SEND_INVALIDATE = 4;
    /** Send with Solicited Event. */
    public static final int SEND_SOLICITED = 5;
    /** Send with Solicited Event and Invalidate. */
    public static final int SEND_SOLICITED_INVALIDATE = 6;
    /** Terminate; untagged, queue 2. */
    public static final int TERMINATE = 7;
    /** Immediate Data; untagged, queue 0 (RFC 7306). */
    public static final int IMMEDIATE = 8;
    /** Immediate Data with Solicited Event. */
    public static final int IMMEDIATE_SOLICITED = 9;
    /** Atomic Request; untagged, queue 1. */
    public static final int ATOMIC_REQUEST = 10;
    /** Atomic Response; untagged, queue 3. */
    public static final int ATOMIC_RESPONSE = 11;

    /** Queue number of Sends and Immediate Data. */
    public static final int SEND_QUEUE = 0;
    /** Queue number of Read Requests and Atomic Requests. */
    public static final int READ_REQUEST_QUEUE = 1;
    /** Queue number of Terminates. */
    public static final int TERMINATE_QUEUE = 2;
    /** Queue number of Atomic Responses. */
    public static final int ATOMIC_RESPONSE_QUEUE = 3;
    /** The number of queues, with that of RFC 7306. */
    public static final int QUEUES = 4;
    /** The number of queues of RFC 5040. */
    public static final int QUEUES_WITHOUT_EXTENSIONS = 3;
    /** The size in bytes of the payload of an Immediate Data message (RFC 7306, 6.2). */
    public static final int IMMEDIATE_SIZE = 8;

    /** The value of {@link #QUEUE_OF} for tagged messages. */
    private static final byte TAGGED = -1;
    /** The value of {@link #QUEUE_OF} for opcodes that neither RFC defines. */
    private static final byte UNDEFINED = -2;
    private static final byte[] QUEUE_OF = { TAGGED, READ_REQUEST_QUEUE, TAGGED, SEND_QUEUE, SEND_QUEUE, SEND_QUEUE, SEND_QUEUE,
            TERMINATE_QUEUE, SEND_QUEUE, SEND_QUEUE, READ_REQUEST_QUEUE, ATOMIC_RESPONSE_QUEUE, UNDEFINED, UNDEFINED, UNDEFINED,
            UNDEFINED };

    private Rdmap() {
    }

    /** The control field of an opcode. */
    public static int control(int opcode) {
        return VERSION << 6 | opcode;
    }

    /** The opcode in a control field: 0 to 15. */
    public static int opcode(int control) {
        return control & 0x0F;
    }

    /** The version in a control field: 0 to 3. */
    public static int version(int control) {
        return control >>> 6 & 0x03;
    }

    /** Whether an opcode is defined, for tagged buffers; the opcode is 0 to 15, here and below. */
    public static boolean isTagged(int opcode) {
        return QUEUE_OF[opcode] == TAGGED;
    }

    /** Whether an opcode is defined, for untagged buffers of this queue. */
    public static boolean isFor(int opcode, int queue) {
        return QUEUE_OF[opcode] == queue && queue >= 0;
    }

    /** Whether an opcode is one of the four Sends. */
    public static boolean isSend(int opcode) {
        return QUEUE_OF[opcode] == SEND_QUEUE && !isImmediate(opcode);
    }

    /** Whether an opcode is that of Immediate Data, with or without Solicited Event. */
    public static boolean isImmediate(int opcode) {
        return opcode == IMMEDIATE || opcode == IMMEDIATE_SOLICITED;
    }

    /** Whether RFC 7306 defines an opcode, and RFC 5040 does not. */
    public static boolean isExtension(int opcode) {
        return opcode >= IMMEDIATE && opcode <= ATOMIC_RESPONSE;
    }

    /** Whether the opcode of a Send or of Immediate Data asks for a solicited event. */
    public static boolean isSolicited(int opcode) {
        return opcode == SEND_SOLICITED || opcode == SEND_SOLICITED_INVALIDATE || opcode == IMMEDIATE_SOLICITED;
    }

    /** Whether a Send's opcode invalidates an STag. */
    public static boolean invalidates(int opcode) {
        return opcode == SEND_INVALIDATE || opcode == SEND_SOLICITED_INVALIDATE;
    }

    /** The opcode of a Send. */
    public static int sendOpcode(boolean solicited, boolean invalidate) {
        if (invalidate) {
            return solicited ? SEND_SOLICITED_INVALIDATE : SEND_INVALIDATE;
        }
        return solicited ? SEND_SOLICITED : SEND;
    }
}
