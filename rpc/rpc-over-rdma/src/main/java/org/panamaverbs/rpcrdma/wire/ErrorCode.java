package org.panamaverbs.rpcrdma.wire;

/**
 * Why a header was refused: {@code rdma_err} of version 1 (RFC 8166, 4.5) and version 2 (draft, 7.2.4). The first two have the same number
 * in both versions.
 */
public enum ErrorCode {
    VERSION(1, "ERR_VERS"),
    /** {@code ERR_CHUNK} in version 1. */
    BAD_XDR(2, "BAD_XDR (ERR_CHUNK)"), INVALID_PROCEDURE(3, "INVAL_PROC"), READ_CHUNKS(4, "READ_CHUNKS"), WRITE_CHUNKS(5,
            "WRITE_CHUNKS"), SEGMENTS(6, "SEGMENTS"), WRITE_RESOURCE(7,
                    "WRITE_RESOURCE"), REPLY_RESOURCE(8, "REPLY_RESOURCE"), INVALID_OPTION(9, "INVAL_OPTION"), SYSTEM(10, "SYSTEM");

    private static final ErrorCode[] BY_VALUE = values();
    private final int value;
    private final String text;

    ErrorCode(int value, String text) {
        this.value = value;
        this.text = text;
    }

    public int value() {
        return value;
    }

    public String text() {
        return text;
    }

    /** How many words of 4 bytes follow the number. */
    int words() {
        return switch (this) {
            case VERSION, WRITE_RESOURCE -> 2;
            case READ_CHUNKS, WRITE_CHUNKS, SEGMENTS, REPLY_RESOURCE -> 1;
            default -> 0;
        };
    }

    /** The code of a number, or {@code null} for a number that the version does not have. */
    static ErrorCode of(int value, int version) {
        int most = version == Wire.VERSION_1 ? BAD_XDR.value : SYSTEM.value;
        return value < 1 || value > most ? null : BY_VALUE[value - 1];
    }
}
