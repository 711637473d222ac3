package org.panamaverbs.softiwarp.hostile;

import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.ATOMIC_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.IMMEDIATE_SOLICITED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_TAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.LAST_UNTAGGED;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_REQUEST;
import static org.panamaverbs.softiwarp.fixtures.Forge.READ_RESPONSE;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND;
import static org.panamaverbs.softiwarp.fixtures.Forge.SEND_INVALIDATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.TERMINATE;
import static org.panamaverbs.softiwarp.fixtures.Forge.WRITE;
import static org.panamaverbs.softiwarp.fixtures.Forge.join;
import static org.panamaverbs.softiwarp.fixtures.Forge.payload;
import static org.panamaverbs.softiwarp.fixtures.Forge.read;

import java.util.Arrays;
import org.panamaverbs.softiwarp.fixtures.Forge;

/** Messages that a peer must not send, and the codes of the answering Terminates (RFC 5040, 7.2 and figure 9; RFC 5041, 7; RFC 5044, 8; RFC 7306, 8). */
enum Offence {
    WRITE_TO_A_KEY_THAT_NOBODY_HAS(0x1100) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.key() ^ 0x40, target.address(), crc);
        }
    },
    WRITE_TO_ANOTHER_DOMAIN(0x1102) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.foreignKey(), target.foreignAddress(), crc);
        }
    },
    WRITE_BEFORE_THE_START(0x1101) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.key(), target.address() - 1, crc);
        }
    },
    WRITE_OVER_THE_END(0x1101) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.key(), target.address() + Target.LENGTH - PAYLOAD + 1, crc);
        }
    },
    WRITE_TO_OFFSET_ZERO(0x1101) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.key(), 0, crc);
        }
    },
    WRITE_THAT_WRAPS(0x1103) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.key(), -PAYLOAD + 1, crc);
        }
    },
    WRITE_WITHOUT_THE_RIGHT(0x1100) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return write(target.readOnlyKey(), target.readOnlyAddress(), crc);
        }
    },
    TAGGED_WITH_DDP_VERSION_0(0x1104) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(0xC0, WRITE, target, crc);
        }
    },
    TAGGED_WITH_DDP_VERSION_2(0x1104) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(0xC2, WRITE, target, crc);
        }
    },
    TAGGED_WITH_RDMAP_VERSION_0(0x0205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(LAST_TAGGED, 0x00, target, crc);
        }
    },
    TAGGED_SEND(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(LAST_TAGGED, SEND, target, crc);
        }
    },
    TAGGED_WITH_AN_UNDEFINED_OPCODE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(LAST_TAGGED, 0x4F, target, crc);
        }
    },
    READ_RESPONSE_THAT_NOBODY_ASKED_FOR(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(LAST_TAGGED, READ_RESPONSE, target, crc);
        }
    },
    UNTAGGED_WITH_DDP_VERSION_0(0x1206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(0x40, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    UNTAGGED_WITH_DDP_VERSION_3(0x1206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(0x43, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    UNTAGGED_WITH_RDMAP_VERSION_2(0x0205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, 0x83, 0, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    QUEUE_NUMBER_4(0x1201) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 4, 1, 0, payload(PAYLOAD), crc);
        }
    },
    QUEUE_NUMBER_OF_ALL_ONES(0x1201) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, -1, 1, 0, payload(PAYLOAD), crc);
        }
    },
    SEQUENCE_NUMBER_GAP(0x1203) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 0, 2, 0, payload(PAYLOAD), crc);
        }
    },
    SEQUENCE_NUMBER_AGAIN(0x1203) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            byte[] once = untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc);
            return join(once, once);
        }
    },
    MESSAGE_OFFSET_THAT_DOES_NOT_START_AT_ZERO(0x1204) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 4, payload(PAYLOAD), crc);
        }
    },
    MESSAGE_OFFSET_GAP(0x1204) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(0x01, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc),
                    untagged(LAST_UNTAGGED, SEND, 0, 0, 1, PAYLOAD + 1, payload(1), crc));
        }
    },
    UNTAGGED_WRITE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, WRITE, 0, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    SEND_ON_THE_QUEUE_OF_READ_REQUESTS(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 1, 1, 0, payload(28), crc);
        }
    },
    READ_REQUEST_ON_THE_QUEUE_OF_SENDS(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, READ_REQUEST, 0, 0, 1, 0, payload(28), crc);
        }
    },
    UNTAGGED_WITH_AN_UNDEFINED_OPCODE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, 0x4C, 0, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    OPCODE_THAT_CHANGES_WITHIN_A_MESSAGE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(0x01, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc),
                    untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.key(), 0, 1, PAYLOAD, payload(1), crc));
        }
    },
    UNDEFINED_OPCODE_WITHIN_A_MESSAGE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(0x01, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc),
                    untagged(LAST_UNTAGGED, 0x4B, 0, 0, 1, PAYLOAD, payload(1), crc));
        }
    },
    RDMAP_VERSION_THAT_CHANGES_WITHIN_A_MESSAGE(0x0205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(0x01, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc),
                    untagged(LAST_UNTAGGED, 0x03, 0, 0, 1, PAYLOAD, payload(1), crc));
        }
    },
    SEND_LONGER_THAN_THE_RECEIVE(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(Target.RECEIVE_LENGTH + 1), crc);
        }
    },
    SEND_AS_LONG_AS_A_FRAME_CAN_BE(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(0xFFFF - 18), crc);
        }
    },
    SEND_WITHOUT_A_RECEIVE(0x1202) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(PAYLOAD), crc),
                    untagged(LAST_UNTAGGED, SEND, 0, 0, 2, 0, payload(PAYLOAD), crc));
        }
    },
    INVALIDATE_A_KEY_THAT_NOBODY_HAS(0x0100) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.key() ^ 0x40, 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    INVALIDATE_A_KEY_OF_ANOTHER_DOMAIN(0x0109) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.foreignKey(), 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    INVALIDATE_A_KEY_WITHOUT_THE_RIGHT(0x0109) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.key(), 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    INVALIDATE_A_KEY_OF_ANOTHER_STREAM(0x0109) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.writeOnlyKey(), 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    INVALIDATE_A_RECEIVE_BUFFER(0x0109) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND_INVALIDATE, target.receiveKey(), 0, 1, 0, payload(PAYLOAD), crc);
        }
    },
    READ_REQUEST_LONGER_THAN_ITS_HEADER(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 0, payload(29), crc);
        }
    },
    READ_REQUEST_SHORTER_THAN_ITS_HEADER(0x02FF) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, READ_REQUEST, 0, 1, 1, 0, payload(27), crc);
        }
    },
    TERMINATE_LONGER_THAN_ONE_CAN_BE(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, TERMINATE, 0, 2, 1, 0, payload(1000), crc);
        }
    },
    READ_OF_A_KEY_THAT_NOBODY_HAS(0x0100) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, PAYLOAD, target.key() ^ 0x40, target.address(), crc);
        }
    },
    READ_OF_ANOTHER_DOMAIN(0x0103) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, PAYLOAD, target.foreignKey(), target.foreignAddress(), crc);
        }
    },
    READ_OVER_THE_END(0x0101) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, Target.LENGTH + 1, target.key(), target.address(), crc);
        }
    },
    READ_OF_FOUR_GIBIBYTES(0x0101) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, -1, target.key(), target.address(), crc);
        }
    },
    READ_THAT_WRAPS(0x0104) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, PAYLOAD, target.key(), -1, crc);
        }
    },
    READ_WITHOUT_THE_RIGHT(0x0102) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return read(1, PAYLOAD, target.writeOnlyKey(), target.writeOnlyAddress(), crc);
        }
    },
    ATOMIC_WITHOUT_THE_RIGHT(0x0102) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return atomic(0, target.key(), target.address(), crc);
        }
    },
    ATOMIC_OF_A_KEY_THAT_NOBODY_HAS(0x0100) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return atomic(0, target.key() ^ 0x40, target.address(), crc);
        }
    },
    ATOMIC_OF_ANOTHER_DOMAIN(0x0103) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return atomic(0, target.foreignKey(), target.foreignAddress(), crc);
        }
    },
    ATOMIC_WITH_A_RESERVED_OPERATION(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return atomic(1, target.key(), target.address(), crc);
        }
    },
    ATOMIC_WITH_AN_UNASSIGNED_OPERATION(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return atomic(15, target.key(), target.address(), crc);
        }
    },
    ATOMIC_REQUEST_LONGER_THAN_ITS_HEADER(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, payload(53), crc);
        }
    },
    ATOMIC_REQUEST_SHORTER_THAN_ITS_HEADER(0x02FF) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, payload(51), crc);
        }
    },
    ATOMIC_REQUEST_ON_THE_QUEUE_OF_RESPONSES(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 3, 1, 0, payload(52), crc);
        }
    },
    ATOMIC_RESPONSE_THAT_NOBODY_ASKED_FOR(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, ATOMIC_RESPONSE, 0, 3, 1, 0, Forge.atomicResponse(0, 5), crc);
        }
    },
    TAGGED_ATOMIC_RESPONSE(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return tagged(LAST_TAGGED, ATOMIC_RESPONSE, target, crc);
        }
    },
    SEND_ON_THE_QUEUE_OF_ATOMIC_RESPONSES(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, SEND, 0, 3, 1, 0, payload(12), crc);
        }
    },
    IMMEDIATE_DATA_OF_9_BYTES(0x1205) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, 1, 0, payload(9), crc);
        }
    },
    IMMEDIATE_DATA_OF_7_BYTES(0x02FF) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, IMMEDIATE_SOLICITED, 0, 0, 1, 0, payload(7), crc);
        }
    },
    IMMEDIATE_DATA_WITHOUT_A_RECEIVE(0x1202) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return join(untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, 1, 0, payload(8), crc),
                    untagged(LAST_UNTAGGED, IMMEDIATE, 0, 0, 2, 0, payload(8), crc));
        }
    },
    IMMEDIATE_DATA_ON_THE_QUEUE_OF_READ_REQUESTS(0x0206) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return untagged(LAST_UNTAGGED, IMMEDIATE, 0, 1, 1, 0, payload(8), crc);
        }
    },
    EMPTY_FRAME(0x2002) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return Forge.fpdu(new byte[0], crc);
        }
    },
    FRAME_TOO_SHORT_FOR_ITS_TAGGED_HEADER(0x2002) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return Forge.fpdu(Arrays.copyOf(Forge.tagged(LAST_TAGGED, WRITE, target.key(), target.address(), payload(0)), 13),
                    crc);
        }
    },
    FRAME_TOO_SHORT_FOR_ITS_UNTAGGED_HEADER(0x2002) {
        @Override
        byte[] bytes(Target target, boolean crc) {
            return Forge.fpdu(Arrays.copyOf(Forge.untagged(LAST_UNTAGGED, SEND, 0, 0, 1, 0, payload(0)), 17), crc);
        }
    };

    /** The length of the bytes sent, if that is not the point. */
    static final int PAYLOAD = 40;

    /** Layer, type and code of the answer. */
    final int code;

    Offence(int code) {
        this.code = code;
    }

    /** The bytes that the peer sends; the last FPDU is the one that is wrong. */
    abstract byte[] bytes(Target target, boolean crc);

    /** Memory of the side under test, and what the peer knows of it. One receive of {@link #RECEIVE_LENGTH} is posted. */
    record Target(int key, long address, int readOnlyKey, long readOnlyAddress, int writeOnlyKey, long writeOnlyAddress, int foreignKey,
            long foreignAddress, int receiveKey) {
        /** The length of each region. */
        static final int LENGTH = 4096;
        static final int RECEIVE_LENGTH = 64;
    }

    private static byte[] write(int key, long offset, boolean crc) {
        return Forge.fpdu(Forge.tagged(LAST_TAGGED, WRITE, key, offset, payload(PAYLOAD)), crc);
    }

    private static byte[] tagged(int control, int ulp, Target target, boolean crc) {
        return Forge.fpdu(Forge.tagged(control, ulp, target.key(), target.address(), payload(PAYLOAD)), crc);
    }

    private static byte[] untagged(int control, int ulp, int word, int queue, int sequence, int offset, byte[] payload, boolean crc) {
        return Forge.fpdu(Forge.untagged(control, ulp, word, queue, sequence, offset, payload), crc);
    }

    private static byte[] atomic(int operation, int key, long offset, boolean crc) {
        return untagged(LAST_UNTAGGED, ATOMIC_REQUEST, 0, 1, 1, 0, Forge.atomicRequest(operation, 9, key, offset, 1, 0, 0, -1), crc);
    }
}
