package org.panamaverbs;

/** The operation that completed ({@code ibv_wc_opcode}, with its values). Valid only if the status is {@link CompletionStatus#SUCCESS}. */
public enum CompletionOpcode {
    /** A Send. */
    SEND(0),
    /** An RDMA Write. */
    WRITE(1),
    /** An RDMA Read. */
    READ(2),
    /** A compare-and-swap. */
    COMPARE_AND_SWAP(3),
    /** A fetch-and-add. */
    FETCH_AND_ADD(4),
    /** A memory window was bound. */
    BIND_MEMORY_WINDOW(5),
    /** A region was invalidated locally. */
    LOCAL_INVALIDATE(6),
    /** A receive. */
    RECEIVE(128),
    /** A receive taken by an RDMA Write with immediate data. */
    RECEIVE_WRITE_WITH_IMMEDIATE(129),
    /** Something that has no name here. */
    UNKNOWN(255);

    private static final CompletionOpcode[] BY_VALUE = new CompletionOpcode[256];

    static {
        java.util.Arrays.fill(BY_VALUE, UNKNOWN);
        for (CompletionOpcode opcode : values()) {
            BY_VALUE[opcode.value] = opcode;
        }
    }

    private final int value;

    CompletionOpcode(int value) {
        this.value = value;
    }

    /**
     * The value in libibverbs.
     *
     * @return as in {@code ibv_wc_opcode}
     */
    public int value() {
        return value;
    }

    /**
     * The opcode of a value; allocates nothing.
     *
     * @param value as in {@code ibv_wc_opcode}
     * @return {@link #UNKNOWN} for one that has no name here
     */
    public static CompletionOpcode of(int value) {
        return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : UNKNOWN;
    }
}
