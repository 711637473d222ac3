package org.panamaverbs.softiwarp.wire;

/**
 * RDMAP's control field, which DDP carries as its first ULP byte (RFC 5040, 4.1), its opcodes and its queues.
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

    /** Queue number of Sends. */
    public static final int SEND_QUEUE = 0;
    /** Queue number of Read Requests. */
    public static final int READ_REQUEST_QUEUE = 1;
    /** Queue number of Terminates. */
    public static final int TERMINATE_QUEUE = 2;
    /** The number of queues. */
    public static final int QUEUES = 3;

    /** The value of {@link #QUEUE_OF} for tagged messages. */
    private static final byte TAGGED = -1;
    /** The value of {@link #QUEUE_OF} for opcodes that RFC 5040 does not define. */
    private static final byte UNDEFINED = -2;
    private static final byte[] QUEUE_OF = { TAGGED, READ_REQUEST_QUEUE, TAGGED, SEND_QUEUE, SEND_QUEUE, SEND_QUEUE, SEND_QUEUE,
            TERMINATE_QUEUE, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED, UNDEFINED };

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

    /** Whether RFC 5040 defines an opcode, for tagged buffers; the opcode is 0 to 15, here and below. */
    public static boolean isTagged(int opcode) {
        return QUEUE_OF[opcode] == TAGGED;
    }

    /** Whether RFC 5040 defines an opcode, for untagged buffers of this queue. */
    public static boolean isFor(int opcode, int queue) {
        return QUEUE_OF[opcode] == queue && queue >= 0;
    }

    /** Whether an opcode is one of the four Sends. */
    public static boolean isSend(int opcode) {
        return QUEUE_OF[opcode] == SEND_QUEUE;
    }

    /** Whether a Send's opcode asks for a solicited event. */
    public static boolean isSolicited(int opcode) {
        return opcode == SEND_SOLICITED || opcode == SEND_SOLICITED_INVALIDATE;
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
