package org.panamaverbs.ddp.sctp;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.panamaverbs.softiwarp.wire.NetworkOrder;

/**
 * The DDP Stream Session Control message: the payload of an SCTP Data Chunk that begins or ends a session (RFC 5043, 5.2.3). Offsets count
 * from the DDP-SSN, which {@link SctpSegment} reads and writes.
 *
 * <pre>
 *  0                   1                   2                   3
 *  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * |          DDP-SSN              |        Function Code          |
 * +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
 * ~            Private Data (none with Terminate)                 ~
 * </pre>
 */
public final class SctpControl {
    /** The Payload Protocol Identifier of a DDP Stream Session Control message. */
    public static final int PROTOCOL = 17;
    /** Size of the message without private data, in bytes. */
    public static final int SIZE = 4;
    /** The most private data in bytes. */
    public static final int MAXIMUM_PRIVATE_DATA = 512;

    /** The active side asks for a session. */
    public static final int INITIATE = 1;
    /** The passive side's program accepts it. */
    public static final int ACCEPT = 2;
    /** The passive side's program rejects it. */
    public static final int REJECT = 3;
    /** The last message of a side; or the passive side refuses a session without its program. */
    public static final int TERMINATE = 4;

    private static final int FUNCTION_AT = 2;
    private static final String[] NAMES = { "Initiate", "Accept", "Reject", "Terminate" };

    private SctpControl() {
    }

    /** Writes the message without its DDP-SSN. */
    public static void put(MemorySegment message, long at, int function, byte[] privateData) {
        message.set(NetworkOrder.SHORT, at + FUNCTION_AT, (short) function);
        MemorySegment.copy(privateData, 0, message, ValueLayout.JAVA_BYTE, at + SIZE, privateData.length);
    }

    /** The function code: 0 to 65,535, of which 1 to 4 mean something. */
    public static int function(MemorySegment message, long at) {
        return Short.toUnsignedInt(message.get(NetworkOrder.SHORT, at + FUNCTION_AT));
    }

    /** A copy of the private data of a message of this length in bytes, {@link #SIZE} or more. */
    public static byte[] privateData(MemorySegment message, long at, int length) {
        return message.asSlice(at + SIZE, length - SIZE).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The name of a function code, for messages. */
    public static String name(int function) {
        return function >= INITIATE && function <= TERMINATE ? "Session " + NAMES[function - INITIATE] : "function code " + function;
    }
}
