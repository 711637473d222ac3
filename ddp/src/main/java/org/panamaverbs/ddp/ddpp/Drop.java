package org.panamaverbs.ddp.ddpp;

import org.panamaverbs.softiwarp.wire.TerminateCode;

/** Why a message was dropped whole: not placed, not indicated, not answered. */
public enum Drop {
    /** The message was not dropped. */
    NONE,
    /** Another version or kind, shorter than its header, or decorated without payload and without N. */
    MALFORMED,
    /** The STag is not registered. */
    UNKNOWN_STAG,
    /** Some octet lies outside the buffer. */
    OUT_OF_BOUNDS,
    /** Ordered, and not newer than what was delivered from the same source. */
    LATE,
    /** Undecorated, and no receive was posted. */
    WITHOUT_RECEIVE,
    /** Undecorated, and longer than the posted receive. */
    TOO_LONG,
    /** The memory of the buffer could not be used, or the program's own buffer did not take the bytes. Some octets may be in place. */
    REFUSED_BY_BUFFER;

    /** The reason for a code with which the layer above refuses a message. */
    static Drop of(int error) {
        return switch (error) {
            case TerminateCode.NONE -> NONE;
            case TerminateCode.TAGGED_INVALID_STAG, TerminateCode.TAGGED_STAG_NOT_OF_STREAM -> UNKNOWN_STAG;
            case TerminateCode.TAGGED_BOUNDS, TerminateCode.TAGGED_TO_WRAP -> OUT_OF_BOUNDS;
            case TerminateCode.UNTAGGED_NO_BUFFER -> WITHOUT_RECEIVE;
            case TerminateCode.UNTAGGED_TOO_LONG -> TOO_LONG;
            default -> REFUSED_BY_BUFFER;
        };
    }
}
