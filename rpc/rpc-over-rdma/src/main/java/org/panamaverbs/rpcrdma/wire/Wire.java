package org.panamaverbs.rpcrdma.wire;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Numbers of the protocol, and the four fields with which every version's header begins (RFC 8166, 4.2). */
public final class Wire {
    public static final int VERSION_1 = 1;
    public static final int VERSION_2 = 2;

    /** {@code rdma_proc}; version 1 has the first five, version 2 all but the two that are reserved. */
    public static final int MSG = 0;
    public static final int NOMSG = 1;
    public static final int MSGP = 2;
    public static final int DONE = 3;
    public static final int ERROR = 4;
    public static final int OPTIONAL = 5;
    public static final int CONNPROP = 6;
    public static final int REQPROP = 7;
    public static final int RESPROP = 8;
    public static final int UPDPROP = 9;

    /** {@code msg_type} of RFC 5531, 9; and {@code rdma_direction} of version 2. */
    public static final int CALL = 0;
    public static final int REPLY = 1;

    /** XID, version, credits and procedure have 4 bytes each. */
    public static final int FIXED_LENGTH = 16;

    /** The shortest header of version 1: the fixed fields and three empty lists. */
    public static final int SHORTEST_MESSAGE = 28;

    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private Wire() {
    }
}
