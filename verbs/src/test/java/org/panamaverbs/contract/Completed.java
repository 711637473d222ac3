package org.panamaverbs.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.panamaverbs.CompletionOpcode;
import org.panamaverbs.CompletionStatus;
import org.panamaverbs.Completions;

/**
 * A completion, copied so that it outlives the next poll. The fields that are valid only on success are {@code null} or 0 without.
 */
record Completed(long id, CompletionStatus status, CompletionOpcode opcode, long byteLength, boolean hasInvalidatedKey, int invalidatedKey,
        boolean hasImmediate, int immediate, boolean hasImmediate64, long immediate64, int queuePairNumber) {
    static Completed of(Completions cursor) {
        boolean success = cursor.isSuccess();
        CompletionOpcode opcode = success ? cursor.opcode() : null;
        boolean counts = opcode == CompletionOpcode.RECEIVE || opcode == CompletionOpcode.RECEIVE_WRITE_WITH_IMMEDIATE
                || opcode == CompletionOpcode.READ;
        boolean invalidated = success && cursor.hasInvalidatedKey();
        boolean immediate = success && cursor.hasImmediate();
        boolean immediate64 = success && cursor.hasImmediate64();
        return new Completed(cursor.id(), cursor.status(), opcode, counts ? cursor.byteLength() : 0, invalidated,
                invalidated ? cursor.invalidatedKey() : 0, immediate, immediate ? cursor.immediate() : 0, immediate64,
                immediate64 ? cursor.immediate64() : 0, cursor.queuePairNumber());
    }

    boolean isSuccess() {
        return status == CompletionStatus.SUCCESS;
    }

    /** Asserts that it is the success of a request. */
    Completed succeeded(long expectedId, CompletionOpcode expectedOpcode) {
        assertEquals(CompletionStatus.SUCCESS, status, () -> "status of request " + id + ", where " + expectedId + " was expected");
        assertEquals(expectedId, id, "the request that completed");
        assertEquals(expectedOpcode, opcode, () -> "opcode of request " + id);
        return this;
    }

    /** Asserts that it carries immediate data. */
    void carried(int expected) {
        assertTrue(hasImmediate, () -> "receive " + id + " should have immediate data");
        assertEquals(expected, immediate, () -> "immediate data of receive " + id);
    }

    /** Asserts that it carries the 8 bytes of an Immediate Data message. */
    void carried64(long expected) {
        assertTrue(hasImmediate64, () -> "receive " + id + " should have 8 bytes of immediate data");
        assertEquals(expected, immediate64, () -> "immediate data of receive " + id);
    }

    /** Asserts that it is the success of a receive of so many bytes. */
    Completed received(long expectedId, long expectedLength) {
        succeeded(expectedId, CompletionOpcode.RECEIVE);
        assertEquals(expectedLength, byteLength, () -> "bytes of receive " + id);
        return this;
    }
}
