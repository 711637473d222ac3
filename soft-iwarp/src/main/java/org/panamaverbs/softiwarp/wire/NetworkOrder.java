package org.panamaverbs.softiwarp.wire;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** The layouts of numbers on the wire: big-endian and unaligned. */
public final class NetworkOrder {
    /** 16 bits. */
    public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** 32 bits. */
    public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    /** 64 bits. */
    public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private NetworkOrder() {
    }
}
